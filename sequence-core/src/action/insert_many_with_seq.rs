//! `insert_many_with_seq`: number many documents and insert them together.

use std::{fmt, future::IntoFuture};

use mongodb::{ClientSession, Collection, results::InsertManyResult};

use crate::{
    AutoIncrement, Result,
    insert::{self, Call},
    observe::{self, Action, Span},
    sequenced::Shared,
};

/// Numbers models and inserts them. Construct with [`AutoIncrement::insert_many_with_seq`].
#[must_use = "nothing is sent until it is awaited"]
pub struct InsertManyWithSeq<'a, T: Send + Sync> {
    models: &'a mut [T],
    collection: &'a Collection<T>,
    shared: Option<&'a Shared>,
    call: Call<'a>,
}

impl<'a, T: AutoIncrement> InsertManyWithSeq<'a, T> {
    pub(crate) fn new(models: &'a mut [T], collection: &'a Collection<T>, shared: Option<&'a Shared>) -> Self {
        Self { models, collection, shared, call: Call::default() }
    }
}

impl<'a, T: Send + Sync> InsertManyWithSeq<'a, T> {
    /// Inserts with this session, in its transaction if one is in progress: then all of the documents or none. The
    /// counter stays outside, unless the field is declared `gapless` or [`gapless`](Self::gapless) is called.
    pub fn session(mut self, session: impl Into<&'a mut ClientSession>) -> Self {
        self.call.session = Some(session.into());
        self
    }

    /// Leaves no gap when this insert fails: the numbers are taken in the transaction that inserts the documents, all of
    /// them or none.
    ///
    /// As with [`InsertWithSeq::gapless`](crate::InsertWithSeq::gapless). A transaction has to end within the server's
    /// `transactionLifetimeLimitSeconds`, 60 s unless it was set, which bounds how many documents one call can take.
    pub fn gapless(mut self) -> Self {
        self.call.gapless = true;
        self
    }

    /// Whether the first refused document ends the insert, so that those behind it are not tried; `true` by default. In a
    /// transaction it always does.
    pub fn ordered(mut self, ordered: bool) -> Self {
        self.call.options.ordered = Some(ordered);
        self
    }
}

insert_setters!(InsertManyWithSeq);

impl<T: Send + Sync> fmt::Debug for InsertManyWithSeq<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InsertManyWithSeq")
            .field("namespace", &self.collection.namespace())
            .field("documents", &self.models.len())
            .field("session", &self.call.session.is_some())
            .field("gapless", &self.call.gapless)
            .field("ordered", &self.call.options.ordered.unwrap_or(true))
            .field("time_limit", &self.call.time_limit)
            .finish_non_exhaustive()
    }
}

impl<'a, T: AutoIncrement> IntoFuture for InsertManyWithSeq<'a, T> {
    type Output = Result<InsertManyResult>;
    type IntoFuture = InsertManyWithSeqFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::InsertManyWithSeq, None, Some(self.models.len()), || {
            insert::sequences(self.collection)
        });
        InsertManyWithSeqFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`InsertManyWithSeq`].
    InsertManyWithSeqFuture -> Result<InsertManyResult>
}

async fn execute<T: AutoIncrement>(action: InsertManyWithSeq<'_, T>) -> Result<InsertManyResult> {
    let InsertManyWithSeq { models, collection, shared, call } = action;
    observe::way(call.mode::<T>(shared, false));
    let mut result = InsertManyResult::default();
    if !models.is_empty() {
        let ids = insert::run(models, collection, shared, call, false).await?;
        result.inserted_ids = ids.into_iter().enumerate().collect();
    }
    Ok(result)
}
