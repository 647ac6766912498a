//! The derive as a function: what it writes, and what it reports. How the compiler shows it is in `tests/ui` of the
//! facade.

mod snapshots;
mod tokens;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{File, Item, LitStr, parse2};

use crate::{
    ctxt::{Ctxt, closest},
    expand, serde,
};

fn derive(input: TokenStream) -> TokenStream {
    expand::derive(&parse2(input).expect("the input is an item"))
}

/// The messages for a model.
fn mistakes(input: TokenStream) -> Vec<String> {
    let output: File = parse2(derive(input)).expect("the output is items");
    let messages = output.items.into_iter().filter_map(|item| match item {
        Item::Macro(item) => Some(item.mac.parse_body::<LitStr>().expect("a message").value()),
        _ => None,
    });
    messages.collect()
}

#[test]
fn bounds_only_what_is_generic() {
    let input = quote! {
        #[auto_increment(crate = ::p)]
        struct Model<'a, T: Tr = u8, const N: usize = 1> where T: Copy {
            #[auto_increment] id: Wrapper<T>,
            #[auto_increment] same: Wrapper<T>,
            #[auto_increment] projected: T::Number,
            #[auto_increment] plain: i64,
            other: [&'a T; N],
        }
    };
    let header = quote! {
        impl<'a, T: Tr, const N: usize> ::p::AutoIncrement for Model<'a, T, N>
        where
            T: Copy,
            Model<'a, T, N>: ::p::__private::serde::Serialize + ::core::marker::Send + ::core::marker::Sync,
            Wrapper<T>: ::p::SequenceValue,
            T::Number: ::p::SequenceValue
    };
    let output = derive(input).to_string();
    assert!(output.contains(&format!("{header} {{")), "{output}");
    let lifetimes_only = derive(quote!(
        struct Model<'a> {
            #[auto_increment]
            id: i64,
            name: &'a str,
        }
    ))
    .to_string();
    assert!(!lifetimes_only.contains("where"), "{lifetimes_only}");
}

#[test]
fn reports_every_mistake_of_a_struct() {
    let messages = mistakes(quote! {
        #[auto_increment(counters = "", strat = 1, value_field = "a.b")]
        struct Order {
            #[auto_increment(step = 0, start = "5", unknown)]
            id: i64,
            #[serde(skip)]
            #[auto_increment(gapless = true, min = 5 max = 4)]
            number: i64,
        }
    });
    let found = [
        "unknown key `strat`",
        "`start` takes an integer",
        "unknown key `unknown`",
        "`gapless` takes no value",
        "expected a comma after `min`",
        "`step` is 0",
        "`number` is numbered, but `skip`",
        "`min` is 5, above `max`",
        "`counters` is empty",
        "`value_field` contains a dot",
    ];
    assert_eq!(messages.len(), found.len(), "{messages:#?}");
    for (message, found) in messages.iter().zip(found) {
        assert!(message.starts_with(found), "{message} / {found}");
    }
}

#[test]
fn a_mistake_leaves_an_implementation() {
    let implementation = quote!(impl ::mongo_sequence::AutoIncrement for Order).to_string();
    let stub = derive(quote!(
        struct Order {
            #[auto_increment(step = 0)]
            id: String,
            item: String,
        }
    ))
    .to_string();
    assert!(stub.contains(&implementation), "{stub}");
    let question = quote!(let _ = <String as ::mongo_sequence::SequenceValue>::MAX;).to_string();
    assert_eq!(stub.matches(&question).count(), 1, "{stub}");

    let refused = derive(quote!(
        enum Order {
            A,
        }
    ))
    .to_string();
    assert!(refused.contains(&format!("{implementation} where for < 'refused > Order :")), "{refused}");

    // every path in it would be wrong
    let lost = derive(quote!(
        #[auto_increment(crate = p)]
        struct Order {
            #[auto_increment]
            id: i64,
        }
    ))
    .to_string();
    assert!(!lost.contains("impl"), "{lost}");
}

#[test]
#[should_panic(expected = "forgot to check for errors")]
fn mistakes_cannot_be_forgotten() {
    Ctxt::new().error(quote!(x), "a mistake");
}

#[test]
fn guesses_what_was_meant() {
    let keys = ["start", "step", "max", "min", "name", "gapless"];
    for (typed, meant) in
        [("strat", "start"), ("Step", "step"), ("steps", "step"), ("gap_less", "gapless"), ("nmae", "name")]
    {
        assert_eq!(closest(typed, &keys), Some(meant), "{typed}");
    }
    for typed in ["increment", "prefix", "x", ""] {
        assert_eq!(closest(typed, &keys), None, "{typed}");
    }
}

/// What `serde_derive` 1.0.229 makes of these fields.
#[test]
fn renames_like_serde() {
    let fields = ["outcome", "very_tasty", "a", "z42", "_id", "camelCase", "_"];
    let table = [
        ("lowercase", fields),
        ("UPPERCASE", ["OUTCOME", "VERY_TASTY", "A", "Z42", "_ID", "CAMELCASE", "_"]),
        ("PascalCase", ["Outcome", "VeryTasty", "A", "Z42", "Id", "CamelCase", ""]),
        ("camelCase", ["outcome", "veryTasty", "a", "z42", "id", "camelCase", ""]),
        ("snake_case", fields),
        ("SCREAMING_SNAKE_CASE", ["OUTCOME", "VERY_TASTY", "A", "Z42", "_ID", "CAMELCASE", "_"]),
        ("kebab-case", ["outcome", "very-tasty", "a", "z42", "-id", "camelCase", "-"]),
        ("SCREAMING-KEBAB-CASE", ["OUTCOME", "VERY-TASTY", "A", "Z42", "-ID", "CAMELCASE", "-"]),
        ("no such rule", fields),
    ];
    for (rule, renamed) in table {
        assert_eq!(fields.map(|field| serde::rename(rule, field)), renamed, "{rule}");
    }
    assert_eq!(serde::rename("camelCase", "été_id"), "étéId");
}

#[test]
fn finds_the_stored_name() {
    let stored = |container: TokenStream, field: TokenStream| {
        let output = derive(quote!(#container struct Model { #field #[auto_increment] r#my_type: i64 })).to_string();
        let (_, names) = output.split_once("\"my_type\" , \"").expect("the Rust name comes first");
        names.split('"').next().map(ToOwned::to_owned).expect("then the stored one")
    };
    let none = TokenStream::new;
    let camel_case = || quote!(#[serde(rename_all = "camelCase")]);
    assert_eq!(stored(none(), none()), "my_type");
    assert_eq!(stored(camel_case(), none()), "myType");
    assert_eq!(stored(camel_case(), quote!(#[serde(rename = "_id")])), "_id");
    let directions = quote!(#[serde(default, rename(serialize = "out", deserialize = "in"), alias = "x")]);
    assert_eq!(stored(none(), directions), "out");
    assert_eq!(stored(none(), quote!(#[serde(rename(deserialize = "in"))])), "my_type");
    assert_eq!(stored(quote!(#[serde(rename_all(serialize = "kebab-case"))]), none()), "my-type");
    assert_eq!(stored(quote!(#[serde(bound(serialize = "T: X"), rename_all = "UPPERCASE")]), none()), "MY_TYPE");
    // serde's own derive reports these
    assert_eq!(stored(quote!(#[serde(rename_all = 5)]), quote!(#[serde(rename, = "x")])), "my_type");
}
