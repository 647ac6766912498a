//! `insert_with_seq`: number a document and insert it.

use std::{fmt, future::IntoFuture, slice};

use mongodb::{ClientSession, Collection, bson::Bson, results::InsertOneResult};

use crate::{
    AutoIncrement, Result,
    insert::{self, Call},
    observe::{self, Action, Span},
    sequenced::Shared,
};

/// Numbers a model and inserts it. Construct with [`AutoIncrement::insert_with_seq`].
#[must_use = "nothing is sent until it is awaited"]
pub struct InsertWithSeq<'a, T: Send + Sync> {
    model: &'a mut T,
    collection: &'a Collection<T>,
    shared: Option<&'a Shared>,
    call: Call<'a>,
}

impl<'a, T: AutoIncrement> InsertWithSeq<'a, T> {
    pub(crate) fn new(model: &'a mut T, collection: &'a Collection<T>, shared: Option<&'a Shared>) -> Self {
        Self { model, collection, shared, call: Call::default() }
    }
}

impl<'a, T: Send + Sync> InsertWithSeq<'a, T> {
    /// Inserts with this session, in its transaction if one is in progress. The counter stays outside, unless the
    /// field is declared `gapless` or [`gapless`](Self::gapless) is called.
    pub fn session(mut self, session: impl Into<&'a mut ClientSession>) -> Self {
        self.call.session = Some(session.into());
        self
    }

    /// Leaves no gap when this insert fails: the numbers are taken in the transaction that inserts the document.
    ///
    /// With a [`session`](Self::session) that is its transaction, which must be in progress; without one, the call
    /// runs a transaction of its own and repeats it whole until its [`time_limit`](Self::time_limit). A session whose
    /// last commit has an unknown outcome must repeat that commit first: asking it for a transaction ends the commit.
    pub fn gapless(mut self) -> Self {
        self.call.gapless = true;
        self
    }
}

insert_setters!(InsertWithSeq);

impl<T: Send + Sync> fmt::Debug for InsertWithSeq<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InsertWithSeq")
            .field("namespace", &self.collection.namespace())
            .field("session", &self.call.session.is_some())
            .field("gapless", &self.call.gapless)
            .field("time_limit", &self.call.time_limit)
            .finish_non_exhaustive()
    }
}

impl<'a, T: AutoIncrement> IntoFuture for InsertWithSeq<'a, T> {
    type Output = Result<InsertOneResult>;
    type IntoFuture = InsertWithSeqFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::InsertWithSeq, None, Some(1), || insert::sequences(self.collection));
        InsertWithSeqFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`InsertWithSeq`].
    InsertWithSeqFuture -> Result<InsertOneResult>
}

async fn execute<T: AutoIncrement>(action: InsertWithSeq<'_, T>) -> Result<InsertOneResult> {
    let InsertWithSeq { model, collection, shared, call } = action;
    let ids = if let Some(shared) = shared.filter(|_| call.is_plain()) {
        insert::run_shared(model, collection, shared, call).await?
    } else {
        observe::way(call.mode::<T>(shared, false));
        insert::run(slice::from_mut(model), collection, shared, call, true).await?
    };
    let mut result = InsertOneResult::default();
    result.inserted_id = ids.into_iter().next().unwrap_or(Bson::Null);
    Ok(result)
}
