use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Item {
    #[auto_increment(by_default)]
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Envelope<N> {
    #[auto_increment(by_default)]
    number: N,
}

fn is_model<T: AutoIncrement>() {}

fn main() {
    is_model::<Envelope<Option<u32>>>();
    is_model::<Envelope<u32>>();
}
