use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    tenant: String,
    year: i32,
    #[auto_increment(scope(tennant, year))]
    number: i64,
    #[auto_increment(scope(country))]
    other: i64,
    #[auto_increment(scope(year, tenant, year))]
    twice: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Alone {
    #[auto_increment(scope(id))]
    number: i64,
}

fn main() {}
