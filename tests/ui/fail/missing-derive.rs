use mongo_sequence::AutoIncrement;
use mongodb::{Collection, bson::Document};
use serde::Serialize;

#[derive(Serialize)]
struct Plain {
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment]
    id: i64,
}

fn is_model<T: AutoIncrement>() {}

fn wrong_collection(order: &mut Order, documents: &Collection<Document>) {
    let _ = order.insert_with_seq(documents);
}

fn main() {
    is_model::<Plain>();
    let _ = wrong_collection;
}
