use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    tenant: String,
    #[serde(rename = "_id")]
    #[auto_increment(scope(tenant))]
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Line {
    _id: String,
    #[auto_increment(scope(_id))]
    number: i64,
}

fn main() {}
