//! `unset`: numbers are taken away from documents that should not have them.

use std::{fmt, future::IntoFuture};

use mongodb::{
    bson::{Bson, Document, doc},
    options::WriteConcern,
};

use super::view::View;
use crate::{
    Error, ErrorKind, NumberedField, Result,
    action::opaque_future,
    data::{Data, simple},
};

/// How many documents lose their numbers with one command.
const BATCH: usize = 1_000;

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
        UnsetNumbersFuture(Box::pin(execute(self)))
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
    let mut taking = Taking { data: &data, dry_run, on_each };
    let mut done = 0;
    if no_numbers {
        done += taking.from(data.no_number()).await?;
    }
    if duplicates {
        let mut view = View::open(data.collection().client()).await?;
        let mut repeated = view.aggregate(data.collection(), field.repeated()).await?;
        while let Some(group) = view.next(&mut repeated).await? {
            done += taking.from(field.repeats(&group)).await?;
        }
    }
    Ok(done)
}

struct Taking<'a> {
    data: &'a Data,
    dry_run: bool,
    on_each: Option<Listener>,
}

impl Taking<'_> {
    /// Takes the field away from the documents that the filter finds; only if it still does, for what has changed meanwhile
    /// is left alone.
    async fn from(&mut self, filter: Document) -> Result<u64> {
        let (collection, field) = (self.data.collection(), self.data.field());
        let find = collection.find(filter.clone()).projection(doc! { "_id": 1, field: 1 });
        let mut found = find.collation(simple()).await?;
        let mut done = 0;
        loop {
            let mut ids = Vec::new();
            while ids.len() < BATCH && found.advance().await? {
                let document = found.deserialize_current()?;
                let [id, value] = ["_id", field].map(|name| document.get(name).cloned().unwrap_or(Bson::Null));
                if let Some(on_each) = &mut self.on_each {
                    on_each(&id, &value);
                }
                ids.push(id);
            }
            if ids.is_empty() {
                return Ok(done);
            }
            if self.dry_run {
                done += ids.len() as u64;
                continue;
            }
            let still = doc! { "$and": [{ "_id": { "$in": ids } }, &filter] };
            let unset = collection.update_many(still, doc! { "$unset": { field: "" } }).collation(simple());
            done += unset.write_concern(WriteConcern::majority()).await?.modified_count;
        }
    }
}

impl NumberedField {
    /// Finds the numbers that several documents of a scope have, each with the first of these documents.
    fn repeated(&self) -> Vec<Document> {
        let data = self.data(Document::new());
        let number = doc! { "number": format!("${}", data.field()), "scope": self.scope_expression() };
        vec![
            doc! { "$match": data.within(i64::MIN, i64::MAX) },
            doc! { "$group": { "_id": number, "first": { "$min": "$_id" }, "documents": { "$sum": 1_i64 } } },
            doc! { "$match": { "documents": { "$gt": 1 } } },
        ]
    }

    /// The others of them.
    fn repeats(&self, repeated: &Document) -> Document {
        let of = |name| repeated.get_document("_id").ok().and_then(|id| id.get(name)).unwrap_or(&Bson::Null);
        let in_scope = doc! { "$eq": [self.scope_expression(), { "$literal": of("scope") }] };
        doc! {
            self.field(): { "$eq": of("number"), "$not": { "$type": "array" } },
            "_id": { "$ne": repeated.get("first") },
            "$expr": in_scope,
        }
    }
}
