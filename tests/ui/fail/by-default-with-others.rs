use mongo_sequence::AutoIncrement;
use serde::Serialize;

fn slug(number: i64) -> Option<String> {
    Some(number.to_string())
}

#[derive(Serialize, AutoIncrement)]
struct Item {
    #[auto_increment(by_default, gapless)]
    id: Option<i64>,
    #[auto_increment(format = slug, by_default)]
    slug: Option<String>,
    #[auto_increment(by_default = true)]
    number: Option<i64>,
}

fn main() {}
