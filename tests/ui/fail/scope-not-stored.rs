use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize)]
struct Address {
    country: String,
}

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    #[serde(flatten)]
    address: Address,
    #[serde(skip)]
    year: i32,
    #[auto_increment(scope(address, year))]
    number: i64,
}

fn main() {}
