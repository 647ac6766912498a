use mongo_sequence::{AutoIncrement, SequenceValue};
use serde::Serialize;

#[derive(Serialize, SequenceValue)]
struct Pair(i64, i64);

#[derive(Serialize, SequenceValue)]
enum Either {
    One(i64),
}

#[derive(Serialize, SequenceValue)]
#[auto_increment(counters = "numbers")]
struct Number(i64);

#[derive(Serialize, SequenceValue)]
struct Text(String);

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment]
    id: Pair,
    #[auto_increment]
    either: Either,
}

fn main() {}
