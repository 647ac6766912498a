//! `insert_with_seq`: number a document and insert it.

use std::{fmt, future::IntoFuture, time::Duration};

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, RawDocumentBuf},
    options::InsertOneOptions,
    results::InsertOneResult,
};

use crate::{
    AutoIncrement, Result,
    insert::{self, Target},
    numbering::Numbering,
};

/// How long the library repeats a transaction of its own, unless the call says otherwise.
const TRANSACTION_TIME: Duration = Duration::from_secs(120);

/// Numbers a model and inserts it. Construct with [`AutoIncrement::insert_with_seq`].
#[must_use = "nothing is sent until it is awaited"]
pub struct InsertWithSeq<'a, T: Send + Sync> {
    model: &'a mut T,
    collection: &'a Collection<T>,
    session: Option<&'a mut ClientSession>,
    gapless: bool,
    time_limit: Option<Duration>,
    options: InsertOneOptions,
}

impl<'a, T: AutoIncrement> InsertWithSeq<'a, T> {
    pub(crate) fn new(model: &'a mut T, collection: &'a Collection<T>) -> Self {
        Self {
            model,
            collection,
            session: None,
            gapless: false,
            time_limit: None,
            options: InsertOneOptions::default(),
        }
    }
}

impl<'a, T: Send + Sync> InsertWithSeq<'a, T> {
    /// Inserts with this session, in its transaction if one is in progress. The counter stays outside, unless the
    /// field is declared `gapless` or [`gapless`](Self::gapless) is called.
    pub fn session(mut self, session: impl Into<&'a mut ClientSession>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Leaves no gap when this insert fails: the numbers are taken in the transaction that inserts the document.
    ///
    /// With a [`session`](Self::session) that is its transaction, which must be in progress; without one, the call
    /// runs a transaction of its own and repeats it whole until its [`time_limit`](Self::time_limit). A session whose
    /// last commit has an unknown outcome must repeat that commit first: asking it for a transaction ends the commit.
    pub fn gapless(mut self) -> Self {
        self.gapless = true;
        self
    }

    /// The time limit: for a transaction of the library's own how long it is repeated (120 s by default), and for every
    /// counter command outside transactions its `maxTimeMS` (at most, and by default, 5 s).
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Attaches a comment to the insert and to the counter's increment, visible in the server's logs and profiler.
    pub fn comment(mut self, comment: impl Into<Bson>) -> Self {
        self.options.comment = Some(comment.into());
        self
    }

    /// Lets the insert pass a validator of the collection.
    pub fn bypass_document_validation(mut self, bypass: bool) -> Self {
        self.options.bypass_document_validation = Some(bypass);
        self
    }

    /// Calls `set` with the value if there is one, for options that are known at run time.
    pub fn optional<V>(self, value: Option<V>, set: impl FnOnce(Self, V) -> Self) -> Self {
        match value {
            Some(value) => set(self, value),
            None => self,
        }
    }
}

impl<T: Send + Sync> fmt::Debug for InsertWithSeq<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InsertWithSeq")
            .field("namespace", &self.collection.namespace())
            .field("session", &self.session.is_some())
            .field("gapless", &self.gapless)
            .field("time_limit", &self.time_limit)
            .finish_non_exhaustive()
    }
}

impl<'a, T: AutoIncrement> IntoFuture for InsertWithSeq<'a, T> {
    type Output = Result<InsertOneResult>;
    type IntoFuture = InsertWithSeqFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        InsertWithSeqFuture(Box::pin(execute(self)))
    }
}

opaque_future! {
    /// The future of [`InsertWithSeq`].
    InsertWithSeqFuture -> Result<InsertOneResult>
}

async fn execute<T: AutoIncrement>(action: InsertWithSeq<'_, T>) -> Result<InsertOneResult> {
    let InsertWithSeq { model, collection, session, gapless, time_limit, options } = action;
    let numbering = Numbering::new(collection, gapless, time_limit, options.comment.as_ref())?;
    let target =
        Target { collection: collection.clone_with_type::<RawDocumentBuf>(), options, definitions: T::SEQUENCES };
    match session {
        Some(session) if numbering.is_gapless() => insert::joined(model, &numbering, &target, session).await,
        session if !numbering.is_gapless() => insert::outside(model, &numbering, &target, session).await,
        _ => insert::owned(model, numbering, target, time_limit.unwrap_or(TRANSACTION_TIME)).await,
    }
}
