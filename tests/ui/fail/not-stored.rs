use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize)]
struct Numbers {
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[serde(skip)]
    #[auto_increment]
    id: i64,
    #[auto_increment]
    #[serde(rename = "n", skip_serializing)]
    number: i64,
    #[serde(flatten)]
    #[auto_increment]
    numbers: Numbers,
}

fn main() {}
