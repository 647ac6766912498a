use serde::Serialize;

#[derive(Serialize, mongo_sequence::AutoIncrement)]
#[auto_increment(crate = ::renamed)]
struct Order {
    #[auto_increment]
    id: i64,
}

fn main() {}
