use mongo_sequence::AutoIncrement;
use serde::Serialize;

#[derive(Serialize, AutoIncrement)]
struct Customer {
    #[auto_increment]
    id: i64,
}

async fn find(customers: mongodb::Collection<Customer>) -> mongo_sequence::Result<()> {
    let mut customer = Customer { id: 0 };
    customer.get_or_insert_with_seq(&customers, mongodb::bson::doc! {}).await?;
    Ok(())
}

fn main() {}
