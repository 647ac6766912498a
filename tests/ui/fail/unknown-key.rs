use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counter = "numbers", valuefield = "value", gapless, colour = "red")]
struct Order {
    #[auto_increment(strat = 5, Step = 2, counters = "numbers", value_fields = "value", prefix = "INV-")]
    id: i64,
    #[auto_increment(gapfree, path::key = 1, "orders", 5)]
    number: i64,
}

fn main() {}
