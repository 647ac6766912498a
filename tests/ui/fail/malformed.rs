use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
#[auto_increment = "numbers"]
struct Order {
    #[auto_increment = 5]
    id: i64,
    #[auto_increment[start = 5]]
    brackets: i64,
    #[auto_increment(start = 5 step = 2 gapless)]
    commas: i64,
    #[auto_increment(start = 5; gapless, step = 0)]
    semicolon: i64,
    #[auto_increment(start = , step =, max, name, gapless = true, gapless())]
    values: i64,
    #[auto_increment(start(5), name("orders"), max())]
    lists: i64,
    #[auto_increment(start: 5, step 2, gapless;)]
    signs: i64,
}

fn main() {}
