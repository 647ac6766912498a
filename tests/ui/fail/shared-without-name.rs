use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Letter {
    #[auto_increment(shared)]
    id: i64,
    #[auto_increment(name = "documents", shared("letters"))]
    number: i64,
}

fn main() {}
