//! The documents that are numbered together.

use std::{collections::HashSet, sync::Arc};

use mongodb::{
    ClientSession,
    bson::{Bson, Document, doc},
    error::UNKNOWN_TRANSACTION_COMMIT_RESULT,
    options::WriteConcern,
};

use super::Backfilled;
use crate::{
    Error, ErrorKind, NumberedField, Result,
    counter::{Counter, State},
    data::Data,
    document::scope_value,
    duplicate::DUPLICATE_KEY,
    maintain::{verify::bytes, view::unsigned},
    numbering,
    observe::{Mode, Span},
    transaction::Open,
};

/// How many runs of stored numbers one batch passes over; after each the numbers behind it are free, unless others are
/// faster.
const RUNS: usize = 1_000;
/// How many scopes are remembered.
const MOST_KNOWN: usize = 10_000;

/// Documents without a number, by scope, each in the order in which it was found.
#[derive(Debug, Default)]
pub(super) struct Batch {
    scopes: Vec<(Document, Vec<Bson>)>,
    len: usize,
    /// Why the document behind them cannot be numbered.
    refused: Option<Error>,
}

impl Batch {
    /// Whether it takes one more.
    pub(super) fn is_open(&self, size: usize) -> bool {
        self.len < size && self.refused.is_none()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0 && self.refused.is_none()
    }

    pub(super) fn add(&mut self, field: &NumberedField, document: &Document) {
        let id = document.get("_id").cloned().unwrap_or(Bson::Null);
        let mut scope = Document::new();
        for name in field.null_scope().keys() {
            let value = document.get(name).cloned().unwrap_or(Bson::Null);
            match scope_value(name, value) {
                Ok(value) => drop(scope.insert(name, value)),
                Err(error) => {
                    let (sequence, reason) = (field.name(), format!("`_id` {id}: {error}"));
                    self.refused = Some(Error::new(ErrorKind::NotBackfilled { sequence, reason }));
                    return;
                }
            }
        }
        match self.scopes.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, ids)) => ids.push(id),
            None => self.scopes.push((scope, vec![id])),
        }
        self.len += 1;
    }

    /// Numbers those of them that have no number yet.
    pub(super) async fn number(self, field: &NumberedField, caught_up: &mut CaughtUp) -> Result<Backfilled> {
        let mut done = Backfilled::default();
        for (scope, ids) in self.scopes {
            caught_up.with(field, &scope).await?;
            let filled = if field.is_gapless() {
                inside(field, &scope, &ids).await?
            } else {
                outside(field, &scope, &ids).await?
            };
            done.numbered += filled.numbered;
            done.unused += filled.unused;
        }
        self.refused.map_or(Ok(done), Err)
    }
}

/// The scopes whose counters are known to lie behind no number of the data.
#[derive(Debug, Default)]
pub(super) struct CaughtUp(HashSet<Vec<u8>>);

impl CaughtUp {
    /// Moves the counter past the data, so that no hole is filled and no number is out of order. A gapless one takes the
    /// numbers that are free, in order.
    async fn with(&mut self, field: &NumberedField, scope: &Document) -> Result<()> {
        let key = bytes(scope)?;
        if field.is_gapless() || self.0.contains(&key) {
            return Ok(());
        }
        let data = field.data(scope.clone());
        if data.is_readable() {
            field.counter(scope).catch_up(&data).await?;
        }
        if self.0.len() == MOST_KNOWN {
            self.0.clear();
        }
        self.0.insert(key);
        Ok(())
    }
}

/// Numbers first, then the documents; what is not used is a gap. A document whose number is in the data already is left
/// for the next look, with the counter moved past the data.
async fn outside(field: &NumberedField, scope: &Document, ids: &[Bson]) -> Result<Backfilled> {
    let (counter, data) = (field.counter(scope), field.data(scope.clone()));
    let last = counter.advance(ids.len() as u64).await?;
    let mut update = field.filling(&data, &counter, ids, last)?;
    update.insert("writeConcern", doc! { "w": "majority" });
    let reply = data.database().run_command(update).await?;
    match refusal(&reply) {
        Some(refused) if refused.get_i32("code").is_ok_and(|code| code == DUPLICATE_KEY) => {
            counter.catch_up(&data).await?;
        }
        Some(refused) => return Err(field.not_backfilled(refused)),
        None => {}
    }
    let numbered = unsigned(&reply, "n");
    let unused = (ids.len() as u64).saturating_sub(numbered);
    counter.observed.burnt(unused, None);
    Ok(Backfilled { numbered, unused })
}

/// In one transaction, or in several where stored numbers are in the way.
///
/// Each in a task of its own: a transaction that is dropped at its first command keeps the counter locked for a minute.
async fn inside(field: &NumberedField, scope: &Document, ids: &[Bson]) -> Result<Backfilled> {
    let (counter, data) = (field.counter(scope).in_mode(Mode::Gapless), field.data(scope.clone()));
    let mut filled = Backfilled::default();
    let mut left = ids;
    while !left.is_empty() {
        let free = free_numbers(&counter, &data).await?;
        let (now, rest) = left.split_at(left.len().min(usize::try_from(free).unwrap_or(usize::MAX)));
        let transaction = transact(field.clone(), data.clone(), counter.clone(), now.to_vec());
        let numbered = match tokio::spawn(Span::current().around(transaction)).await {
            Ok(numbered) => numbered?,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => return Err(Error::new(ErrorKind::ShutDown)),
        };
        counter.observed.given(numbered, None, &counter.progression);
        filled.numbered += numbered;
        left = rest;
    }
    Ok(filled)
}

async fn transact(field: NumberedField, data: Data, counter: Counter, ids: Vec<Bson>) -> Result<u64> {
    let session = counter.client().start_session().await?;
    let mut open = Open { session: Some(session), counter: Arc::new(counter), may_be: true };
    let Open { session: Some(session), counter, .. } = &mut open else {
        return Err(Error::new(ErrorKind::ShutDown));
    };
    let (transaction, counter) =
        (session.start_transaction().write_concern(WriteConcern::majority()), Arc::clone(counter));
    let done =
        transaction.and_run2(async move |session| Ok(attempt(&field, &data, &counter, &ids, session).await?)).await;
    // the driver aborts none that it has tried to commit
    open.may_be = done.as_ref().is_err_and(|error| error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT));
    open.close_if_it_may_be();
    Ok(done?)
}

/// How many numbers behind the counter no document has, up to the next that one has; at least one. Stored numbers right
/// behind the counter are passed over.
async fn free_numbers(counter: &Counter, data: &Data) -> Result<u64> {
    numbering::prepare(counter).await?;
    let progression = &counter.progression;
    for _ in 0..RUNS {
        let value = match counter.read(None).await? {
            State::At(number) => number.value,
            State::Missing => return Err(counter.missing("it was removed while documents were numbered")),
            State::Corrupt(found) => return Err(counter.corrupt(found)),
        };
        let Some(next) = value.checked_add(progression.step) else { return Ok(1) }; // the counter will refuse
        let Some(stored) = data.next_stored(next, progression).await? else { return Ok(u64::MAX) };
        let free = (i128::from(stored) - i128::from(next)) / i128::from(progression.step);
        if free > 0 {
            return Ok(u64::try_from(free).unwrap_or(u64::MAX));
        }
        let end = data.end_of_run(next, progression).await?.unwrap_or(stored);
        counter.raise(end).await?;
    }
    Err(Error::new(ErrorKind::Contended { sequence: counter.name() }))
}

/// The documents that still have no number, and as many numbers.
async fn attempt(
    field: &NumberedField,
    data: &Data,
    counter: &Counter,
    ids: &[Bson],
    session: &mut ClientSession,
) -> Result<u64> {
    let mut filter = data.in_exactly_this_scope(data.lacking());
    filter.insert("_id", doc! { "$in": ids });
    let find = data.collection().find(filter).projection(doc! { "_id": 1 });
    let mut found = find.session(&mut *session).await?;
    // by their bytes, as NaN is not equal to itself
    let mut lacking = HashSet::new();
    while let Some(document) = found.next(&mut *session).await.transpose()? {
        lacking.insert(bytes(&doc! { "_id": document.get("_id") })?);
    }
    let mut there = Vec::new();
    for id in ids {
        if lacking.contains(&bytes(&doc! { "_id": id })?) {
            there.push(id.clone());
        }
    }
    let ids = there;
    if ids.is_empty() {
        return Ok(0);
    }
    let last = numbering::take_in(counter, ids.len() as u64, session).await?;
    let update = field.filling(data, counter, &ids, last)?;
    let reply = data.database().run_command(update).session(session).await?;
    match refusal(&reply) {
        Some(refused) => Err(field.not_backfilled(refused)),
        None => Ok(unsigned(&reply, "n")),
    }
}

/// What the server says of the first document that it did not change, or of all.
fn refusal(reply: &Document) -> Option<&Document> {
    let first = reply.get_array("writeErrors").ok().and_then(|errors| errors.first()?.as_document());
    first.or_else(|| reply.get_document("writeConcernError").ok())
}

impl NumberedField {
    pub(super) fn lacking(&self) -> Document {
        self.data(Document::new()).lacking()
    }

    /// The command that gives these documents the numbers up to `last`, in order, if they still have none and are in this
    /// scope.
    fn filling(&self, data: &Data, counter: &Counter, ids: &[Bson], last: i64) -> Result<Document> {
        let mut numbers: Vec<i64> = counter.progression.up_to(last).take(ids.len()).collect();
        numbers.reverse();
        let mut updates = Vec::with_capacity(ids.len());
        for (id, number) in ids.iter().zip(numbers) {
            let value = self.rendered(number).ok_or_else(|| {
                let message = format!("the number {number} does not fit the field");
                Error::new(ErrorKind::InvalidSequence { sequence: self.name(), message })
            })?;
            let mut filter = data.in_exactly_this_scope(data.lacking());
            filter.insert("_id", doc! { "$eq": id });
            updates.push(doc! { "q": filter, "u": { "$set": { self.field(): value } } });
        }
        Ok(doc! { "update": data.collection().name(), "updates": updates, "ordered": false })
    }

    fn not_backfilled(&self, refused: &Document) -> Error {
        let reason = refused.get_str("errmsg").map_or_else(|_| refused.to_string(), str::to_owned);
        Error::new(ErrorKind::NotBackfilled { sequence: self.name(), reason })
    }
}
