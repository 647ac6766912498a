//! Numbers for every tenant and year, printed numbers, numbers that are brought along, and a whole batch at once.

use mongo_sequence::{AutoIncrement, GetOrInsert};
use mongod_fixture::Server;
use mongodb::{
    Client, Collection, IndexModel,
    bson::{doc, oid::ObjectId},
    options::IndexOptions,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Customer {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
    email: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
struct Invoice {
    tenant: String,
    year: i32,
    /// 1, 2, 3 … for each tenant and year, without gaps.
    #[auto_increment(scope(tenant, year), gapless)]
    number: u32,
    /// Over all tenants, as the archive knows it.
    #[auto_increment(format = archive_key)]
    archived_as: String,
    /// Taken over from the old system, or the next one.
    #[auto_increment(by_default)]
    ledger: Option<i64>,
}

fn archive_key(number: i64) -> String {
    format!("AR-{number:06}")
}

fn invoice(tenant: &str, year: i32, ledger: Option<i64>) -> Invoice {
    Invoice { tenant: tenant.to_owned(), year, number: 0, archived_as: String::new(), ledger }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::get().await?;
    println!("{server}\n");
    let client = Client::with_uri_str(server.uri()).await?;
    let db = client.database(&format!("mongo_sequence_scopes_{}", ObjectId::new()));
    let invoices: Collection<Invoice> = db.collection("invoices");
    Invoice::ensure_sequences(&invoices).await?; // unique indexes, once when the service starts

    let mut batch = [("acme", 2026), ("acme", 2026), ("apex", 2026), ("acme", 2027)].map(|(t, y)| invoice(t, y, None));
    Invoice::insert_many_with_seq(&mut batch, &invoices).await?;
    let mut taken_over = invoice("acme", 2026, Some(700));
    taken_over.insert_with_seq(&invoices).await?;
    let mut last = invoice("acme", 2026, None);
    last.insert_with_seq(&invoices).await?;
    for Invoice { tenant, year, number, archived_as, ledger } in batch.iter().chain([&taken_over, &last]) {
        println!("{tenant} {year}: invoice {number}, {archived_as}, ledger {}", ledger.unwrap_or_default());
    }
    let of_acme = Invoice::scoped_sequence(&invoices, "number", doc! { "tenant": "acme", "year": 2026 })?;
    println!("acme has {:?} invoices of 2026\n", of_acme.current_value().await?.unwrap_or_default());

    let customers: Collection<Customer> = db.collection("customers");
    let unique = IndexOptions::builder().unique(true).build();
    customers.create_index(IndexModel::builder().keys(doc! { "email": 1 }).options(unique).build()).await?;
    for email in ["a@example.org", "b@example.org", "a@example.org"] {
        let mut customer = Customer { id: 0, email: email.to_owned() };
        let known = customer.get_or_insert_with_seq(&customers, doc! { "email": email }).await? == GetOrInsert::Found;
        println!("{email} is customer {}{}", customer.id, if known { ", as before" } else { "" });
    }
    db.drop().await?;
    Ok(())
}
