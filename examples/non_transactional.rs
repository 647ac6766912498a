//! The scalable mode: the counter on its own, many callers at once, and what a failed insert leaves behind.

use std::collections::BTreeSet;

use mongo_sequence::AutoIncrement;
use mongod_fixture::Server;
use mongodb::{Client, Collection, IndexModel, bson::doc, options::IndexOptions};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Ticket {
    #[serde(rename = "_id")]
    #[auto_increment(start = 1000)]
    id: u32,
    email: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::get().await?;
    println!("{server}\n");
    let client = Client::with_uri_str(server.uri()).await?;
    let db = client.database("mongo_sequence_non_transactional");
    db.drop().await?;
    let tickets: Collection<Ticket> = db.collection("tickets");
    let unique = IndexOptions::builder().unique(true).build();
    tickets.create_index(IndexModel::builder().keys(doc! { "email": 1 }).options(unique).build()).await?;

    let tasks: Vec<_> = (0..8)
        .map(|n| {
            let tickets = tickets.clone();
            tokio::spawn(async move {
                let mut ticket = Ticket { id: 0, email: format!("{n}@example.org") };
                ticket.insert_with_seq(&tickets).await.map(|_| ticket.id)
            })
        })
        .collect();
    let mut numbers = BTreeSet::new();
    for task in tasks {
        numbers.insert(task.await??);
    }
    println!("eight tasks at once got {numbers:?}");

    let mut again = Ticket { id: 0, email: "0@example.org".to_owned() };
    match again.insert_with_seq(&tickets).await {
        Ok(_) => println!("the second ticket for this address was stored"),
        Err(error) => println!("a second ticket for one address is refused; burnt number: {:?}", error.number()),
    }

    let mut next = Ticket { id: 0, email: "next@example.org".to_owned() };
    next.insert_with_seq(&tickets).await?;
    println!("the next ticket is {}", next.id);
    println!("\nlook at: no number came twice, and the refused ticket left a gap");
    db.drop().await?;
    Ok(())
}
