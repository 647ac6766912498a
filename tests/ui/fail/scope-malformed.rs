use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    tenant: String,
    #[auto_increment(scope)]
    a: i64,
    #[auto_increment(scope())]
    b: i64,
    #[auto_increment(scope = tenant)]
    c: i64,
    #[auto_increment(scope = "tenant")]
    d: i64,
    #[auto_increment(scope("tenant"))]
    e: i64,
    #[auto_increment(scope(address.country))]
    f: i64,
}

fn main() {}
