//! `get_or_insert_with_seq`: the document that is there, or this one with a number.

use std::{fmt, future::IntoFuture, slice};

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, Document},
};
use serde::de::DeserializeOwned;

use crate::{
    AutoIncrement, Error, Result,
    data::as_it_is_now,
    insert::{self, Call, SILENCE, Until},
    observe::{self, Action, Span},
    progress::may_be_stored,
    sequenced::Shared,
};

/// How often the insert may say that a document is there which is not found.
const ROUNDS: usize = 3;

/// Whether a document was there. Returned by [`AutoIncrement::get_or_insert_with_seq`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GetOrInsert {
    /// It was: the model now holds it.
    Found,
    /// It was not: the model was numbered and inserted.
    #[non_exhaustive]
    Inserted {
        /// The `_id` of the document.
        inserted_id: Bson,
    },
}

/// Looks for a document, and inserts the model if there is none. Construct with
/// [`AutoIncrement::get_or_insert_with_seq`].
#[must_use = "nothing is sent until it is awaited"]
pub struct GetOrInsertWithSeq<'a, T: Send + Sync> {
    model: &'a mut T,
    collection: &'a Collection<T>,
    shared: Option<&'a Shared>,
    filter: Document,
    call: Call<'a>,
}

impl<'a, T: AutoIncrement> GetOrInsertWithSeq<'a, T> {
    pub(crate) fn new(
        model: &'a mut T,
        collection: &'a Collection<T>,
        shared: Option<&'a Shared>,
        filter: Document,
    ) -> Self {
        Self { model, collection, shared, filter, call: Call::default() }
    }
}

impl<'a, T: Send + Sync> GetOrInsertWithSeq<'a, T> {
    /// Works with this session, in its transaction if one is in progress. The counter stays outside, unless the field is
    /// declared `gapless` or [`gapless`](Self::gapless) is called.
    ///
    /// In a transaction, a document that somebody else is inserting at the same time is a transient error of the
    /// server's, so that the transaction is run again and finds it.
    pub fn session(mut self, session: impl Into<&'a mut ClientSession>) -> Self {
        self.call.session = Some(session.into());
        self
    }

    /// Leaves no gap when the insert fails or another call was faster, as with
    /// [`InsertWithSeq::gapless`](crate::InsertWithSeq::gapless).
    ///
    /// The document is looked for outside of the [`session`](Self::session)'s transaction, before its first command, so
    /// one that the same transaction has inserted is not found.
    pub fn gapless(mut self) -> Self {
        self.call.gapless = true;
        self
    }
}

insert_setters!(GetOrInsertWithSeq);

impl<T: Send + Sync> fmt::Debug for GetOrInsertWithSeq<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GetOrInsertWithSeq")
            .field("namespace", &self.collection.namespace())
            .field("filter", &self.filter)
            .field("session", &self.call.session.is_some())
            .field("gapless", &self.call.gapless)
            .field("time_limit", &self.call.time_limit)
            .finish_non_exhaustive()
    }
}

impl<'a, T: AutoIncrement + DeserializeOwned> IntoFuture for GetOrInsertWithSeq<'a, T> {
    type Output = Result<GetOrInsert>;
    type IntoFuture = GetOrInsertWithSeqFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::GetOrInsertWithSeq, None, Some(1), || insert::sequences(self.collection));
        GetOrInsertWithSeqFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`GetOrInsertWithSeq`].
    GetOrInsertWithSeqFuture -> Result<GetOrInsert>
}

async fn execute<T: AutoIncrement + DeserializeOwned>(action: GetOrInsertWithSeq<'_, T>) -> Result<GetOrInsert> {
    let GetOrInsertWithSeq { model, collection, shared, filter, mut call } = action;
    let gapless = call.gapless || T::SEQUENCES.iter().any(|definition| definition.gapless);
    let until = *call.until.insert(Until::from_now(call.time_limit));
    let latest = latest(collection);
    let mut rounds = 0;
    let mut burnt = None; // by the first round
    loop {
        // a look inside would fix what the transaction sees before its counter is read
        let session = if gapless { None } else { call.session.as_deref_mut() };
        let find = latest.find_one(filter.clone());
        let found = match session {
            Some(session) => find.session(session).await.map_err(Error::from),
            None => until.get(SILENCE, async { Ok(find.await?) }).await,
        };
        if let Some(found) = found.map_err(|error| error.burning(burnt))? {
            *model = found;
            return Ok(GetOrInsert::Found);
        }
        rounds += 1;
        if rounds == 1 {
            observe::way(call.mode::<T>(shared, false));
        }
        let error = match insert::run(slice::from_mut(model), collection, shared, call.again(), true).await {
            Ok(ids) => return Ok(GetOrInsert::Inserted { inserted_id: ids.into_iter().next().unwrap_or(Bson::Null) }),
            Err(error) if may_be_stored(&error) => return Err(error.burning(burnt)),
            Err(error) => error.with_number(burnt.or(error.number())),
        };
        // somebody else was faster, unless the index is on something else than the filter
        if rounds == ROUNDS || !error.is_duplicate_key() {
            return Err(error);
        }
        burnt = error.number();
        if insert::in_transaction(call.session.as_deref_mut()).await?
            && let Some(session) = call.session.as_deref_mut()
        {
            let found = latest.find_one(filter.clone()).await;
            let found = found.map_err(|error| Error::from(error).burning(burnt))?.is_some();
            // the duplicate has aborted the transaction: the next command in it is told to run it again
            return Err(match latest.find_one(filter).session(session).await {
                Err(again) if found => Error::from(again).burning(burnt),
                _ => error,
            });
        }
    }
}

fn latest<T: Send + Sync>(collection: &Collection<T>) -> Collection<T> {
    let namespace = collection.namespace();
    collection.client().database(&namespace.db).collection_with_options(&namespace.coll, as_it_is_now())
}
