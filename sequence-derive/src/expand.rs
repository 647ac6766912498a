//! The derive, and the implementation that it writes.
//!
//! Generated tokens are spanned at the macro's own site: locals cannot meet names of the user's, and absolute paths
//! mean the same in every edition. The user's tokens keep their places, where the compiler then reports what is wrong
//! with them.

use std::collections::HashSet;

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{DeriveInput, GenericParam, Generics, parse_quote_spanned};

use crate::{
    ast::{Field, Input, Number},
    attr::Slot,
    ctxt::Ctxt,
    fallback, valid,
};

pub(crate) fn derive(node: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let input = Input::from_syn(&cx, node);
    valid::check(&cx, &input);
    match cx.check() {
        Ok(()) => expand(&input),
        // without an implementation, every use of the model would be reported along with the mistake
        Err(errors) => fallback::expand(&input, &errors),
    }
}

fn expand(input: &Input<'_>) -> TokenStream {
    let site = Span::mixed_site();
    let krate = input.krate();
    let header = header(input);
    let numbers: Vec<_> = input.numbers().collect();
    let definitions = numbers.iter().map(|number| definition(input, *number));
    let with = with(&krate, &numbers);
    let render = numbers.iter().enumerate().map(|(index, number)| {
        let index = Literal::usize_unsuffixed(index);
        let value = value(&krate, *number, &quote_spanned!(site=> &[::core::option::Option::Some(number)], 0));
        quote_spanned!(site=> #index => #krate::__private::render(#value?),)
    });
    let evaluated = evaluated(input);
    quote_spanned! {site=>
        const _: () = {
            #[automatically_derived]
            #header {
                const SEQUENCES: &'static [#krate::__private::Definition] = &[#(#definitions),*];

                #with

                fn __render(
                    sequence: usize,
                    number: i64,
                ) -> ::core::option::Option<#krate::__private::RawDocumentBuf> {
                    match sequence {
                        #(#render)*
                        _ => ::core::option::Option::None,
                    }
                }
            }
            #evaluated
        };
    }
}

/// One sequence. A new key adds its setter here, which has the name of the key.
fn definition(input: &Input<'_>, number: Number<'_>) -> TokenStream {
    let krate = input.krate();
    let Number { field, keys } = number;
    let (rust_name, stored_name) = (field.name(), &field.stored_name);
    let site = Span::mixed_site();
    let limits = if let Some(ty) = number.converted() {
        quote_spanned!(site=> <#ty as #krate::SequenceValue>::MIN, <#ty as #krate::SequenceValue>::MAX)
    } else {
        quote_spanned!(site=> ::core::primitive::i64::MIN, ::core::primitive::i64::MAX)
    };
    let ty = field.ty;
    let by_default = keys.by_default.get().map(|(key, _)| (key, quote_spanned!(site=> ::<#ty>), TokenStream::new()));
    let format = keys.format.get().map(|(key, _)| (key, TokenStream::new(), TokenStream::new()));
    let scope = keys.scope.get().map(|(key, names)| {
        let mut fields: Vec<_> = names.0.iter().filter_map(|name| input.field(name)).collect();
        fields.sort_by_key(|field| &field.stored_name);
        let fields = fields.iter().map(|field| {
            let (name, Field { stored_name, optional, .. }) = (field.name(), field);
            quote!((#name, #stored_name, #optional))
        });
        (key, TokenStream::new(), quote_spanned!(site=> , &[#(#fields),*]))
    });
    let setters = [
        setter(&keys.start),
        setter(&keys.step),
        setter(&keys.max),
        setter(&keys.min),
        setter(&keys.name),
        setter(&keys.shared),
        setter(&keys.gapless),
        scope,
        by_default,
        format,
        setter(&input.keys.counters),
        setter(&input.keys.value_field),
    ];
    let new = quote_spanned! {site=>
        #krate::__private::Definition::new(#rust_name, #stored_name, #limits)
    };
    let set = setters
        .into_iter()
        .flatten()
        .fold(new, |definition, (key, of, value)| call(&krate, key, key.span(), &of, &quote!(#definition #value)));
    call(&krate, &format_ident!("checked"), field.ident.span(), &TokenStream::new(), &set)
}

/// The key, what it is generic over, and its value behind a comma; a flag has none.
fn setter<T: ToTokens>(slot: &Slot<T>) -> Option<(&Ident, TokenStream, TokenStream)> {
    let (key, value) = slot.get()?;
    let value = value.to_token_stream();
    Some((key, TokenStream::new(), if value.is_empty() { value } else { quote!(, #value) }))
}

/// Calls a method of the definition. Not with a dot: where such a call panics, the compiler points at all of it, from
/// the receiver on, and not at the key.
fn call(krate: &TokenStream, method: &Ident, place: Span, of: &TokenStream, arguments: &TokenStream) -> TokenStream {
    let site = Span::mixed_site().located_at(place);
    let method = Ident::new(&method.to_string(), site);
    quote_spanned!(site=> <#krate::__private::Definition>::#method #of (#arguments))
}

/// Converts all numbers first, so that nothing has changed when one does not fit.
fn with(krate: &TokenStream, numbers: &[Number<'_>]) -> TokenStream {
    let site = Span::mixed_site();
    let fields = numbers.iter().map(|number| number.field.ident);
    let values: Vec<_> = (0..numbers.len()).map(|index| format_ident!("value_{index}", span = site)).collect();
    let converted = numbers.iter().enumerate().map(|(index, number)| {
        let index = Literal::usize_unsuffixed(index);
        value(krate, *number, &quote_spanned!(site=> numbers, #index))
    });
    quote_spanned! {site=>
        fn __with(
            &mut self,
            numbers: &[::core::option::Option<i64>],
            visit: &mut dyn ::core::ops::FnMut(&Self) -> bool,
        ) -> ::core::option::Option<()> {
            #(let mut #values = #converted;)*
            #krate::__private::with(self, visit, &mut |model| {
                #(#krate::__private::exchange(&mut model.#fields, &mut #values);)*
            })
        }
    }
}

/// The value for a field, or none. Written in one way wherever it is needed, so that the compiler reports a wrong type
/// once.
fn value(krate: &TokenStream, number: Number<'_>, which: &TokenStream) -> TokenStream {
    let (site, ty) = (Span::mixed_site(), number.field.ty);
    if let Some(format) = number.keys.format.value() {
        quote_spanned!(site=> #krate::__private::formatted::<#ty>(#which, #format)?)
    } else {
        quote_spanned!(site=> #krate::__private::value(#which, <#ty as #krate::SequenceValue>::from_number)?)
    }
}

/// An associated constant is computed where it is used; this computes it here, so that a contradiction is reported at
/// the struct. A generic one has to wait for its types.
fn evaluated(input: &Input<'_>) -> Option<TokenStream> {
    let (krate, ident) = (input.krate(), input.ident);
    input.generics.params.is_empty().then(|| {
        quote_spanned! {Span::mixed_site()=>
            const _: &'static [#krate::__private::Definition] = <#ident as #krate::AutoIncrement>::SEQUENCES;
        }
    })
}

/// `impl<..> AutoIncrement for Model<..> where ..`
///
/// A generic model is a model where it can be stored and its number types hold numbers. Of any other the compiler asks
/// that at the struct; but not of what was refused as a model, where an unused binder puts the question off.
pub(crate) fn header(input: &Input<'_>) -> TokenStream {
    let (site, krate, ident) = (Span::mixed_site(), input.krate(), input.ident);
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    let mut predicates = input.generics.where_clause.clone().map(|clause| clause.predicates).unwrap_or_default();
    let params = type_params(input.generics);
    let refused = input.fields.is_none().then(|| quote_spanned!(site=> for<'refused>));
    if !params.is_empty() || refused.is_some() {
        predicates.push(parse_quote_spanned! {site=>
            #refused #ident #ty_generics:
                #krate::__private::serde::Serialize + ::core::marker::Send + ::core::marker::Sync
        });
    }
    let mut bounded = HashSet::new();
    for number in input.numbers() {
        let Some(ty) = number.converted().map(ToTokens::to_token_stream) else { continue };
        let bound = if number.keys.by_default.is_given() {
            quote_spanned!(site=> #ty: #krate::__private::ByDefault)
        } else {
            quote_spanned!(site=> #ty: #krate::SequenceValue)
        };
        if mentions(ty, &params) && bounded.insert(bound.to_string()) {
            predicates.push(parse_quote_spanned!(site=> #bound));
        }
    }
    let where_clause = (!predicates.is_empty()).then(|| quote_spanned!(site=> where #predicates));
    quote_spanned!(site=> impl #impl_generics #krate::AutoIncrement for #ident #ty_generics #where_clause)
}

/// The names of the type and const parameters.
pub(crate) fn type_params<'g>(generics: &'g Generics) -> HashSet<&'g Ident> {
    let name = |param: &'g GenericParam| match param {
        GenericParam::Type(param) => Some(&param.ident),
        GenericParam::Const(param) => Some(&param.ident),
        GenericParam::Lifetime(_) => None,
    };
    generics.params.iter().filter_map(name).collect()
}

/// Whether a type names one of the parameters. A path segment of the same name counts too and does no harm.
pub(crate) fn mentions(tokens: TokenStream, params: &HashSet<&Ident>) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => params.contains(&ident),
        TokenTree::Group(group) => mentions(group.stream(), params),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
