use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
enum Shape {
    Circle {
        #[auto_increment]
        id: i64,
    },
}

#[derive(AutoIncrement)]
union Bits {
    id: i64,
    bytes: [u8; 8],
}

#[derive(Serialize, AutoIncrement)]
struct OrderId(#[auto_increment] i64);

#[derive(Serialize, AutoIncrement)]
struct Nothing;

fn is_model<T: AutoIncrement>() {}

fn main() {
    // no second report for a use of the model
    is_model::<Shape>();
    is_model::<OrderId>();
}
