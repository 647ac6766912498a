use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "system.numbers", value_feild = "value", start = 5)]
struct Order {
    #[auto_increment]
    id: String,
    #[auto_increment(strat = 5, step = 0, gapless = true, name = "")]
    number: i32,
    #[serde(skip)]
    #[auto_increment(max = 5, max = 6)]
    skipped: i64,
    #[auto_increment(start = 10, max = 9)]
    limited: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Generic<'a, T: Default, const N: usize>
where
    T: Clone,
{
    #[auto_increment(step = 0)]
    id: T,
    #[auto_increment]
    name: &'a str,
    tags: Option<T>,
}

fn is_model<T: AutoIncrement>() {}

fn main() {
    // no second report for a use of the model
    is_model::<Order>();
    is_model::<Generic<'_, i64, 3>>();
}
