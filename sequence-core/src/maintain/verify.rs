//! `verify_sequences`: whether counters and data fit together.

mod holes;
mod report;
mod tally;

use std::{collections::HashMap, future::IntoFuture, marker::PhantomData};

use mongodb::bson::{Bson, Document, doc};

pub use self::report::{CounterReport, Duplicate, Fault, SequenceReport};
use self::{
    holes::LISTED,
    tally::{Tally, tallies},
};
use super::view::View;
use crate::{
    Error, NumberedField, Result,
    action::opaque_future,
    capability,
    data::Data,
    document,
    error::server_code,
    number,
    observe::{Action, Span},
};

/// Server code: what was changed in the catalog lies behind the moment of the snapshot.
const SNAPSHOT_UNAVAILABLE: i32 = 246;
/// Server code: the snapshot is older than what the server keeps, which is the last 5 minutes by default.
const SNAPSHOT_TOO_OLD: i32 = 239;
/// How often a new moment is tried.
const TRIES: usize = 5;

/// Compares counters and numbers. Construct with
/// [`AutoIncrement::verify_sequences`](crate::AutoIncrement::verify_sequences).
#[derive(Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct VerifySequences<'a> {
    fields: Result<Vec<NumberedField>>,
    _model: PhantomData<&'a ()>,
}

impl VerifySequences<'_> {
    pub(crate) fn new(fields: Result<Vec<NumberedField>>) -> Self {
        Self { fields, _model: PhantomData }
    }
}

impl<'a> IntoFuture for VerifySequences<'a> {
    type Output = Result<Vec<SequenceReport>>;
    type IntoFuture = VerifySequencesFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::VerifySequences, None, None, || super::names(&self.fields));
        VerifySequencesFuture(Box::pin(span.around_call(async move {
            let mut reports = Vec::new();
            for field in self.fields? {
                reports.push(verify(&field).await?);
            }
            Ok(reports)
        })))
    }
}

opaque_future! {
    /// The future of [`VerifySequences`].
    VerifySequencesFuture -> Result<Vec<SequenceReport>>
}

/// Compares the counters of a field with its numbers.
pub(crate) async fn verify(field: &NumberedField) -> Result<SequenceReport> {
    let data = field.data(Document::new());
    capability::check_model(data.collection()).await?;
    let estimate = async || data.collection().estimated_document_count().await;
    for _ in 0..TRIES {
        let before = estimate().await?;
        let found = match View::open(data.collection()).await {
            Ok(view) => at_one_moment(field, view, before).await,
            Err(error) => Err(error),
        };
        let code = found.as_ref().err().and_then(Error::driver_error).and_then(server_code);
        match code {
            Some(SNAPSHOT_UNAVAILABLE) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            Some(SNAPSHOT_TOO_OLD) => break, // so would the next one be, with as many documents
            _ => return found,
        }
    }
    // a capped collection never has one
    let before = estimate().await?;
    at_one_moment(field, View::of_several_moments(data.collection().client()).await?, before).await
}

/// `before` is how many documents there were, by the server's estimate, before that moment.
async fn at_one_moment(field: &NumberedField, mut view: View, before: u64) -> Result<SequenceReport> {
    let data = field.data(Document::new());
    let collection = data.collection();
    let indexed = field.data(field.null_scope()).forbids_duplicates().await?;
    let tallies = if data.is_readable() { tallies(field, indexed, &mut view).await? } else { Vec::new() };
    // last: where there is no one moment, they only lie further ahead
    let mut counters = counters(field, &mut view).await?;
    let mut report = SequenceReport::new(field, indexed);
    for (scope, tally) in tallies {
        let found = counters.remove(&bytes(&scope)?).map(|(_, found)| found);
        report.counters.push(CounterReport::new(field, scope, found, tally));
    }
    for (scope, found) in counters.into_values() {
        report.counters.push(CounterReport::new(field, scope, Some(found), Tally::default()));
    }
    report.counters.sort_by_cached_key(|counter| counter.scope.to_string());
    report.documents = report.counters.iter().map(|counter| counter.documents).sum();
    // Where there are as many documents as numbers, before and after, there is nothing else.
    let estimates = [before, collection.estimated_document_count().await?];
    if !data.is_readable() || estimates != [report.documents; 2] {
        others(&data, &mut view, &mut report).await?;
    }
    Ok(report)
}

/// What documents have in the field that is no number of the sequence.
async fn others(data: &Data, view: &mut View, report: &mut SequenceReport) -> Result<()> {
    let collection = data.collection();
    if !data.is_readable() {
        report.documents = view.count(collection, data.present()).await?;
    }
    let all = view.count(collection, doc! {}).await?;
    report.without_number = view.count(collection, data.lacking()).await?;
    let rest = all.saturating_sub(report.documents).saturating_sub(report.without_number);
    if rest > 0 && data.is_readable() {
        report.not_a_number = view.count(collection, data.no_number()).await?;
        report.outside = rest.saturating_sub(report.not_a_number);
        let mut found = view.find(collection, data.no_number(), doc! { "_id": 1 }, doc! { "_id": 1 }).await?;
        while let (true, Some(document)) = (report.first_not_a_number.len() < LISTED, view.next(&mut found).await?) {
            report.first_not_a_number.extend(document.get("_id").cloned());
        }
    }
    Ok(())
}

/// What a counter holds: a number, or what is there instead.
type Found = std::result::Result<i64, String>;

/// All counters of the field, by the bytes of their scope.
async fn counters(field: &NumberedField, view: &mut View) -> Result<HashMap<Vec<u8>, (Document, Found)>> {
    let counter = field.counter(&Document::new());
    let mut counters = HashMap::new();
    let mut found = view.find(counter.collection(), field.counter_keys(), doc! {}, doc! {}).await?;
    while let Some(document) = view.next(&mut found).await? {
        let Some(scope) = field.scope_of_key(document.get("_id")) else { continue };
        let value = number::decode(document.get(counter.field())).map(|number| number.value);
        counters.insert(bytes(&scope)?, (scope, value));
    }
    Ok(counters)
}

pub(super) fn bytes(scope: &Document) -> Result<Vec<u8>> {
    Ok(document::serialize(scope).map_err(document::serialization)?.into_bytes())
}

/// What stands for the scope of a document that has none of the scope fields in it.
fn or_null(value: Option<&Bson>) -> Bson {
    value.cloned().unwrap_or(Bson::Null)
}
