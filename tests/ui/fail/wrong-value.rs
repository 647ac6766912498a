use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = numbers, value_field = b"value")]
struct Order {
    #[auto_increment(start = "5", step = "five", max = 1.5, min = true, name = concat!("a", "b"), gapless = false)]
    id: i64,
    #[auto_increment(start = 5u32, max = 9_223_372_036_854_775_808, min = -9_223_372_036_854_775_809, step = 'a')]
    number: i64,
}

fn main() {}
