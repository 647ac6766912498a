//! Whether the numbers are right.

use futures_util::TryStreamExt;
use mongodb::{
    Database,
    bson::{Document, doc},
};
use serde::Deserialize;

use crate::{Result, measure::Told};

/// What a way promises of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// There are none.
    Nothing,
    Unique,
    /// And 1, 2, 3 up to the counter.
    Gapless,
}

#[derive(Deserialize)]
struct Stored {
    #[serde(rename = "_id")]
    id: i64,
}

/// Compares what callers were told with what is stored, and drops the collection.
pub(crate) async fn check(db: &Database, name: &str, told: Told, promise: Promise) -> Result<()> {
    let collection = db.collection::<Document>(name);
    if promise == Promise::Nothing {
        let stored = collection.count_documents(doc! {}).await?;
        same("documents are stored", stored, "were acknowledged", told.acknowledged as u64)?;
    } else {
        let stored = collection.clone_with_type::<Stored>();
        let ids = stored.find(doc! {}).projection(doc! { "_id": 1 }).batch_size(100_000).await?;
        let mut stored: Vec<i64> = ids.map_ok(|stored| stored.id).try_collect().await?;
        same("documents are stored", stored.len(), "were acknowledged", told.acknowledged)?;
        let numbers = unique(told.numbers)?;
        stored.sort_unstable();
        if let Some((stored, told)) = stored.iter().zip(&numbers).find(|(stored, told)| stored != told) {
            return Err(format!("number {stored} is stored where {told} was told to a caller").into());
        }
        same("numbers are stored", stored.len(), "were told to callers", numbers.len())?;
        if promise == Promise::Gapless {
            let counters = db.collection::<Document>("sequences");
            let counter = counters.find_one(doc! { "_id": format!("{name}._id") }).await?;
            let counter = counter.ok_or("there is no counter")?.get_i64("seq")?;
            if let Some((expected, found)) = (1..).zip(&stored).find(|(expected, found)| expected != *found) {
                return Err(format!("there is a gap: {found} is stored where {expected} should be").into());
            }
            same("is the counter", counter, "is the last number", stored.last().copied().unwrap_or_default())?;
        }
    }
    Ok(collection.drop().await?)
}

/// In order, if none is there twice.
pub(crate) fn unique(mut numbers: Vec<i64>) -> Result<Vec<i64>> {
    numbers.sort_unstable();
    match numbers.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("number {} was told twice", pair[0]).into()),
        None => Ok(numbers),
    }
}

fn same<N: Copy + PartialEq + std::fmt::Display>(what: &str, found: N, than: &str, expected: N) -> Result<()> {
    if found == expected { Ok(()) } else { Err(format!("{found} {what}, and {expected} {than}").into()) }
}
