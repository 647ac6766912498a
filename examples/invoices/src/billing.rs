//! An order becomes an invoice and an entry in the ledger, both or neither.

use mongo_sequence::{AutoIncrement, Error, Result};
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize};

use crate::invoice::Invoice;

/// What was ordered.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) id: i64,
    pub(crate) tenant: String,
    pub(crate) year: i32,
    pub(crate) customer: String,
    pub(crate) cents: i64,
}

/// What a customer owes a tenant, and the invoices it comes from.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Account {
    #[serde(rename = "_id")]
    pub(crate) id: AccountId,
    pub(crate) owed: i64,
    pub(crate) limit: i64,
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct AccountId {
    pub(crate) tenant: String,
    pub(crate) customer: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) invoice: String,
    pub(crate) cents: i64,
}

/// What has become of an order.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The transaction was run so many times: once, and again for every conflict with another one.
    Invoiced { invoice: Invoice, runs: u32 },
    /// By an earlier run of this program.
    Before,
    /// The customer would owe too much. What the transaction had written, the number too, was rolled back.
    OverLimit,
}

/// Why a transaction is given up.
#[derive(Debug)]
struct OverLimit;

/// The collections, and the client whose transactions span them.
#[derive(Clone, Debug)]
pub(crate) struct Books {
    pub(crate) client: Client,
    pub(crate) invoices: Collection<Invoice>,
    pub(crate) ledger: Collection<Account>,
}

impl Books {
    /// Makes the unique indexes that the numbers need, if they are not there.
    pub(crate) async fn open(database: &Database) -> Result<Self> {
        let books = Self {
            client: database.client().clone(),
            invoices: database.collection("invoices"),
            ledger: database.collection("ledger"),
        };
        Invoice::ensure_sequences(&books.invoices).await?;
        Ok(books)
    }

    /// Opens an account, if there is none.
    pub(crate) async fn open_account(&self, tenant: &str, customer: &str, limit: i64) -> Result<()> {
        let account = doc! { "_id": { "tenant": tenant, "customer": customer } };
        let empty = doc! { "$setOnInsert": { "owed": 0_i64, "limit": limit, "entries": [] } };
        self.ledger.update_one(account, empty).upsert(true).await?;
        Ok(())
    }

    /// One transaction. `and_run2` runs it again, with a fresh number, if it met another one at the counter or the account,
    /// and gives it up at any other error.
    pub(crate) async fn bill(&self, order: &Order) -> Result<Outcome> {
        let (books, order, mut runs) = (self.clone(), order.clone(), 0);
        let mut session = self.client.start_session().await?;
        let transaction = session.start_transaction().and_run2(async move |session| {
            runs += 1;
            let Order { id, tenant, year, customer, cents } = order.clone();
            let mut invoice = Invoice { order: id, tenant, year, number: 0, customer, cents };
            // the number first: whoever waits for it has nothing to lose yet
            invoice.insert_with_seq(&books.invoices).session(&mut *session).await?;
            let booked = books.ledger.update_one(within_limit(&invoice), entry(&invoice)).session(session).await?;
            if booked.matched_count == 0 {
                return Err(mongodb::error::Error::custom(OverLimit));
            }
            Ok(Outcome::Invoiced { invoice, runs })
        });
        match transaction.await {
            Ok(invoiced) => Ok(invoiced),
            Err(error) if error.get_custom::<OverLimit>().is_some() => Ok(Outcome::OverLimit),
            Err(error) => match Error::from(error) {
                error if error.is_duplicate_key() => Ok(Outcome::Before),
                error => Err(error),
            },
        }
    }
}

/// The account of an invoice, if it can take it.
fn within_limit(invoice: &Invoice) -> Document {
    doc! {
        "_id": { "tenant": &invoice.tenant, "customer": &invoice.customer },
        "$expr": { "$lte": [{ "$add": ["$owed", invoice.cents] }, "$limit"] },
    }
}

fn entry(invoice: &Invoice) -> Document {
    let entry = doc! { "invoice": invoice.text(), "cents": invoice.cents };
    doc! { "$inc": { "owed": invoice.cents }, "$push": { "entries": entry } }
}
