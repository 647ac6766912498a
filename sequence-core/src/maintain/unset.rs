//! `unset`: numbers are taken away from documents that should not have them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    future::IntoFuture,
};

use mongodb::{
    Cursor,
    bson::{Bson, Document, doc},
    options::WriteConcern,
};

use super::{verify::bytes, view::View};
use crate::{
    Error, ErrorKind, NumberedField, Result,
    action::opaque_future,
    capability,
    data::{self, Data, simple, whole_value_of},
    document::Verbatim,
    observe::{Action, Span},
};

/// How many documents lose their numbers with one command, and how many bytes describe them, at most: all of them are one
/// filter, which may have 16 MB. A single document never has more.
const BATCH: usize = 1_000;
const BYTES: usize = 8_000_000;

type Listener = Box<dyn FnMut(&Bson, &Bson) + Send>;

/// Takes numbers away from documents. Construct with [`NumberedField::unset`].
#[must_use = "nothing is sent until it is awaited"]
pub struct UnsetNumbers {
    field: Result<NumberedField>,
    duplicates: bool,
    no_numbers: bool,
    dry_run: bool,
    on_each: Option<Listener>,
}

impl UnsetNumbers {
    pub(crate) fn new(field: Result<NumberedField>) -> Self {
        Self { field, duplicates: false, no_numbers: false, dry_run: false, on_each: None }
    }

    /// From documents whose number another one of the same scope has too: all but the first of them by `_id`.
    pub fn duplicates(mut self) -> Self {
        self.duplicates = true;
        self
    }

    /// What is no whole number: a text, a fraction, a list.
    pub fn no_numbers(mut self) -> Self {
        self.no_numbers = true;
        self
    }

    /// Only looks which documents these are.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Is told of each such document, by its `_id` and what its field holds, before that is taken away.
    pub fn on_each(mut self, listener: impl FnMut(&Bson, &Bson) + Send + 'static) -> Self {
        self.on_each = Some(Box::new(listener));
        self
    }
}

impl fmt::Debug for UnsetNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsetNumbers")
            .field("duplicates", &self.duplicates)
            .field("no_numbers", &self.no_numbers)
            .field("dry_run", &self.dry_run)
            .finish_non_exhaustive()
    }
}

impl IntoFuture for UnsetNumbers {
    type Output = Result<u64>;
    type IntoFuture = UnsetNumbersFuture<'static>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::Unset, None, None, || {
            self.field.as_ref().map(NumberedField::name).unwrap_or_default()
        });
        UnsetNumbersFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`UnsetNumbers`].
    UnsetNumbersFuture -> Result<u64>
}

async fn execute(action: UnsetNumbers) -> Result<u64> {
    let UnsetNumbers { field, duplicates, no_numbers, dry_run, on_each } = action;
    let field = field?;
    if field.field() == "_id" {
        let message = "an `_id` cannot be taken away from a document".to_owned();
        return Err(Error::new(ErrorKind::InvalidSequence { sequence: field.name(), message }));
    }
    let data = field.data(Document::new());
    capability::check_model(data.collection()).await?;
    let mut taking = Taking { field: &field, data: &data, dry_run, on_each, batch: Vec::new(), bytes: 0, done: 0 };
    if no_numbers {
        let mut found = find(&data, data.no_number(), doc! {}).await?;
        while found.advance().await? {
            let document = found.deserialize_current()?;
            taking.from(&document, doc! {}).await?;
        }
    }
    if duplicates {
        let mut view = View::open(data.collection()).await?;
        let mut repeated = view.aggregate(data.collection(), field.repeated()).await?;
        let mut known = Repeated::new();
        while let Some(group) = view.next(&mut repeated).await? {
            if let (Some(number), Some(first)) = (whole_value_of(&group), group.get("first")) {
                known.insert((number, bytes(&field.scope_in(group.get_document("scope").ok()))?), first.clone());
            }
            if known.len() == BATCH {
                taking.all_but_the_first(&std::mem::take(&mut known)).await?;
            }
        }
        taking.all_but_the_first(&known).await?;
    }
    taking.finish().await
}

async fn find(data: &Data, filter: Document, mut projection: Document) -> Result<Cursor<Verbatim>> {
    projection.extend(doc! { "_id": 1, "f": format!("${}", data.field()) });
    let find = data.collection().find(filter).projection(projection).sort(doc! { "_id": 1 });
    Ok(find.allow_disk_use(true).collation(simple()).await?)
}

/// The first document of each number and scope that several have.
type Repeated = BTreeMap<(i64, Vec<u8>), Bson>;

struct Taking<'a> {
    field: &'a NumberedField,
    data: &'a Data,
    dry_run: bool,
    on_each: Option<Listener>,
    /// The documents that the next command is for.
    batch: Vec<Document>,
    bytes: usize,
    done: u64,
}

impl Taking<'_> {
    async fn all_but_the_first(&mut self, repeated: &Repeated) -> Result<()> {
        let numbers: BTreeSet<i64> = repeated.keys().map(|(number, _)| *number).collect();
        let numbers: Vec<i64> = numbers.into_iter().collect();
        let filter = doc! { self.data.field(): { "$in": numbers, "$not": { "$type": "array" } } };
        let mut found = find(self.data, filter, self.field.number_and_scope()).await?;
        while found.advance().await? {
            let document = found.deserialize_current()?;
            let Some(number) = whole_value_of(&document) else { continue };
            let shown = document.get_document("s").ok();
            let first = repeated.get(&(number, bytes(&self.field.scope_in(shown))?));
            // by their bytes, as NaN is not equal to itself
            let id = |id| bytes(&doc! { "_id": id });
            if let Some(first) = first
                && id(Some(first))? != id(document.get("_id"))?
            {
                let scope = self.field.null_scope();
                let same = |name: &String| {
                    let value = shown.and_then(|scope| scope.get(name)).unwrap_or(&Bson::Null);
                    (name.clone(), doc! { "$eq": value }.into())
                };
                self.from(&document, scope.keys().map(same).collect()).await?;
            }
        }
        Ok(())
    }

    /// Takes the field away from this document, if it still holds the same then, and is in the same scope.
    async fn from(&mut self, document: &Document, mut same: Document) -> Result<()> {
        let field = self.data.field();
        let [id, value] = ["_id", "f"].map(|name| document.get(name).unwrap_or(&Bson::Null));
        if let Some(on_each) = &mut self.on_each {
            on_each(id, value);
        }
        if self.dry_run {
            self.done += 1;
            return Ok(());
        }
        same.extend(doc! { "_id": { "$eq": id }, field: { "$eq": value } });
        let length = bytes(&same)?.len();
        if self.batch.len() == BATCH || self.bytes + length > BYTES {
            self.send().await?;
        }
        self.bytes += length;
        self.batch.push(same);
        Ok(())
    }

    async fn finish(mut self) -> Result<u64> {
        self.send().await?;
        Ok(self.done)
    }

    async fn send(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        let any = doc! { "$or": std::mem::take(&mut self.batch) };
        let update = self.data.collection().update_many(any, doc! { "$unset": { self.data.field(): "" } });
        let updated = update.collation(simple()).write_concern(WriteConcern::majority()).await?;
        self.done += updated.modified_count;
        Ok(())
    }
}

impl NumberedField {
    /// Finds the numbers that several documents of a scope have, each with the first of these documents.
    fn repeated(&self) -> Vec<Document> {
        let data = self.data(Document::new());
        let number = doc! { "number": format!("${}", data.field()), "scope": self.scope_expression() };
        let mut shown = data::value_at("$_id.number");
        shown.extend(doc! { "scope": "$_id.scope", "first": 1 });
        vec![
            doc! { "$match": data.within(i64::MIN, i64::MAX) },
            doc! { "$group": { "_id": number, "first": { "$min": "$_id" }, "documents": { "$sum": 1_i64 } } },
            doc! { "$match": { "documents": { "$gt": 1 } } },
            doc! { "$sort": { "_id": 1 } },
            doc! { "$project": shown },
        ]
    }
}
