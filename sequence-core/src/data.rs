//! The numbers that documents already have. Read from the primary with read concern `local`, whatever the collection
//! says: a secondary, or a majority that lags, shows an older highest number.

mod indexed;

use std::{collections::BTreeSet, time::Duration};

use mongodb::{
    Collection, Cursor, Database,
    bson::{Bson, Document, doc},
    options::{Collation, CollectionOptions, ReadConcern, ReadPreference, SelectionCriteria},
};

use crate::{Result, definition::Progression, document::Verbatim, number};

/// How long one look at the data may take. Without an index on the field it is a scan of the collection.
const SCAN_TIME: Duration = Duration::from_secs(30);
/// The computed fields of the projections below: the number, and whether it is one without its fraction.
const VALUE: &str = "v";
const WHOLE: &str = "w";

/// The stored numbers of one sequence.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    collection: Collection<Verbatim>,
    field: String,
    /// The values of the scope fields.
    scope: Document,
    stored: Stored,
}

/// What stands in the field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stored {
    Numbers,
    /// What a `format` made of them, which cannot be read back: strings, numbers, or something else.
    Strings,
    Scrambled,
    Opaque,
}

/// Reads what is there now, not what a secondary or a majority that lags shows. Said for every collection that is read, so
/// that nothing else is inherited from the client or the database.
pub(crate) fn as_it_is_now() -> CollectionOptions {
    CollectionOptions::builder()
        .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
        .read_concern(ReadConcern::local())
        .build()
}

impl Data {
    pub(crate) fn new<T: Send + Sync>(
        collection: &Collection<T>,
        field: &str,
        scope: Document,
        stored: Stored,
    ) -> Self {
        let namespace = collection.namespace();
        let database = collection.client().database(&namespace.db);
        Self {
            collection: database.collection_with_options(&namespace.coll, as_it_is_now()),
            field: field.to_owned(),
            scope,
            stored,
        }
    }

    /// Whether the numbers can be read.
    pub(crate) fn is_readable(&self) -> bool {
        self.stored == Stored::Numbers
    }

    pub(crate) fn database(&self) -> Database {
        self.collection.client().database(&self.collection.namespace().db)
    }

    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    /// As the index has it, from the first number of the sequence on.
    pub(crate) fn order(&self, progression: &Progression) -> Document {
        let direction = Bson::Int32(progression.direction());
        self.index_keys().keys().map(|field| (field.clone(), direction.clone())).collect()
    }

    /// The scope fields and then the number.
    pub(crate) fn index_keys(&self) -> Document {
        let fields = self.scope.keys().map(String::as_str).chain([self.field.as_str()]);
        fields.map(|field| (field.to_owned(), Bson::Int32(1))).collect()
    }

    /// The condition that the field is numbered. As a partial filter it is implied by every query of ours, and by a
    /// user's own for a value.
    pub(crate) fn present(&self) -> Document {
        match self.stored {
            Stored::Numbers | Stored::Scrambled => doc! { &self.field: { "$gte": i64::MIN } },
            Stored::Strings => doc! { &self.field: { "$gte": "" } },
            Stored::Opaque => doc! { &self.field: { "$exists": true } },
        }
    }

    /// Nothing under this name, or null, and no list with a null in it.
    pub(crate) fn lacking(&self) -> Document {
        doc! { &self.field: exactly(&Bson::Null) }
    }

    /// The filter in this scope only: a list of values is found by each of them, and is none of them.
    pub(crate) fn in_exactly_this_scope(&self, mut filter: Document) -> Document {
        filter.extend(self.scope.iter().map(|(field, value)| (field.clone(), exactly(value).into())));
        filter
    }

    /// Something that is no whole number.
    pub(crate) fn no_number(&self) -> Document {
        let value = format!("${}", self.field);
        let is_whole = doc! { "$cond": [{ "$isNumber": &value }, { "$eq": [{ "$mod": [&value, 1] }, 0] }, false] };
        doc! { "$nor": [self.lacking(), { "$expr": is_whole }] }
    }

    /// Whether there is any numbered document.
    pub(crate) async fn any(&self) -> Result<bool> {
        let mut filter = self.in_scope();
        filter.extend(self.present());
        if self.stored == Stored::Opaque {
            filter.insert("$nor", [self.lacking()].to_vec());
        }
        let found = self
            .collection
            .find_one(filter)
            .projection(doc! { "_id": 1 })
            .collation(simple())
            .max_time(SCAN_TIME)
            .await?;
        Ok(found.is_some())
    }

    pub(crate) fn collection(&self) -> &Collection<Verbatim> {
        &self.collection
    }

    /// The number furthest in the direction of the step among those the sequence can hand out. Anything else under this
    /// name (strings, a stray timestamp beyond the limit, NaN) does not count.
    pub(crate) async fn furthest(&self, progression: &Progression) -> Result<Option<i64>> {
        let (low, high) = progression.range();
        let found = self
            .collection
            .find_one(self.within(low, high))
            .sort(doc! { &self.field: -progression.direction() })
            .projection(self.value())
            .collation(simple())
            .max_time(SCAN_TIME)
            .await?;
        Ok(found.as_deref().and_then(value_of))
    }

    /// Which of the next numbers are stored: of `from, from + step, …` as far as it takes to have `free` that are neither
    /// stored nor passed over anyway.
    pub(crate) async fn among(
        &self,
        from: i64,
        free: usize,
        progression: &Progression,
        passed: &BTreeSet<i64>,
    ) -> Result<Vec<i64>> {
        let mut stored = self.from(from, progression).await?;
        let mut found = Vec::new();
        let free = free + passed.len();
        let grid = |number: i64| (i128::from(number) - i128::from(from)) / i128::from(progression.step);
        while stored.advance().await? {
            let document = stored.deserialize_current()?;
            let Some(number) = whole_value_of(&document) else { continue };
            if grid(number) >= (free + found.len()) as i128 {
                break;
            }
            if (i128::from(number) - i128::from(from)) % i128::from(progression.step) == 0
                && found.last() != Some(&number)
            {
                found.push(number);
            }
        }
        Ok(found)
    }

    /// The last number of the run `from, from + step, …` of which every one is stored; `None` if `from` is not.
    pub(crate) async fn end_of_run(&self, from: i64, progression: &Progression) -> Result<Option<i64>> {
        let mut stored = self.from(from, progression).await?;
        let mut end = None;
        let mut next = Some(from);
        while let Some(expected) = next {
            if !stored.advance().await? {
                break;
            }
            let document = stored.deserialize_current()?;
            match whole_value_of(&document) {
                Some(number) if number == expected => {
                    end = Some(number);
                    next = number.checked_add(progression.step);
                }
                Some(number) if progression.beyond(number, expected) => break,
                _ => {} // a fraction, off the grid, or a second time
            }
        }
        Ok(end)
    }

    /// The next of the numbers `from, from + step, …` that is stored.
    pub(crate) async fn next_stored(&self, from: i64, progression: &Progression) -> Result<Option<i64>> {
        let mut stored = self.from(from, progression).await?;
        while stored.advance().await? {
            let document = stored.deserialize_current()?;
            let number = whole_value_of(&document);
            let grid = |number: i64| (i128::from(number) - i128::from(from)) % i128::from(progression.step) == 0;
            if let Some(number) = number.filter(|&number| grid(number)) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The documents with a number from this one on, in the direction of the step.
    async fn from(&self, from: i64, progression: &Progression) -> Result<Cursor<Verbatim>> {
        let (low, high) = progression.range();
        let (low, high) = if progression.ascending() { (from, high) } else { (low, from) };
        let stored = self
            .collection
            .find(self.within(low, high))
            .sort(doc! { &self.field: progression.direction() })
            .projection(self.value())
            .collation(simple())
            .max_time(SCAN_TIME)
            .await?;
        Ok(stored)
    }

    /// An array would match by one of its elements, and is no number.
    pub(crate) fn within(&self, low: i64, high: i64) -> Document {
        let mut filter = self.in_scope();
        filter.insert(&self.field, doc! { "$gte": low, "$lte": high, "$not": { "$type": "array" } });
        filter
    }

    /// The same where no lists are: only then the server answers from the index alone.
    pub(crate) fn numbers(&self, low: i64, high: i64) -> Document {
        let mut filter = self.in_scope();
        filter.insert(&self.field, doc! { "$gte": low, "$lte": high });
        filter
    }

    /// `$eq`, so that no value is taken for an operator. Null also finds what has no such field, which is one scope.
    fn in_scope(&self) -> Document {
        self.scope.iter().map(|(field, value)| (field.clone(), doc! { "$eq": value }.into())).collect()
    }

    /// What [`value_of`] and [`whole_value_of`] read.
    pub(crate) fn value(&self) -> Document {
        value_at(&format!("${}", self.field))
    }
}

/// The same of a number that is found under this path.
pub(crate) fn value_at(path: &str) -> Document {
    doc! {
        "_id": 0,
        VALUE: { "$toLong": { "$floor": path } },
        WHOLE: { "$eq": [path, { "$floor": path }] },
    }
}

fn exactly(value: &Bson) -> Document {
    doc! { "$eq": value, "$not": { "$type": "array" } }
}

pub(crate) fn value_of(document: &Document) -> Option<i64> {
    let value: Option<&Bson> = document.get(VALUE);
    number::decode(value).ok().map(|number| number.value)
}

/// `None` for a fraction.
pub(crate) fn whole_value_of(document: &Document) -> Option<i64> {
    value_of(document).filter(|_| document.get_bool(WHOLE).unwrap_or(false))
}

/// The collection may have a collation of its own, under which an index that serves these queries is not used.
pub(crate) fn simple() -> Collation {
    Collation::builder().locale("simple").build()
}
