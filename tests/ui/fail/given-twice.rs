use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "a", counters = "b")]
#[auto_increment(crate = ::mongo_sequence)]
#[auto_increment(crate = ::mongo_sequence)]
struct Order {
    #[auto_increment(start = 1, start = 2, gapless, gapless)]
    id: i64,
    #[auto_increment(name = "numbers")]
    #[auto_increment(name = "other")]
    number: i64,
    // the first is wrong, the second is still the second
    #[auto_increment(step = "x", step = 5)]
    step: i64,
}

fn main() {}
