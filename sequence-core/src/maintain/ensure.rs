//! `ensure_sequences`: what the numbers of a model need, made once.

use std::{
    fmt,
    future::IntoFuture,
    time::{Duration, Instant},
};

use mongodb::{
    Collection, IndexModel,
    bson::Document,
    error::WriteFailure,
    options::{Collation, IndexOptions},
};

use crate::{
    AutoIncrement, Error, ErrorKind, Result,
    action::opaque_future,
    capability,
    counter::{MAX_TIME_EXPIRED, counter_of},
    data::Data,
    error::server_code,
    index,
};

/// How long all of it may take, unless the call says otherwise.
const TIME: Duration = Duration::from_secs(120);
/// How long the first try to make an index may take. While it waits for an open transaction, every insert waits behind
/// it; a build that needs longer gets twice as long each time.
const FIRST_TRY: Duration = Duration::from_millis(500);

/// Makes what the sequences of a model need. Construct with [`AutoIncrement::ensure_sequences`].
#[must_use = "nothing is sent until it is awaited"]
pub struct EnsureSequences<'a, T: Send + Sync> {
    collection: &'a Collection<T>,
    time_limit: Duration,
}

impl<'a, T: AutoIncrement> EnsureSequences<'a, T> {
    pub(crate) fn new(collection: &'a Collection<T>) -> Self {
        Self { collection, time_limit: TIME }
    }
}

impl<T: Send + Sync> EnsureSequences<'_, T> {
    /// How long all of it may take, 120 s by default. Making an index takes longest.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }
}

impl<T: Send + Sync> fmt::Debug for EnsureSequences<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnsureSequences")
            .field("namespace", &self.collection.namespace())
            .field("time_limit", &self.time_limit)
            .finish_non_exhaustive()
    }
}

impl<'a, T: AutoIncrement> IntoFuture for EnsureSequences<'a, T> {
    type Output = Result<()>;
    type IntoFuture = EnsureSequencesFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        EnsureSequencesFuture(Box::pin(execute(self)))
    }
}

opaque_future! {
    /// The future of [`EnsureSequences`].
    EnsureSequencesFuture -> Result<()>
}

async fn execute<T: AutoIncrement>(action: EnsureSequences<'_, T>) -> Result<()> {
    let EnsureSequences { collection, time_limit } = action;
    let started = Instant::now();
    for (sequence, definition) in T::SEQUENCES.iter().enumerate() {
        let null = definition.scope.iter().map(|(_, stored, _)| ((*stored).to_owned(), mongodb::bson::Bson::Null));
        let counter = counter_of(collection, sequence, &null.collect())?;
        let Some(data) = counter.origin.data() else { continue };
        capability::check_model(data.collection()).await?;
        if definition.stored_field != "_id" {
            ensure_index(data, started, time_limit).await?;
        }
        if definition.scope.is_empty() {
            counter.catch_up(data).await?;
        }
    }
    Ok(())
}

/// A unique index that also serves the look at the highest number of a scope.
async fn ensure_index(data: &Data, started: Instant, time_limit: Duration) -> Result<()> {
    let (keys, present) = (data.index_keys(), data.present());
    let ours = unique(&keys, &present);
    // one of ours may be listed while it is being built: asked for again, the server waits for it, or answers at once
    let is_there = |index: &IndexModel| {
        index::is_unique(index)
            && index.keys.len() == keys.len()
            && index::serves(index, &keys, &present)
            && index::name(index) != index::name(&ours)
    };
    if index::list(data.collection()).await?.iter().any(is_there) {
        return Ok(());
    }
    let mut patience = FIRST_TRY;
    loop {
        let left = time_limit.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        let made = data.collection().create_index(ours.clone()).max_time(patience.min(left)).await;
        match made {
            Err(error) if ran_out_of_time(&error) && patience < left => patience *= 2,
            Err(error) if ran_out_of_time(&error) => {
                return Err(Error::new(ErrorKind::Deadline { limit: time_limit }).caused_by(error));
            }
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}

/// Before the index was there, or before it was confirmed.
fn ran_out_of_time(error: &mongodb::error::Error) -> bool {
    let unconfirmed = match &*error.kind {
        mongodb::error::ErrorKind::Write(WriteFailure::WriteConcernError(unconfirmed)) => Some(unconfirmed.code),
        _ => None,
    };
    server_code(error).or(unconfirmed) == Some(MAX_TIME_EXPIRED)
}

/// Over what is numbered only, so that documents without a number do not collide. The collation is said, since the
/// collection may have one, and so is a name, since an index on the same fields may have the one that drivers make up.
fn unique(keys: &Document, present: &Document) -> IndexModel {
    let mut options = IndexOptions::default();
    let fields: Vec<&str> = keys.keys().map(String::as_str).collect();
    options.name = Some(format!("{}_1_numbered", fields.join("_1_")));
    options.unique = Some(true);
    options.partial_filter_expression = Some(present.clone());
    options.collation = Some(Collation::builder().locale("simple").build());
    IndexModel::builder().keys(keys.clone()).options(options).build()
}
