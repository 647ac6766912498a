use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "", value_field = "")]
struct Empty {
    #[auto_increment(name = "")]
    id: i64,
    #[serde(rename = "")]
    #[auto_increment]
    number: i64,
}

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "system.numbers", value_field = "_id")]
struct Reserved {
    #[serde(rename = "$id")]
    #[auto_increment]
    id: i64,
    #[serde(rename(serialize = "a.b", deserialize = "b"))]
    #[auto_increment]
    number: i64,
}

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "my$numbers", value_field = "$seq")]
struct Dollar {
    #[auto_increment]
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
#[auto_increment(counters = "a\0b", value_field = "a.b")]
struct Nul {
    #[auto_increment(name = "\0")]
    id: i64,
    #[serde(rename = "n\0")]
    #[auto_increment]
    number: i64,
}

fn main() {}
