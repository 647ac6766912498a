use mongo_sequence::AutoIncrement;
use serde::Serialize;

const ZERO: i64 = 0;

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment(step = 0)]
    id: i64,
    #[auto_increment(step = -(0x0_i64))]
    number: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Const {
    #[auto_increment(step = ZERO)]
    id: i64,
}

fn main() {}
