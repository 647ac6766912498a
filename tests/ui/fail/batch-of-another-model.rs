use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Order {
    #[auto_increment]
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    #[auto_increment]
    id: i64,
}

async fn insert(orders: mongodb::Collection<Order>) -> mongo_sequence::Result<()> {
    let mut batch = vec![Invoice { id: 0 }];
    Invoice::insert_many_with_seq(&mut batch, &orders).await?;
    Ok(())
}

fn main() {}
