//! Generated code raises no lint in the user's crate, whatever is denied there. `cargo clippy --all-targets` looks at it;
//! the compiler's own lints are looked at whenever this is built.
#![deny(warnings, clippy::pedantic, clippy::nursery, clippy::cargo)]
#![deny(
    clippy::absolute_paths,
    clippy::allow_attributes,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    clippy::panic,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    clippy::unwrap_used,
    clippy::wildcard_imports,
    elided_lifetimes_in_paths,
    let_underscore_drop,
    missing_copy_implementations,
    non_ascii_idents,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![forbid(unsafe_code, missing_docs)]
#![allow(
    clippy::multiple_crate_versions,
    clippy::cargo_common_metadata,
    reason = "of the dependencies, not of this crate"
)]

use mongo_sequence::{AutoIncrement, SequenceValue};
use serde::{Deserialize, Serialize};

/// A type of numbers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, SequenceValue)]
pub struct InvoiceNumber(u32);

/// A model with everything.
#[derive(Clone, Debug, Deserialize, Serialize, AutoIncrement)]
#[auto_increment(counters = "numbers", value_field = "value")]
pub struct Invoice {
    /// Its number in the collection.
    #[serde(rename = "_id")]
    #[auto_increment(start = 1_000, step = 10)]
    pub id: i64,
    /// Whose it is.
    pub tenant: String,
    /// Its number among those of the tenant.
    #[auto_increment(scope(tenant), gapless, max = 9_999)]
    pub number: InvoiceNumber,
    /// A number that may be given by hand.
    #[auto_increment(by_default, name = "documents", shared)]
    pub document: Option<i32>,
    /// What is printed on it.
    #[auto_increment(format = printed)]
    pub printed: String,
    /// Not used any more.
    #[deprecated(note = "use `number`")]
    #[auto_increment]
    pub old: u64,
}

/// The printed form of a number.
fn printed(number: i64) -> String {
    format!("INV-{number:06}")
}

/// A generic model.
#[derive(Debug, Serialize, AutoIncrement)]
pub struct Envelope<'a, N, P = String>
where
    P: Sync,
{
    /// Its number.
    #[auto_increment]
    pub id: N,
    /// What is in it.
    pub payload: &'a [P],
}

#[test]
fn models_are_what_they_are() {
    assert_eq!(<Invoice as AutoIncrement>::SEQUENCES.len(), 5);
    assert_eq!(<Envelope<'_, i64> as AutoIncrement>::SEQUENCES.len(), 1);
    assert_eq!(printed(7), "INV-000007");
}
