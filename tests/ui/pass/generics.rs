//! Lifetimes, type and const parameters, defaults and where-clauses.
#![deny(warnings)]

use std::{borrow::Cow, fmt::Debug};

use mongo_sequence::{AutoIncrement, SequenceValue};
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Borrows<'a> {
    #[auto_increment]
    id: i64,
    name: &'a str,
    note: Cow<'a, str>,
}

#[derive(Serialize, AutoIncrement)]
struct Envelope<N, P = String>
where
    P: Debug,
{
    #[auto_increment]
    id: N,
    #[auto_increment(start = 10)]
    other: N,
    payload: P,
}

trait Document {
    type Number: SequenceValue;
}

#[derive(Serialize, AutoIncrement)]
#[serde(bound = "")]
struct Projected<D: Document + ?Sized> {
    #[auto_increment]
    id: D::Number,
}

#[derive(Serialize, AutoIncrement)]
struct Consts<const FIRST: i64, T: Default + Copy, const RANGE: i64 = 2> {
    #[auto_increment(start = FIRST, max = FIRST + RANGE)]
    id: i64,
    value: T,
}

struct Orders;
impl Document for Orders {
    type Number = u32;
}

fn is_model<T: AutoIncrement>() -> usize {
    T::SEQUENCES.len()
}

fn main() {
    assert_eq!(is_model::<Envelope<i32>>(), 2);
    assert_eq!(is_model::<Envelope<u64, Vec<u8>>>(), 2);
    assert_eq!(is_model::<Projected<Orders>>(), 1);
    assert_eq!(is_model::<Consts<1000, u8>>(), 1);

    let mut borrows = Borrows { id: 0, name: "a", note: "b".into() };
    assert_eq!(borrows.__with(&[Some(7)], &mut |_| true), Some(()));
    assert_eq!((borrows.id, borrows.name, &*borrows.note), (7, "a", "b"));
}
