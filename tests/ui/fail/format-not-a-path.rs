use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Link {
    #[auto_increment(format = "slugs::base62")]
    a: String,
    #[auto_increment(format = |number| number.to_string())]
    b: String,
    #[auto_increment(format)]
    c: String,
    #[auto_increment(format = "INV-{:06}")]
    d: String,
    #[auto_increment(format(slug))]
    e: String,
}

fn main() {}
