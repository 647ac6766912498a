//! How a `SequencedCollection` with blocks is made.

use std::fmt;

use mongodb::Collection;

use super::SequencedCollection;
use crate::combiner::{BlockSize, block_setters};

/// Makes a [`SequencedCollection`] with blocks. Construct with [`SequencedCollection::builder`].
///
/// ```no_run
/// # use sequence_core as mongo_sequence;
/// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
/// # #[auto_increment(crate = ::sequence_core)]
/// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
/// # fn example(db: &mongodb::Database) {
/// use mongo_sequence::SequencedCollection;
///
/// let orders = SequencedCollection::builder(db.collection::<Order>("orders")).block_size(100).build();
/// # }
/// ```
#[must_use = "nothing is made until it is built"]
pub struct SequencedCollectionBuilder<T: Send + Sync> {
    collection: Collection<T>,
    size: BlockSize,
}

impl<T: Send + Sync> SequencedCollectionBuilder<T> {
    pub(super) fn new(collection: Collection<T>) -> Self {
        Self { collection, size: BlockSize::None }
    }

    block_setters!();

    /// The collection, whose clones share its blocks. Sends nothing.
    #[must_use]
    pub fn build(self) -> SequencedCollection<T> {
        SequencedCollection::with(self.collection, self.size)
    }
}

impl<T: Send + Sync> fmt::Debug for SequencedCollectionBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequencedCollectionBuilder")
            .field("namespace", &self.collection.namespace())
            .field("size", &self.size)
            .finish()
    }
}
