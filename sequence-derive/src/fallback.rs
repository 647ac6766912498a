//! The mistakes, and beside them what keeps the rest of the program compiling.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Error;

use crate::{
    ast::{Input, Number},
    expand,
};

pub(crate) fn expand(input: &Input<'_>, errors: &Error) -> TokenStream {
    let errors = errors.to_compile_error();
    // behind a wrong `crate = ..`, every path would be a mistake of its own
    let krate = &input.keys.krate;
    let stub = (krate.value().is_some() || !krate.is_given()).then(|| stub(input));
    quote_spanned!(Span::mixed_site()=> #errors #stub)
}

/// An implementation without sequences, whose constant asks whether the types of the marked fields hold numbers.
fn stub(input: &Input<'_>) -> TokenStream {
    let krate = input.krate();
    let header = expand::header(input);
    // a flattened field is no number, and reported as that already
    let types = input.numbers().filter(|number| number.field.absent.is_none()).filter_map(Number::converted);
    quote_spanned! {Span::mixed_site()=>
        const _: () = {
            #[automatically_derived]
            #header {
                const SEQUENCES: &'static [#krate::__private::Definition] = {
                    #(let _ = <#types as #krate::SequenceValue>::MAX;)*
                    &[]
                };
                fn __with(
                    &mut self,
                    _: &[::core::option::Option<i64>],
                    _: &mut dyn ::core::ops::FnMut(&Self) -> bool,
                ) -> ::core::option::Option<()> {
                    ::core::option::Option::None
                }
                fn __render(_: usize, _: i64) -> ::core::option::Option<#krate::__private::RawDocumentBuf> {
                    ::core::option::Option::None
                }
            }
        };
    }
}
