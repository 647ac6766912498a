//! Numbers in every mode, on a small table: `cargo run --example quickstart`.

use mongo_sequence::AutoIncrement;
use mongod_fixture::Server;
use mongodb::{Client, Collection, bson::doc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Order {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
    item: String,
}

fn order(item: &str) -> Order {
    Order { id: 0, item: item.to_owned() }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::get().await?;
    println!("{server}\n");
    let client = Client::with_uri_str(server.uri()).await?;
    let db = client.database("mongo_sequence_quickstart");
    db.drop().await?;
    db.create_collection("orders").await?;
    let orders: Collection<Order> = db.collection("orders");
    let mut session = client.start_session().await?;
    let row = |call: &str, number: i64, outcome: &str| println!("{call:<54} {number:>6}  {outcome}");
    println!("{:<54} {:>6}  outcome", "call", "number");

    let mut tea = order("tea");
    tea.insert_with_seq(&orders).await?;
    row("insert_with_seq(&orders)", tea.id, "stored");

    let mut lost = order("lost");
    session.start_transaction().await?;
    lost.insert_with_seq(&orders).session(&mut session).await?;
    session.abort_transaction().await?;
    row("insert_with_seq(&orders).session(&mut s)", lost.id, "rolled back: a gap");

    let mut milk = order("milk");
    session.start_transaction().await?;
    milk.insert_with_seq(&orders).session(&mut session).await?;
    session.commit_transaction().await?;
    row("insert_with_seq(&orders).session(&mut s)", milk.id, "committed");

    let mut lost = order("lost");
    session.start_transaction().await?;
    lost.insert_with_seq(&orders).session(&mut session).gapless().await?;
    session.abort_transaction().await?;
    row("insert_with_seq(&orders).session(&mut s).gapless()", lost.id, "rolled back: no gap");

    let mut salt = order("salt");
    salt.insert_with_seq(&orders).gapless().await?;
    row("insert_with_seq(&orders).gapless()", salt.id, "stored");

    let mut stored = orders.find(doc! {}).sort(doc! { "_id": 1 }).await?;
    let mut numbers = Vec::new();
    while stored.advance().await? {
        numbers.push(stored.deserialize_current()?.id.to_string());
    }
    println!("\nstored orders: {}", numbers.join(", "));
    db.drop().await?;
    Ok(())
}
