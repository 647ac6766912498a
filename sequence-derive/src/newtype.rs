//! `#[derive(SequenceValue)]`: a struct with one field holds what its field holds.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Data, DeriveInput, Index, Member, Type, parse_quote_spanned};

use crate::{
    attr::{self, TypeKeys},
    crate_path::CratePath,
    ctxt::Ctxt,
    expand::{mentions, type_params},
};

pub(crate) fn derive(node: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let keys: TypeKeys = attr::read(&cx, &node.attrs).unwrap_or_default();
    let only = only_field(&cx, node);
    let krate = CratePath::or_default(keys.krate.value());
    match (cx.check(), only) {
        (Ok(()), Some((member, ty))) => expand(node, &krate, &member, ty),
        (Ok(()), None) => TokenStream::new(),
        (Err(errors), _) => {
            // as with a model: one mistake is not to be reported again at every use of the type
            let stub = (keys.krate.value().is_some() || !keys.krate.is_given()).then(|| stub(node, &krate));
            let errors = errors.to_compile_error();
            quote_spanned!(Span::mixed_site()=> #errors #stub)
        }
    }
}

fn only_field<'a>(cx: &Ctxt, node: &'a DeriveInput) -> Option<(Member, &'a Type)> {
    let Data::Struct(data) = &node.data else {
        cx.error(&node.ident, "expected a struct with one field, which holds the number, found no struct");
        return None;
    };
    let mut fields = data.fields.iter();
    if let (Some(field), None) = (fields.next(), fields.next()) {
        let member = field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(0)), Member::Named);
        return Some((member, &field.ty));
    }
    let found = data.fields.len();
    cx.error(
        &node.ident,
        format!(
            "expected a struct with one field, which holds the number, found {found} fields; \
             implement `SequenceValue` by hand for any other type"
        ),
    );
    None
}

fn expand(node: &DeriveInput, krate: &TokenStream, member: &Member, ty: &Type) -> TokenStream {
    let header = header(node, krate, Some(ty));
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        #header {
            const MIN: i64 = <#ty as #krate::SequenceValue>::MIN;
            const MAX: i64 = <#ty as #krate::SequenceValue>::MAX;

            fn from_number(number: i64) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self {
                    #member: <#ty as #krate::SequenceValue>::from_number(number)?,
                })
            }
        }
    }
}

fn stub(node: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let header = header(node, krate, None);
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        #header {
            const MIN: i64 = ::core::primitive::i64::MIN;
            const MAX: i64 = ::core::primitive::i64::MAX;

            fn from_number(_: i64) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
        }
    }
}

/// A generic type holds numbers where its field does and it can be stored; of any other the compiler asks that here.
fn header(node: &DeriveInput, krate: &TokenStream, ty: Option<&Type>) -> TokenStream {
    let (site, ident) = (Span::mixed_site(), &node.ident);
    let (impl_generics, ty_generics, where_clause) = node.generics.split_for_impl();
    let mut predicates = where_clause.cloned().map(|clause| clause.predicates).unwrap_or_default();
    let params = type_params(&node.generics);
    if !params.is_empty() {
        predicates.push(parse_quote_spanned!(site=> #ident #ty_generics: #krate::__private::serde::Serialize));
    }
    if let Some(ty) = ty.filter(|ty| mentions(ty.to_token_stream(), &params)) {
        predicates.push(parse_quote_spanned!(site=> #ty: #krate::SequenceValue));
    }
    let where_clause = (!predicates.is_empty()).then(|| quote_spanned!(site=> where #predicates));
    quote_spanned!(site=> impl #impl_generics #krate::SequenceValue for #ident #ty_generics #where_clause)
}
