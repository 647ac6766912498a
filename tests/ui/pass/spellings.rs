//! Every way to write the attribute.
#![deny(warnings, clippy::pedantic)]

use mongo_sequence::AutoIncrement;
use serde::Serialize;

const FIRST: i64 = 1_000;
const fn last(digits: u32) -> i64 {
    10_i64.pow(digits) - 1
}

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "numbers")]
#[auto_increment(value_field = "value", crate = ::mongo_sequence)]
#[serde(rename_all = "camelCase")]
pub struct Everything {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
    #[auto_increment()]
    empty: i64,
    #[auto_increment(start = -5, step = -(2), min = -(100i64), max = 0x10)]
    literals: i64,
    #[auto_increment(start = FIRST, max = last(9), step = { const TWO: i64 = 2; TWO })]
    consts: i32,
    #[auto_increment(step = if FIRST > 0 { 1 } else { -1 }, max = i64::MAX, min = <u64 as mongo_sequence::SequenceValue>::MIN)]
    expressions: u64,
    #[auto_increment(start = -9_223_372_036_854_775_807, min = -9_223_372_036_854_775_808)]
    smallest: i64,
    #[auto_increment(start = 1)]
    #[auto_increment(gapless, name = "invoices.number",)]
    several: u32,
    #[deprecated]
    #[auto_increment]
    old: i64,
    plain: String,
}

macro_rules! model {
    ($name:ident, $field:ident: $ty:ty, $start:expr, $step:literal, $sequence:literal, $path:path) => {
        #[derive(Serialize, AutoIncrement)]
        #[auto_increment(crate = $path)]
        pub struct $name {
            #[auto_increment(start = $start, step = $step, name = $sequence)]
            $field: $ty,
        }
    };
}

model!(FromMacro, number: i64, -3, -1, "sequence", ::mongo_sequence);

mod reexports {
    pub use mongo_sequence;

    macro_rules! model {
        ($name:ident) => {
            #[derive($crate::reexports::mongo_sequence::AutoIncrement, serde::Serialize)]
            #[auto_increment(crate = $crate::reexports::mongo_sequence)]
            pub struct $name {
                #[auto_increment]
                id: i64,
            }
        };
    }
    pub(crate) use model;
}

reexports::model!(ThroughReexport);

#[derive(Serialize, AutoIncrement)]
#[auto_increment(crate = crate::reexports::mongo_sequence)]
pub struct OwnPath {
    #[auto_increment]
    id: i64,
}

fn main() {
    assert_eq!(Everything::SEQUENCES.len(), 8);
    let mut model = FromMacro { number: 0 };
    assert_eq!(model.__with(&[Some(4)], &mut |_| true), Some(()));
    assert_eq!(model.number, 4);
    assert!(ThroughReexport::SEQUENCES.len() == OwnPath::SEQUENCES.len());
}
