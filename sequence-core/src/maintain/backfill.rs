//! `backfill_sequences`: numbers for documents that have none.

mod batch;

use std::{
    fmt,
    future::IntoFuture,
    marker::PhantomData,
    time::{Duration, Instant},
};

use mongodb::{
    Cursor,
    bson::{Bson, Document, doc},
};

use self::batch::{Batch, CaughtUp};
use crate::{
    Error, ErrorKind, NumberedField, Result,
    action::opaque_future,
    capability,
    data::simple,
    document::Verbatim,
    observe::{Action, Span},
};

/// How many documents are numbered together, unless the call says otherwise.
const BATCH: usize = 1_000;
/// How often the collection is looked through again for documents that came meanwhile.
const PASSES: usize = 10;
/// How often in a row without a document that could be numbered: others are faster, or the next numbers are in the data, and
/// what a `format` made of them does not tell how far.
const IN_VAIN: usize = 100;

type Progress<'a> = Box<dyn FnMut(&BackfillProgress) + Send + 'a>;

/// Numbers documents that have no number. Construct with
/// [`AutoIncrement::backfill_sequences`](crate::AutoIncrement::backfill_sequences).
#[must_use = "nothing is sent until it is awaited"]
pub struct BackfillSequences<'a> {
    fields: Result<Vec<NumberedField>>,
    sort: Document,
    batch_size: usize,
    progress: Option<Progress<'a>>,
    _model: PhantomData<&'a ()>,
}

impl<'a> BackfillSequences<'a> {
    pub(crate) fn new(fields: Result<Vec<NumberedField>>) -> Self {
        Self { fields, sort: doc! { "_id": 1 }, batch_size: BATCH, progress: None, _model: PhantomData }
    }

    /// The order in which documents get their numbers, by `_id` unless this is called. A sort that no index serves is done
    /// by the server, on disk if need be.
    pub fn sort(mut self, sort: Document) -> Self {
        self.sort = sort;
        self
    }

    /// How many documents are numbered together, 1,000 by default. Of a gapless field these are one transaction.
    pub fn batch_size(mut self, documents: usize) -> Self {
        self.batch_size = documents.clamp(1, BATCH);
        self
    }

    /// Is told after every batch how far it is.
    pub fn on_progress(mut self, progress: impl FnMut(&BackfillProgress) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }
}

impl fmt::Debug for BackfillSequences<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackfillSequences")
            .field("sort", &self.sort)
            .field("batch_size", &self.batch_size)
            .finish_non_exhaustive()
    }
}

/// How far a back-fill is, for one field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BackfillProgress {
    /// The name of the sequence.
    pub sequence: String,
    /// How many documents got a number so far.
    pub numbered: u64,
    /// How many had none at the beginning.
    pub total: u64,
    /// How long it has taken so far.
    pub elapsed: Duration,
}

impl BackfillProgress {
    /// Documents in a second, so far.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a rate")]
    pub fn rate(&self) -> f64 {
        self.numbered as f64 / self.elapsed.as_secs_f64().max(f64::EPSILON)
    }

    /// How long the rest takes at this rate. `None` as long as nothing is numbered.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn remaining(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.numbered) as f64;
        Duration::try_from_secs_f64(left / self.rate()).ok()
    }
}

/// What a back-fill has done, over all fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backfilled {
    /// How many numbers documents got.
    pub numbered: u64,
    /// How many numbers were taken and not used, because somebody else had numbered or deleted the document meanwhile.
    /// They are gaps; there are none of a gapless field.
    pub unused: u64,
}

impl<'a> IntoFuture for BackfillSequences<'a> {
    type Output = Result<Backfilled>;
    type IntoFuture = BackfillSequencesFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::BackfillSequences, None, None, || super::names(&self.fields));
        BackfillSequencesFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`BackfillSequences`].
    BackfillSequencesFuture -> Result<Backfilled>
}

async fn execute(action: BackfillSequences<'_>) -> Result<Backfilled> {
    let BackfillSequences { fields, sort, batch_size, mut progress, .. } = action;
    let mut all = Backfilled::default();
    for field in fields?.iter().filter(|field| field.field() != "_id") {
        capability::check_model(field.data(Document::new()).collection()).await?;
        let mut done = Backfilled::default();
        let (started, total) = (Instant::now(), without_number(field).await?);
        let mut caught_up = CaughtUp::default();
        let (mut passes, mut in_vain) = (0, 0);
        while passes < PASSES {
            let (mut documents, before) = (find(field, &sort).await?, done.numbered);
            let mut any = false;
            loop {
                let batch = next(field, &mut documents, batch_size).await?;
                if batch.is_empty() {
                    break;
                }
                any = true;
                let filled = batch.number(field, &mut caught_up).await?;
                done.numbered += filled.numbered;
                done.unused += filled.unused;
                if let Some(progress) = &mut progress {
                    let (sequence, numbered) = (field.name(), done.numbered);
                    progress(&BackfillProgress { sequence, numbered, total, elapsed: started.elapsed() });
                }
            }
            if !any {
                break;
            }
            (passes, in_vain) = if done.numbered > before { (passes + 1, 0) } else { (passes, in_vain + 1) };
            if in_vain == IN_VAIN {
                let reason = format!(
                    "at {IN_VAIN} attempts the next numbers were in the data already; `raise_to` on its `Sequence` with the \
                     last of them goes past"
                );
                return Err(Error::new(ErrorKind::NotBackfilled { sequence: field.name(), reason }));
            }
        }
        all.numbered += done.numbered;
        all.unused += done.unused;
    }
    Ok(all)
}

/// One query for all of a pass: what it has numbered it does not come to again.
async fn find(field: &NumberedField, sort: &Document) -> Result<Cursor<Verbatim>> {
    let mut projection = field.null_scope();
    projection.extend(doc! { "_id": 1 });
    projection.iter_mut().for_each(|(_, include)| *include = Bson::Int32(1));
    let data = field.data(Document::new());
    let find = data.collection().find(field.lacking()).sort(sort.clone()).projection(projection);
    Ok(find.allow_disk_use(true).collation(simple()).await?)
}

async fn next(field: &NumberedField, documents: &mut Cursor<Verbatim>, size: usize) -> Result<Batch> {
    let mut batch = Batch::default();
    while batch.is_open(size) && documents.advance().await? {
        let document = documents.deserialize_current()?;
        batch.add(field, &document);
    }
    Ok(batch)
}

async fn without_number(field: &NumberedField) -> Result<u64> {
    let data = field.data(Document::new());
    Ok(data.collection().count_documents(field.lacking()).await?)
}
