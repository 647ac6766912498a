//! The ways to insert, side by side in every client process, each into a collection of its own.

use std::future::IntoFuture;

use mongo_sequence::{AutoIncrement, Error, ErrorKind, SequencedCollection};
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
    options::{CollectionOptions, ReturnDocument, WriteConcern},
};
use serde::{Deserialize, Serialize};

use crate::log::Outcome;

/// How many numbers a process reserves ahead in the way with blocks.
pub const BLOCK: u32 = 50;
/// How many documents a batch has.
pub const BATCH: usize = 10;

/// A document.
#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
pub struct Numbered {
    /// Of the one call that brings it.
    pub token: i64,
    /// Its number.
    #[auto_increment]
    pub number: i64,
}

/// A way to insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The counter on its own.
    Plain,
    /// Many documents with one call.
    Batch,
    /// Callers of a process share commands.
    Combined,
    /// Numbers reserved ahead.
    Blocks,
    /// In a transaction of the library's.
    Gapless,
    /// In transactions of the library's that callers share.
    GaplessGroups,
    /// In a transaction of the caller's, that writes something else, too.
    GaplessByCaller,
    /// What the library never does: a counter whose write nobody but the primary has to know.
    WeakByHand,
}

impl Way {
    /// All that keep the promise.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Batch,
        Self::Combined,
        Self::Blocks,
        Self::Gapless,
        Self::GaplessGroups,
        Self::GaplessByCaller,
    ];

    /// Its collection.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Batch => "batch",
            Self::Combined => "combined",
            Self::Blocks => "blocks",
            Self::Gapless => "gapless",
            Self::GaplessGroups => "gapless_groups",
            Self::GaplessByCaller => "gapless_by_caller",
            Self::WeakByHand => "weak_by_hand",
        }
    }

    /// The way of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::WeakByHand]).find(|way| way.name() == name)
    }

    /// Whether no number may be missing.
    #[must_use]
    pub fn is_gapless(self) -> bool {
        matches!(self, Self::Gapless | Self::GaplessGroups | Self::GaplessByCaller)
    }

    /// Its documents, which are acknowledged by a majority.
    #[must_use]
    pub fn documents(self, database: &Database) -> Collection<Numbered> {
        let options = CollectionOptions::builder().write_concern(WriteConcern::majority()).build();
        database.collection_with_options(self.name(), options)
    }
}

/// A way, ready to insert.
#[derive(Clone, Debug)]
pub struct Inserter {
    way: Way,
    documents: Collection<Numbered>,
    shared: SequencedCollection<Numbered>,
}

impl Inserter {
    /// In this database.
    #[must_use]
    pub fn new(way: Way, database: &Database) -> Self {
        let documents = way.documents(database);
        let shared = SequencedCollection::builder(documents.clone());
        let shared = if way == Way::Blocks { shared.block_size(BLOCK) } else { shared };
        Self { way, documents, shared: shared.build() }
    }

    /// How many documents one call inserts.
    #[must_use]
    pub fn batch(&self) -> usize {
        if self.way == Way::Batch { BATCH } else { 1 }
    }

    /// Inserts a document for each token, and tells what is known of each then.
    pub async fn insert(&self, tokens: &[i64]) -> Vec<Outcome> {
        let mut new: Vec<_> = tokens.iter().map(|&token| Numbered { token, number: 0 }).collect();
        let done = match self.way {
            Way::Batch => Numbered::insert_many_with_seq(&mut new, &self.documents).into_future().await.map(drop),
            Way::Plain => new[0].insert_with_seq(&self.documents).into_future().await.map(drop),
            Way::Combined | Way::Blocks => new[0].insert_with_seq(&self.shared).into_future().await.map(drop),
            Way::Gapless => new[0].insert_with_seq(&self.documents).gapless().into_future().await.map(drop),
            Way::GaplessGroups => new[0].insert_with_seq(&self.shared).gapless().into_future().await.map(drop),
            Way::GaplessByCaller => self.in_a_transaction(&mut new[0]).await.map_err(Error::from),
            Way::WeakByHand => self.by_hand(&mut new[0]).await.map_err(Error::from),
        };
        match done {
            Ok(()) => new.iter().map(|stored| Outcome::Stored(stored.number)).collect(),
            Err(error) => new.iter().enumerate().map(|(at, new)| outcome(&error, at, new.number)).collect(),
        }
    }

    /// Waits for what is under way.
    pub async fn finish(self) {
        self.shared.shutdown().await;
    }

    fn client(&self) -> &Client {
        self.documents.client()
    }

    async fn in_a_transaction(&self, new: &mut Numbered) -> mongodb::error::Result<()> {
        let (documents, token) = (self.documents.clone(), new.token);
        let ledger = self.ledger();
        let mut session = self.client().start_session().await?;
        let transaction = session.start_transaction().write_concern(WriteConcern::majority());
        new.number = transaction
            .and_run2(async move |session| {
                let mut new = Numbered { token, number: 0 };
                new.insert_with_seq(&documents).session(&mut *session).gapless().await?;
                ledger.insert_one(doc! { "_id": token, "number": new.number }).session(session).await?;
                Ok(new.number)
            })
            .await?;
        Ok(())
    }

    fn ledger(&self) -> Collection<Document> {
        ledger(self.documents.client(), &self.documents.namespace().db)
    }

    /// The counter as many write it by hand.
    async fn by_hand(&self, new: &mut Numbered) -> mongodb::error::Result<()> {
        let weak = WriteConcern::builder().w(mongodb::options::Acknowledgment::Nodes(1)).build();
        let database = self.client().database(&self.documents.namespace().db);
        let counters = database.collection::<Document>("sequences");
        let next = counters
            .find_one_and_update(doc! { "_id": "weak_by_hand.number" }, doc! { "$inc": { "seq": 1_i64 } })
            .upsert(true)
            .return_document(ReturnDocument::After)
            .write_concern(weak);
        let counter = next.await?.and_then(|counter| counter.get_i64("seq").ok());
        new.number = counter.ok_or_else(|| mongodb::error::Error::custom("the counter is gone"))?;
        self.documents.insert_one(&*new).await.map(drop)
    }
}

/// What else the callers' transactions write: one document for each of theirs.
#[must_use]
pub fn ledger(client: &Client, database: &str) -> Collection<Document> {
    client.database(database).collection("ledger")
}

/// What an error says of one document of the call, which holds this number now.
fn outcome(error: &Error, at: usize, number: i64) -> Outcome {
    // of a batch it is that of one of them
    let burnt = error.number().filter(|_| at == 0);
    match error.kind() {
        ErrorKind::Incomplete { inserted, .. } if inserted.contains(&at) => Outcome::Stored(number),
        ErrorKind::Incomplete { not_inserted, .. } if not_inserted.contains(&at) => Outcome::Refused(None),
        ErrorKind::NotRaised { number, .. } => Outcome::Stored(*number),
        ErrorKind::Driver | ErrorKind::UnknownOutcome { .. } => Outcome::Unknown(burnt),
        ErrorKind::Incomplete { .. } => Outcome::Unknown(None),
        _ => Outcome::Refused(burnt),
    }
}
