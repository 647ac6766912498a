//! The numbers that documents already have. Read from the primary with read concern `local`, whatever the collection
//! says: a secondary, or a majority that lags, shows an older highest number.

use std::time::Duration;

use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
    options::{Collation, CollectionOptions, ReadConcern, ReadPreference, SelectionCriteria},
};

use crate::{Result, definition::Progression, number};

/// How long one look at the data may take. Without an index on the field it is a scan of the collection.
const SCAN_TIME: Duration = Duration::from_secs(30);
/// The computed fields of the projections below: the number, and whether it is one without its fraction.
const VALUE: &str = "v";
const WHOLE: &str = "w";

/// The stored numbers of one sequence.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    collection: Collection<Document>,
    field: String,
}

impl Data {
    pub(crate) fn new<T: Send + Sync>(collection: &Collection<T>, field: &str) -> Self {
        let namespace = collection.namespace();
        let options = CollectionOptions::builder()
            .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
            .read_concern(ReadConcern::local())
            .build();
        let database = collection.client().database(&namespace.db);
        Self { collection: database.collection_with_options(&namespace.coll, options), field: field.to_owned() }
    }

    pub(crate) fn collection(&self) -> &Collection<Document> {
        &self.collection
    }

    /// The number furthest in the direction of the step among those the sequence can hand out. Anything else under this
    /// name (strings, a stray timestamp beyond the limit, NaN) does not count.
    pub(crate) async fn furthest(&self, progression: &Progression) -> Result<Option<i64>> {
        let (low, high) = progression.range();
        let found = self
            .collection
            .find_one(self.within(low, high))
            .sort(doc! { &self.field: if progression.ascending() { -1 } else { 1 } })
            .projection(self.value())
            .collation(simple())
            .max_time(SCAN_TIME)
            .await?;
        Ok(found.as_ref().and_then(value_of))
    }

    /// The last number of the run `from, from + step, …` of which every one is stored; `None` if `from` is not.
    pub(crate) async fn end_of_run(&self, from: i64, progression: &Progression) -> Result<Option<i64>> {
        let (low, high) = progression.range();
        let ascending = progression.ascending();
        let (low, high) = if ascending { (from, high) } else { (low, from) };
        let mut stored = self
            .collection
            .find(self.within(low, high))
            .sort(doc! { &self.field: if ascending { 1 } else { -1 } })
            .projection(self.value())
            .collation(simple())
            .max_time(SCAN_TIME)
            .await?;
        let mut end = None;
        let mut next = Some(from);
        while let Some(expected) = next {
            if !stored.advance().await? {
                break;
            }
            let document = stored.deserialize_current()?;
            match value_of(&document).filter(|_| document.get_bool(WHOLE).unwrap_or(false)) {
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

    /// An array would match by one of its elements, and is no number.
    fn within(&self, low: i64, high: i64) -> Document {
        doc! { &self.field: { "$gte": low, "$lte": high, "$not": { "$type": "array" } } }
    }

    fn value(&self) -> Document {
        let path = format!("${}", self.field);
        doc! {
            "_id": 0,
            VALUE: { "$toLong": { "$floor": &path } },
            WHOLE: { "$eq": [&path, { "$floor": &path }] },
        }
    }
}

fn value_of(document: &Document) -> Option<i64> {
    let value: Option<&Bson> = document.get(VALUE);
    number::decode(value).ok().map(|number| number.value)
}

/// The collection may have a collation of its own, under which an index that serves these queries is not used.
fn simple() -> Collation {
    Collation::builder().locale("simple").build()
}
