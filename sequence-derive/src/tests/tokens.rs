//! Whatever stands in the attributes: never a panic, always code or messages.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use proptest::prelude::*;
use quote::quote;
use syn::{DeriveInput, File, Item, LitStr, parse2};

use crate::{expand, newtype};

/// Words with a meaning here, in Rust or in serde, and some without.
const WORDS: [&str; 30] = [
    "start",
    "step",
    "max",
    "min",
    "name",
    "shared",
    "gapless",
    "scope",
    "by_default",
    "format",
    "counters",
    "value_field",
    "crate",
    "id",
    "tenant",
    "number",
    "self",
    "super",
    "Self",
    "if",
    "else",
    "match",
    "fn",
    "true",
    "as",
    "rename",
    "rename_all",
    "flatten",
    "serialize",
    "x",
];

fn tokens() -> impl Strategy<Value = TokenStream> {
    let word = prop::sample::select(&WORDS[..]).prop_map(|word| TokenTree::Ident(Ident::new(word, Span::call_site())));
    let raw = prop::sample::select(&["type", "start", "id"][..])
        .prop_map(|word| TokenTree::Ident(Ident::new_raw(word, Span::call_site())));
    let punct = (
        prop::sample::select(&['=', ',', ':', '-', '+', '.', '#', '!', '<', '>', '&', '$', '?', '\''][..]),
        any::<bool>(),
    )
        .prop_map(|(character, joint)| {
            TokenTree::Punct(Punct::new(character, if joint { Spacing::Joint } else { Spacing::Alone }))
        });
    let literal = prop_oneof![
        any::<i64>().prop_map(|number| Literal::u64_unsuffixed(number.unsigned_abs())),
        (0..3_i64).prop_map(|number| Literal::u64_unsuffixed(number.unsigned_abs())),
        any::<u128>().prop_map(Literal::u128_suffixed),
        any::<u8>().prop_map(Literal::u8_suffixed),
        "[a-z$._\0 =()]{0,8}".prop_map(|text| Literal::string(&text)),
        any::<char>().prop_map(Literal::character),
        Just(Literal::f64_unsuffixed(1.5)),
        Just(Literal::byte_string(b"name")),
    ]
    .prop_map(TokenTree::Literal);
    let leaf = prop_oneof![4 => word, 1 => raw, 4 => punct, 3 => literal];
    let tree = leaf.prop_recursive(3, 24, 8, |inner| {
        let delimiter =
            prop::sample::select(&[Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None][..]);
        (delimiter, prop::collection::vec(inner, 0..8))
            .prop_map(|(delimiter, inner)| TokenTree::Group(Group::new(delimiter, inner.into_iter().collect())))
    });
    prop::collection::vec(tree, 0..12).prop_map(|trees| trees.into_iter().collect())
}

/// A key and a value, as they mostly are, or anything.
fn keys() -> impl Strategy<Value = TokenStream> {
    let value = prop_oneof![
        Just(quote!(= 1)),
        Just(quote!(= -5)),
        Just(quote!(= "a")),
        Just(quote!(= "")),
        Just(quote!(= ::p)),
        Just(quote!((tenant))),
        Just(quote!((number, id,))),
        Just(quote!()),
        tokens(),
    ];
    let item = (prop::sample::select(&WORDS[..13]), value).prop_map(|(key, value)| {
        let key = Ident::new(key, Span::call_site());
        quote!(#key #value)
    });
    prop_oneof![tokens(), prop::collection::vec(item, 0..5).prop_map(|items| quote!(#(#items),*)),]
}

/// Code, or at least one message at a place.
fn is_code_or_messages(output: TokenStream) -> Result<(), TestCaseError> {
    let shown = output.to_string();
    let items = parse2::<File>(output).map_err(|error| TestCaseError::fail(format!("{error}: {shown}")))?.items;
    for item in items {
        match item {
            Item::Macro(item) => {
                let message = item.mac.parse_body::<LitStr>();
                prop_assert!(message.is_ok_and(|message| !message.value().is_empty()), "{}", shown);
            }
            Item::Const(_) | Item::Impl(_) => {}
            _ => prop_assert!(false, "{}", shown),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn attributes_of_any_tokens(on_struct in keys(), on_field in keys(), again in keys(), serde in tokens()) {
        for input in [
            quote! {
                #[auto_increment(#on_struct)]
                #[serde(#serde)]
                struct Order {
                    #[auto_increment(#on_field)]
                    #[serde(#serde)]
                    id: i64,
                    #[auto_increment(#again)]
                    number: Option<u32>,
                    tenant: String,
                }
            },
            quote! { #[auto_increment{#on_struct}] struct Order { #[auto_increment[#on_field]] id: i64 } },
            quote! { #[auto_increment = #on_struct] struct Order(#[auto_increment(#on_field)] i64); },
            quote! { #[auto_increment(#on_struct)] enum Order { #[auto_increment(#on_field)] A } },
        ] {
            // what is no item at all is the compiler's to report
            let Ok(input) = parse2::<DeriveInput>(input) else { continue };
            is_code_or_messages(expand::derive(&input))?;
            is_code_or_messages(newtype::derive(&input))?;
        }
    }
}
