//! The links in the database.

use futures_util::TryStreamExt;
use mongo_sequence::{AutoIncrement, Result, SequencedCollection, Shutdown};
use mongodb::{
    Database,
    bson::{DateTime, Document, doc},
};
use serde::{Deserialize, Serialize};

use crate::{slug, target::Target};

/// A short link. Its number is all that makes it short, and is never stored as text.
#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
pub struct Link {
    /// The number behind the slug.
    #[serde(rename = "_id")]
    #[auto_increment]
    pub id: u64,
    /// Where it leads.
    pub target: String,
    /// When it was made.
    pub created: DateTime,
}

impl Link {
    /// The number in base 62.
    #[must_use]
    pub fn slug(&self) -> String {
        slug::encode(self.id)
    }
}

/// All links. Clones share the numbers that are reserved ahead.
#[derive(Clone, Debug)]
pub struct Links {
    links: SequencedCollection<Link>,
}

impl Links {
    /// The links of a database. So many numbers are reserved at once (0: each on its own).
    #[must_use]
    pub fn new(database: &Database, block_size: u32) -> Self {
        Self { links: SequencedCollection::builder(database.collection("links")).block_size(block_size).build() }
    }

    /// Stores a link under the next number.
    ///
    /// # Errors
    ///
    /// Those of [`insert_with_seq`](AutoIncrement::insert_with_seq).
    pub async fn create(&self, target: Target) -> Result<Link> {
        let mut link = Link { id: 0, target: target.into(), created: DateTime::now() };
        link.insert_with_seq(&self.links).await?;
        Ok(link)
    }

    /// The link with this slug.
    ///
    /// # Errors
    ///
    /// Those of the driver.
    pub async fn find(&self, slug: &str) -> Result<Option<Link>> {
        match slug::decode(slug).and_then(key) {
            Some(id) => Ok(self.links.find_one(doc! { "_id": id }).await?),
            None => Ok(None),
        }
    }

    /// The newest links, or the newest of those before a number.
    ///
    /// # Errors
    ///
    /// Those of the driver.
    pub async fn latest(&self, before: Option<u64>, limit: u32) -> Result<Vec<Link>> {
        let filter = before.and_then(key).map_or_else(Document::new, |before| doc! { "_id": { "$lt": before } });
        let found = self.links.find(filter).sort(doc! { "_id": -1 }).limit(limit.into()).await?;
        Ok(found.try_collect().await?)
    }

    /// Waits for the links that are being stored, and gives up the numbers that are reserved.
    pub async fn shutdown(&self) -> Shutdown {
        self.links.shutdown().await
    }
}

/// A number as the database has it. `None` if it is larger than any that is stored.
fn key(number: u64) -> Option<i64> {
    number.try_into().ok()
}
