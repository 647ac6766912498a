//! What the derive writes, formatted and readable: `snapshots/*.rs`. `UPDATE_EXPECT=1 cargo test -p sequence-derive`
//! writes them anew.

use expect_test::{ExpectFile, expect_file};
use proc_macro2::TokenStream;
use quote::quote;

fn check(input: TokenStream, expected: &ExpectFile) {
    let output = syn::parse2(super::derive(input)).expect("the output is items");
    expected.assert_eq(&prettyplease::unparse(&output));
}

#[test]
fn smallest() {
    let input = quote! {
        struct Order {
            #[serde(rename = "_id")]
            #[auto_increment]
            id: i64,
            item: String,
        }
    };
    check(input, &expect_file!["../snapshots/smallest.rs"]);
}

#[test]
fn limits() {
    let input = quote! {
        #[auto_increment(counters = "numbers", value_field = "value")]
        struct Ticket {
            #[auto_increment(start = FIRST, step = -10, min = -1_000, max = FIRST, name = "tickets")]
            number: i32,
        }
    };
    check(input, &expect_file!["../snapshots/limits.rs"]);
}

#[test]
fn scoped() {
    let input = quote! {
        #[serde(rename_all = "camelCase")]
        struct Invoice {
            fiscal_year: i32,
            #[serde(rename = "customer", skip_serializing_if = "Option::is_none")]
            tenant: Option<ObjectId>,
            #[auto_increment(scope(tenant, fiscal_year), gapless)]
            invoice_number: u32,
        }
    };
    check(input, &expect_file!["../snapshots/scoped.rs"]);
}

#[test]
fn by_default() {
    let input = quote! {
        struct Item {
            #[auto_increment(by_default)]
            number: Option<i64>,
        }
    };
    check(input, &expect_file!["../snapshots/by_default.rs"]);
}

#[test]
fn formatted() {
    let input = quote! {
        struct Link {
            #[auto_increment(format = base62::slug, name = "links", shared)]
            slug: String,
        }
    };
    check(input, &expect_file!["../snapshots/formatted.rs"]);
}

#[test]
fn several_fields() {
    let input = quote! {
        struct Letter {
            #[auto_increment]
            id: i64,
            #[auto_increment(gapless)]
            r#type: u32,
        }
    };
    check(input, &expect_file!["../snapshots/several_fields.rs"]);
}

#[test]
fn generic() {
    let input = quote! {
        struct Envelope<'a, N, P = String, const SIZE: usize = 8>
        where
            P: Debug,
        {
            #[auto_increment]
            id: N,
            #[auto_increment(by_default)]
            own: Option<N>,
            payload: [&'a P; SIZE],
        }
    };
    check(input, &expect_file!["../snapshots/generic.rs"]);
}

#[test]
fn reexported() {
    let input = quote! {
        #[auto_increment(crate = crate::database::sequences)]
        struct Order {
            #[auto_increment]
            id: i64,
        }
    };
    check(input, &expect_file!["../snapshots/reexported.rs"]);
}

/// Beside the messages an implementation, so that the uses of the model are not reported too.
#[test]
fn mistaken() {
    let input = quote! {
        struct Order {
            #[auto_increment(step = 0, strat = 1)]
            id: i64,
        }
    };
    check(input, &expect_file!["../snapshots/mistaken.rs"]);
}
