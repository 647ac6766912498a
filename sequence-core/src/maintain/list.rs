//! All counters, for dashboards and scripts.

use mongodb::{
    Database,
    bson::{Bson, doc},
};
use serde::Serialize;

use crate::{
    Result, Sequence,
    counter::BLOCKS,
    data::as_it_is_now,
    definition::{DEFAULT_COUNTERS, DEFAULT_VALUE_FIELD},
    document::Verbatim,
    number,
};

/// One counter, as [`Sequence::list`] has found it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListedCounter {
    /// Its `_id`: the name of the sequence, or a document of name (`seq`) and scope.
    pub key: Bson,
    /// The last number handed out. `None` if the document holds none.
    pub value: Option<i64>,
    /// Whether numbers were ever reserved in blocks.
    pub gave_blocks: bool,
}

impl Sequence {
    /// Every counter in the collection `sequences` of this database, in the order of their keys.
    ///
    /// Sends one `find`, to the primary; memory grows with the number of counters.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// Nothing is written.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// for counter in mongo_sequence::Sequence::list(&db).await? {
    ///     println!("{}: {:?}", counter.key, counter.value);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(database: &Database) -> Result<Vec<ListedCounter>> {
        Self::list_in(database, DEFAULT_COUNTERS, DEFAULT_VALUE_FIELD).await
    }

    /// The same for counters in another collection, or with the value in another field.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// Nothing is written.
    pub async fn list_in(database: &Database, counters: &str, value_field: &str) -> Result<Vec<ListedCounter>> {
        let counters = database.collection_with_options::<Verbatim>(counters, as_it_is_now());
        let mut found = counters.find(doc! {}).sort(doc! { "_id": 1 }).await?;
        let mut listed = Vec::new();
        while found.advance().await? {
            let counter = found.deserialize_current()?;
            listed.push(ListedCounter {
                key: counter.get("_id").cloned().unwrap_or(Bson::Null),
                value: number::decode(counter.get(value_field)).ok().map(|number| number.value),
                gave_blocks: counter.contains_key(BLOCKS) && value_field != BLOCKS,
            });
        }
        Ok(listed)
    }
}
