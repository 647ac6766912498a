use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment(start = 10, max = 9)]
    above: i64,
    #[auto_increment(start = -10, min = -9)]
    below: i64,
    #[auto_increment(step = -1, max = -1)]
    first: i64,
    #[auto_increment(min = 10, max = 5)]
    exchanged: i64,
}

const LIMIT: i64 = 5_000_000_000;

#[derive(Serialize, AutoIncrement)]
struct TooLarge {
    #[auto_increment(max = LIMIT)]
    id: i32,
}

#[derive(Serialize, AutoIncrement)]
struct TooFar {
    #[auto_increment(start = 5000000000)]
    id: i32,
}

#[derive(Serialize, AutoIncrement)]
struct Negative {
    #[auto_increment(start = -1)]
    id: u32,
}

#[derive(Serialize, AutoIncrement)]
struct Unsigned {
    #[auto_increment(start = u32::MAX)]
    id: u32,
}

fn main() {}
