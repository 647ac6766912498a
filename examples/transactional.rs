//! The gapless mode in transactions of your own: several writers, conflicts repeated by the driver, one rollback.

use mongo_sequence::AutoIncrement;
use mongod_fixture::Server;
use mongodb::{
    Client, Collection,
    bson::{Document, doc},
    error::Error,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Invoice {
    #[serde(rename = "_id")]
    #[auto_increment(gapless)]
    number: i64,
    cents: i64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::get().await?;
    println!("{server}\n");
    let client = Client::with_uri_str(server.uri()).await?;
    let db = client.database("mongo_sequence_transactional");
    db.drop().await?;
    let invoices: Collection<Invoice> = db.collection("invoices");
    let accounts: Collection<Document> = db.collection("accounts");
    accounts.insert_one(doc! { "_id": 1, "cents": 0_i64 }).await?;

    // A task per transaction: whoever stops waiting for one leaves it whole. `and_run2` runs a transaction again that
    // met another at the counter, with a fresh number.
    let tasks: Vec<_> = (1..=6)
        .map(|cents| {
            let (client, invoices, accounts) = (client.clone(), invoices.clone(), accounts.clone());
            tokio::spawn(async move {
                let mut session = client.start_session().await?;
                session
                    .start_transaction()
                    .and_run2(async move |session| {
                        let mut invoice = Invoice { number: 0, cents };
                        invoice.insert_with_seq(&invoices).session(&mut *session).await?;
                        if cents == 3 {
                            return Err(Error::custom("the customer changed their mind"));
                        }
                        let booking = doc! { "$inc": { "cents": cents } };
                        accounts.update_one(doc! { "_id": 1 }, booking).session(session).await?;
                        Ok(invoice.number)
                    })
                    .await
            })
        })
        .collect();
    let mut numbers = Vec::new();
    for (cents, task) in (1..).zip(tasks) {
        match task.await? {
            Ok(number) => numbers.push(number),
            Err(error) => println!("invoice over {cents} cents rolled back: {:?}", error.get_custom::<&str>()),
        }
    }
    numbers.sort_unstable();
    let booked = accounts.find_one(doc! { "_id": 1 }).await?.and_then(|account| account.get_i64("cents").ok());
    println!("invoices {numbers:?}, booked {} cents", booked.unwrap_or_default());
    println!(
        "\nlook at: five invoices are numbered 1 to 5, although six transactions took numbers and one was rolled back"
    );
    db.drop().await?;
    Ok(())
}
