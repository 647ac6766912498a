use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment]
    id: String,
    #[auto_increment(start = 10)]
    number: std::vec::Vec<i64>,
    #[auto_increment]
    right: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Generic<T> {
    #[auto_increment]
    id: f64,
    payload: T,
}

fn is_model<T: AutoIncrement>() {}

fn main() {
    // no second report for a use of the model
    is_model::<Order>();
}
