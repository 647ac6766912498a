use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Reading {
    level: f64,
    place: Option<(i32, i32)>,
    tags: Vec<String>,
    digits: [u8; 4],
    kind: String,
    #[auto_increment(scope(level, place, tags, digits, kind))]
    number: i64,
}

fn main() {}
