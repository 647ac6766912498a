use mongo_sequence::{AutoIncrement, Result};
use mongodb::{ClientSession, Collection};
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment]
    id: i64,
}

// a session runs one command after the other
async fn both(a: &mut Order, b: &mut Order, orders: &Collection<Order>, session: &mut ClientSession) -> Result<()> {
    let first = a.insert_with_seq(orders).session(&mut *session);
    let second = b.insert_with_seq(orders).session(&mut *session);
    first.await?;
    second.await?;
    Ok(())
}

fn main() {
    let _ = both;
}
