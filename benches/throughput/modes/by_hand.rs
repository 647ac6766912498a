//! What applications write without the library.

use mongodb::{
    Client, ClientSession, Collection, Database,
    bson::{Document, doc},
    options::ReturnDocument,
};

use super::{Order, item};
use crate::Result;

/// A counter and a collection.
#[derive(Clone, Debug)]
pub(crate) struct ByHand {
    client: Client,
    counters: Collection<Document>,
    counter: String,
    orders: Collection<Order>,
}

impl ByHand {
    pub(crate) fn new(client: &Client, db: &Database, collection: &str) -> Self {
        Self {
            client: client.clone(),
            counters: db.collection("sequences"),
            counter: format!("{collection}._id"),
            orders: db.collection(collection),
        }
    }

    /// Takes a number, then inserts: a failure between them leaves a gap.
    pub(crate) async fn two_commands(&self) -> Result<i64> {
        let id = self.next(None).await?;
        self.orders.insert_one(Order { id, item: item() }).await?;
        Ok(id)
    }

    /// Both in one transaction, which is run again after a conflict.
    pub(crate) async fn gapless(&self) -> Result<i64> {
        let mut session = self.client.start_session().await?;
        let by_hand = self.clone(); // a closure that borrows it would make no `Send` future
        let inserted = session.start_transaction().and_run2(async move |session| {
            let id = by_hand.next(Some(&mut *session)).await?;
            by_hand.orders.insert_one(Order { id, item: item() }).session(session).await?;
            Ok(id)
        });
        Ok(inserted.await?)
    }

    /// The number alone. The client writes with majority.
    pub(crate) async fn next(&self, session: Option<&mut ClientSession>) -> mongodb::error::Result<i64> {
        let take = self
            .counters
            .find_one_and_update(doc! { "_id": &self.counter }, doc! { "$inc": { "seq": 1_i64 } })
            .upsert(true)
            .return_document(ReturnDocument::After);
        let counter = match session {
            Some(session) => take.session(session).await?,
            None => take.await?,
        };
        let number = counter.and_then(|counter| counter.get_i64("seq").ok());
        number.ok_or_else(|| mongodb::error::Error::custom("the counter has no number".to_owned()))
    }
}
