//! `ensure_sequences`: what the numbers of a model need, made once.

use std::{
    future::IntoFuture,
    marker::PhantomData,
    time::{Duration, Instant},
};

use mongodb::{
    IndexModel,
    bson::Document,
    error::WriteFailure,
    options::{Collation, IndexOptions},
};

use serde::Serialize;

use crate::{
    Error, ErrorKind, NumberedField, Result,
    action::opaque_future,
    capability,
    counter::MAX_TIME_EXPIRED,
    data::Data,
    error::server_code,
    index,
    observe::{Action, Span},
};

/// Server codes: there is an index on these fields, or of this name, that is another one.
const OTHER_OPTIONS: i32 = 85;
const OTHER_KEYS: i32 = 86;
/// How long all of it may take, unless the call says otherwise.
const TIME: Duration = Duration::from_secs(120);
/// How long the first try to make an index may take. While it waits for an open transaction, every insert waits behind
/// it; a build that needs longer gets twice as long each time.
const FIRST_TRY: Duration = Duration::from_millis(500);

/// Makes what the sequences of a model need. Construct with
/// [`AutoIncrement::ensure_sequences`](crate::AutoIncrement::ensure_sequences).
#[derive(Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct EnsureSequences<'a> {
    fields: Result<Vec<NumberedField>>,
    time_limit: Duration,
    dry_run: bool,
    _model: PhantomData<&'a ()>,
}

impl EnsureSequences<'_> {
    pub(crate) fn new(fields: Result<Vec<NumberedField>>) -> Self {
        Self { fields, time_limit: TIME, dry_run: false, _model: PhantomData }
    }

    /// How long all of it may take, 120 s by default. Making an index takes longest.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Only looks what there is to do, and whether it can be done.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// What [`ensure_sequences`](crate::AutoIncrement::ensure_sequences) has made, or, with
/// [`dry_run`](EnsureSequences::dry_run), would have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ensured {
    /// The fields of each new index.
    pub indexes: Vec<Document>,
    /// The counters that were created or raised, by their names, and where they stand now.
    pub counters: Vec<(String, i64)>,
}

impl<'a> IntoFuture for EnsureSequences<'a> {
    type Output = Result<Ensured>;
    type IntoFuture = EnsureSequencesFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::EnsureSequences, None, None, || super::names(&self.fields));
        EnsureSequencesFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`EnsureSequences`].
    EnsureSequencesFuture -> Result<Ensured>
}

async fn execute(action: EnsureSequences<'_>) -> Result<Ensured> {
    let EnsureSequences { fields, time_limit, dry_run, .. } = action;
    let (fields, started) = (fields?, Instant::now());
    let (mut indexes, mut counters) = (Vec::new(), Vec::new());
    if let Some(field) = fields.iter().find(|field| field.is_gapless()) {
        capability::check_transactions(field.counter(&Document::new()).client()).await?;
    }
    // what cannot be done is found out before anything is
    for field in &fields {
        let data = field.data(field.null_scope());
        capability::check_model(data.collection()).await?;
        let counter = field.counter(&Document::new());
        capability::check_counters(counter.collection()).await?;
        if data.field() != "_id" {
            match index(field, &data).await? {
                Index::There => {}
                Index::Ours => indexes.push((data.clone(), true)),
                Index::Missing => indexes.push((data.clone(), false)),
            }
        }
        if field.null_scope().is_empty() {
            counter.behind(&data).await?;
            counters.push((counter, data));
        }
    }
    let mut ensured = Ensured::default();
    for (data, is_listed) in indexes {
        if !dry_run {
            create(&data, started, time_limit).await?;
        }
        if !is_listed {
            ensured.indexes.push(data.index_keys());
        }
    }
    for (counter, data) in counters {
        let Some(to) = counter.behind(&data).await? else { continue };
        ensured.counters.push((counter.name(), to));
        if !dry_run {
            counter.catch_up(&data).await?;
        }
    }
    Ok(ensured)
}

/// A unique index that also serves the look at the highest number of a scope.
enum Index {
    There,
    /// One of ours may be listed while it is being built: asked for again, the server waits for it, or answers at once.
    Ours,
    /// It can be made.
    Missing,
}

async fn index(field: &NumberedField, data: &Data) -> Result<Index> {
    let (keys, present) = (data.index_keys(), data.present());
    let ours = unique(&keys, &present);
    let indexes = index::list(data.collection()).await?;
    let does = |index: &IndexModel| {
        index::is_unique(index) && index.keys.len() == keys.len() && index::serves(index, &keys, &present)
    };
    match indexes.iter().find(|index| index::name(index) == index::name(&ours)) {
        Some(named) if !does(named) => Err(conflict(data, named.clone())),
        Some(_) => Ok(Index::Ours),
        None if indexes.iter().any(does) => Ok(Index::There),
        None => {
            if let Some(same) = indexes.into_iter().find(|index| index::is_same(index, &keys, &present)) {
                return Err(conflict(data, same));
            }
            let duplicates = data.duplicates().await?;
            if duplicates.is_empty() {
                return Ok(Index::Missing);
            }
            let (namespace, field) = (data.collection().namespace().to_string(), field.name());
            Err(Error::new(ErrorKind::DuplicateNumbers { namespace, sequence: field, first: duplicates }))
        }
    }
}

fn conflict(data: &Data, index: IndexModel) -> Error {
    let namespace = data.collection().namespace().to_string();
    let name = index::name(&index).unwrap_or_default().to_owned();
    Error::new(ErrorKind::IndexConflict { namespace, index: name, keys: index.keys })
}

async fn create(data: &Data, started: Instant, time_limit: Duration) -> Result<()> {
    let ours = unique(&data.index_keys(), &data.present());
    let mut patience = FIRST_TRY;
    loop {
        let left = time_limit.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        let made = data.collection().create_index(ours.clone()).max_time(patience.min(left)).await;
        match made {
            Err(error) if ran_out_of_time(&error) && patience < left => patience *= 2,
            Err(error) if ran_out_of_time(&error) => {
                return Err(Error::new(ErrorKind::Deadline { limit: time_limit }).caused_by(error));
            }
            Err(error) if matches!(server_code(&error), Some(OTHER_OPTIONS | OTHER_KEYS)) => {
                return Err(conflict(data, ours).caused_by(error));
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
