use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    #[auto_increment]
    id: i64,
    #[auto_increment(scope(id))]
    number: i64,
    #[auto_increment(scope(itself))]
    itself: i64,
}

fn main() {}
