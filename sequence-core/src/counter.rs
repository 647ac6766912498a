//! The counter document: the only place that writes it.
//!
//! `{_id: <key>, seq: <the last number handed out>}`. Numbers are taken by a pipeline that looks at the value itself, and
//! never by an upsert, so that a document which is no counter, or one that has reached its limit, is not touched.

mod advance;
mod inside;
mod origin;
mod repeat;
mod verdict;

use std::time::Duration;

use mongodb::{
    Client, ClientSession, Collection, Database,
    bson::{Bson, Document, doc},
    options::{FindOneAndUpdateOptions, UpdateModifications, WriteConcern},
};

use self::repeat::{once, repeated};
pub(crate) use self::{origin::Origin, verdict::MAX_TIME_EXPIRED};
use crate::{
    Result, capability,
    data::as_it_is_now,
    definition::Progression,
    detach::Detached,
    document::Verbatim,
    duplicate::DUPLICATE_KEY,
    error::server_code,
    number::{self, Number},
    observe::{Mode, Observed},
};

/// The time limit of one counter command. Well under 10 s: a command that waits for somebody's open transaction holds a
/// connection of the pool that the holder may need.
pub(crate) const COMMAND_TIME: Duration = Duration::from_secs(5);
/// Anything shorter would be sent as `maxTimeMS: 0`, which means no limit.
pub(crate) const SHORTEST_TIME: Duration = Duration::from_millis(1);
/// How often a counter that is missing again may be created within one call.
pub(crate) const CREATIONS: usize = 8;
/// The field of a counter document that says that numbers were reserved in blocks. Some of them may be handed out at any
/// time, also when the counter has been lowered.
pub(crate) const BLOCKS: &str = "blocks";

/// One counter and what is known about its sequence.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    collection: Collection<Verbatim>,
    key: Bson,
    field: String,
    pub(crate) progression: Progression,
    pub(crate) origin: Origin,
    pub(crate) observed: Observed,
    command_time: Duration,
    comment: Option<Bson>,
}

/// What a look at the counter finds.
#[derive(Debug)]
pub(crate) enum State {
    Missing,
    At(Number),
    /// Not a number: what is there instead.
    Corrupt(String),
}

impl Counter {
    pub(crate) fn new(
        database: &Database,
        collection: &str,
        key: Bson,
        field: &str,
        progression: Progression,
        origin: Origin,
    ) -> Self {
        // Set here once, so that no command can inherit anything weaker from client or database. The driver leaves
        // these out by itself inside a transaction, where the transaction's own apply.
        let mut options = as_it_is_now();
        options.write_concern = Some(WriteConcern::majority());
        Self {
            collection: database.collection_with_options(collection, options),
            observed: Observed::new(name_of(&key)),
            key,
            field: field.to_owned(),
            progression,
            origin,
            command_time: COMMAND_TIME,
            comment: None,
        }
    }

    pub(crate) fn with_limits(mut self, time_limit: Option<Duration>, comment: Option<&Bson>) -> Self {
        self.command_time = time_limit.map_or(COMMAND_TIME, |limit| limit.clamp(SHORTEST_TIME, COMMAND_TIME));
        self.comment = comment.cloned();
        self
    }

    /// The same for numbers that go another way.
    pub(crate) fn in_mode(mut self, mode: Mode) -> Self {
        self.observed.set_mode(mode);
        self
    }

    /// The name that errors use.
    pub(crate) fn name(&self) -> String {
        match &self.key {
            Bson::String(name) => name.clone(),
            other => other.to_string(),
        }
    }

    pub(crate) fn client(&self) -> &Client {
        self.collection.client()
    }

    pub(crate) fn collection(&self) -> &Collection<Verbatim> {
        &self.collection
    }

    /// The field that holds the value.
    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    pub(crate) fn key(&self) -> &Bson {
        &self.key
    }

    /// After a miss: creates a missing counter, or returns why there is no number.
    pub(crate) async fn settle_miss(&self, n: u64) -> Result<()> {
        if self.is_missing(n).await? { self.create().await } else { Ok(()) }
    }

    /// After a miss: whether the counter is missing, or else why there is no number. It may have room by now.
    pub(crate) async fn is_missing(&self, n: u64) -> Result<bool> {
        match self.read(None).await? {
            State::Missing => Ok(true),
            State::At(number) => self.check_room(number, n).map(|()| false),
            State::Corrupt(found) => Err(self.corrupt(found)),
        }
    }

    /// Creates the counter where the data says it stands. Harmless when another got there first.
    ///
    /// This alone creates counters, outside any transaction. The filter is the plain key, for which the server itself
    /// repeats an upsert that lost the race for the unique index.
    pub(crate) async fn create(&self) -> Result<()> {
        self.check_creation().await?;
        self.insert(self.seed().await?).await
    }

    async fn create_at(&self, seed: i64) -> Result<()> {
        self.check_creation().await?;
        self.insert(seed).await
    }

    /// Refuses collections in which counters or numbers have no place.
    async fn check_creation(&self) -> Result<()> {
        if let Some(data) = self.origin.data() {
            capability::check_model(data.collection()).await?;
        }
        capability::check_counters(&self.collection).await
    }

    async fn insert(&self, seed: i64) -> Result<()> {
        let mut options = FindOneAndUpdateOptions::default();
        options.upsert = Some(true);
        let change = || (self.by_key(), doc! { "$setOnInsert": { &self.field: seed } });
        match self.modify(change, options).await {
            // a server that does not repeat it: another was first
            Err(error) if is_duplicate_id(&error) => Ok(()),
            Err(error) => Err(self.waited_in_vain(error)),
            Ok(Some(_)) => Ok(()),
            Ok(None) => {
                self.observed.created(seed, self.progression.seed(None) != Some(seed));
                Ok(())
            }
        }
    }

    /// Moves the counter to `to` if it lies behind; tells whether it moved.
    pub(crate) async fn raise(&self, to: i64) -> Result<bool> {
        for _ in 0..CREATIONS {
            let raised = self.modify(|| self.raising(to), FindOneAndUpdateOptions::default()).await;
            if raised.map_err(|error| self.waited_in_vain(error))?.is_some() {
                return Ok(true);
            }
            match self.read(None).await? {
                State::Missing => self.create().await?,
                State::At(_) => return Ok(false),
                State::Corrupt(found) => return Err(self.corrupt(found)),
            }
        }
        Err(self.removed_again())
    }

    /// Sets the counter to `to`, unless it has left `from` meanwhile; tells whether it did.
    pub(crate) async fn replace(&self, from: i64, to: i64) -> Result<bool> {
        let change = || (doc! { "_id": &self.key, &self.field: from }, doc! { "$set": { &self.field: to } });
        let replaced = self.modify(change, FindOneAndUpdateOptions::default()).await;
        Ok(replaced.map_err(|error| self.waited_in_vain(error))?.is_some())
    }

    /// Changes the counter outside any transaction, with one command, and returns what it was before.
    async fn modify<U: Into<UpdateModifications>>(
        &self,
        change: impl Fn() -> (Document, U),
        mut options: FindOneAndUpdateOptions,
    ) -> mongodb::error::Result<Option<Verbatim>> {
        options.max_time = Some(self.command_time);
        let send = || {
            let (collection, options, (filter, update)) = (self.collection.clone(), options.clone(), change());
            let update = update.into();
            Detached::new(async move { collection.find_one_and_update(filter, update).with_options(options).await })
        };
        repeated(&self.observed, send).await
    }

    /// Whether numbers were ever reserved in blocks.
    pub(crate) async fn gave_blocks(&self) -> Result<bool> {
        if self.field == BLOCKS {
            return Ok(false);
        }
        let marked = doc! { "_id": &self.key, BLOCKS: { "$exists": true } };
        let find = self.collection.find_one(marked).projection(doc! { "_id": 1 });
        Ok(once(&self.observed, find.max_time(self.command_time)).await?.is_some())
    }

    /// What the counter document holds; from the primary.
    pub(crate) async fn read(&self, session: Option<&mut ClientSession>) -> Result<State> {
        let find = self.collection.find_one(self.by_key()).projection(self.value());
        let found = match session {
            Some(session) => once(&self.observed, find.session(session)).await?,
            None => once(&self.observed, find.max_time(self.command_time)).await?,
        };
        Ok(match found.map(|counter| number::decode(counter.get(&self.field))) {
            None => State::Missing,
            Some(Ok(number)) => State::At(number),
            Some(Err(found)) => State::Corrupt(found),
        })
    }

    /// The counter if it lies behind `to`, and what moves it there.
    ///
    /// Only what can be read as a number is moved: `$max` alone would write over a null and a fraction, and pass over a
    /// string. Of a fraction `$mod` in a filter sees the whole part only, so that takes an expression.
    fn raising(&self, to: i64) -> (Document, Document) {
        let (behind, furthest, beyond, end) = if self.progression.ascending() {
            ("$lt", "$max", "$gte", i64::MIN)
        } else {
            ("$gt", "$min", "$lte", i64::MAX)
        };
        let value = format!("${}", self.field);
        let whole = doc! { "$cond": [{ "$isNumber": &value }, { "$eq": [&value, { "$floor": &value }] }, false] };
        let number = doc! { behind: to, beyond: end, "$not": { "$type": ["array", "decimal"] } };
        let filter = doc! { "_id": &self.key, &self.field: number, "$expr": whole };
        (filter, doc! { furthest: { &self.field: to } })
    }

    fn by_key(&self) -> Document {
        doc! { "_id": &self.key }
    }

    fn value(&self) -> Document {
        doc! { "_id": 0, &self.field: 1 }
    }
}

/// The name of the sequence in the key of its counter, without a scope. There may be keys of other forms, made by hand.
pub(crate) fn name_of(key: &Bson) -> &str {
    let name = match key {
        Bson::String(name) => Some(name.as_str()),
        Bson::Document(key) => key.get_str("seq").ok(),
        _ => None,
    };
    name.unwrap_or("(other)")
}

/// Whether a document has this `_id`, and it is not an index of the user's own that refuses a counter.
fn is_duplicate_id(error: &mongodb::error::Error) -> bool {
    let pattern = error.server_response().and_then(|reply| reply.get_document("keyPattern").ok());
    let is_of_id = pattern.is_none_or(|keys| keys.iter().flatten().all(|(field, _)| field == "_id"));
    server_code(error) == Some(DUPLICATE_KEY) && is_of_id
}
