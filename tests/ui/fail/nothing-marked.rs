use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Order {
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Empty {}

// the mark is on the struct
#[derive(Serialize, AutoIncrement)]
#[auto_increment]
struct Marked {
    #[auto_increment]
    id: i64,
}

fn main() {}
