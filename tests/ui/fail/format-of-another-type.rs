use mongo_sequence::AutoIncrement;
use serde::Serialize;

fn narrow(number: i32) -> String {
    number.to_string()
}

fn borrowed(_: i64) -> &'static str {
    ""
}

#[derive(Serialize, AutoIncrement)]
struct Narrow {
    #[auto_increment(format = narrow)]
    slug: String,
}

#[derive(Serialize, AutoIncrement)]
struct Borrowed {
    #[auto_increment(format = borrowed)]
    slug: String,
}

#[derive(Serialize, AutoIncrement)]
struct Missing {
    #[auto_increment(format = missing)]
    slug: String,
}

fn main() {}
