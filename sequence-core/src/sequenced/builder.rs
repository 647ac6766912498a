//! How a `SequencedCollection` with blocks is made.

use std::{fmt, ops::RangeInclusive};

use mongodb::Collection;

use super::SequencedCollection;
use crate::combiner::BlockSize;

/// Makes a [`SequencedCollection`] with blocks. Construct with [`SequencedCollection::builder`].
///
/// ```no_run
/// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
/// # #[auto_increment(crate = ::sequence_core)]
/// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
/// # fn example(db: &mongodb::Database) {
/// use sequence_core::SequencedCollection;
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

    /// Reserves so many numbers at once, from each counter whose numbers may have gaps, and hands them out from memory;
    /// the next block is fetched when half of one is left. 0, the default, reserves nothing ahead; 1,073,741,824 is the
    /// most.
    ///
    /// Numbers then increase within this handle, not over all processes, and up to twice so many are lost when it is
    /// dropped or its process ends. For gapless numbers it has no effect.
    pub fn block_size(mut self, size: u32) -> Self {
        self.size = BlockSize::fixed(size);
        self
    }

    /// As [`block_size`](Self::block_size), with a size that follows demand: between the two, and so that a block lasts
    /// about 20 times as long as it takes to reserve one.
    ///
    /// ```no_run
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # fn example(db: &mongodb::Database) {
    /// # use sequence_core::SequencedCollection;
    /// let orders = db.collection::<Order>("orders");
    /// let orders = SequencedCollection::builder(orders).adaptive_block_size(16..=10_000).build();
    /// # }
    /// ```
    pub fn adaptive_block_size(mut self, sizes: RangeInclusive<u32>) -> Self {
        self.size = BlockSize::adaptive(&sizes);
        self
    }

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
