use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment(name = "numbers")]
    id: i64,
    #[auto_increment(name = "numbers")]
    number: i64,
    #[serde(rename = "id")]
    #[auto_increment]
    stored: i64,
}

fn main() {}
