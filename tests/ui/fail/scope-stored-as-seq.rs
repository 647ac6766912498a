use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    #[serde(rename = "seq")]
    tenant: String,
    #[serde(rename = "a.b")]
    dotted: String,
    #[serde(rename = "$year")]
    year: i32,
    #[auto_increment(scope(tenant, dotted, year))]
    number: i64,
}

fn main() {}
