//! `SequencedCollection`: a collection whose callers share the round trips of their numbers and inserts.

mod builder;
mod combiners;
mod gapless;
mod lane;
mod plain;
mod queue;

use std::{fmt, ops::Deref, sync::Arc};

use mongodb::Collection;

pub use self::builder::SequencedCollectionBuilder;
pub(crate) use self::lane::{Shared, Stored};
use crate::{InsertTarget, combiner::BlockSize};

/// A [`Collection`] whose callers share round trips: those who wait at the same time take their numbers with one command
/// and insert with one more, and without gaps they share one transaction (group commit).
///
/// Make one when the service starts, and clone it: all clones share the same queues. It is a `Collection` in every other
/// way ([`Deref`]), and what is generated for a model takes it in place of one. Nothing waits for a timer, and nothing is
/// reserved that nobody asked for: a lone caller sends what it would send without, and the more wait, the less each costs.
///
/// | call | what is shared |
/// |---|---|
/// | `insert_with_seq(&orders)` | one `findAndModify` for each counter, one `insert` |
/// | `.gapless()`, or a field declared so | one transaction for all who need the same counters |
/// | with `.session(..)`, another setter, or a number that the model brings along; bulk; find or insert | the counters, of numbers that may have gaps |
///
/// Each caller gets the result, or the error, that it would have had alone: a document that is refused fails by itself,
/// and the others are stored. Numbers are given in the order of the queue. A model whose `Serialize` makes other bytes
/// depend on its number (three different numbers are tried) goes alone.
///
/// With [blocks](SequencedCollectionBuilder::block_size) numbers that may have gaps are reserved ahead and handed out from
/// memory.
///
/// The queues are served by tasks on the runtime of a caller, which end with the last handle, or after a while without
/// work. So let all callers be on one runtime, or on such as never stand still: one without threads (`current_thread`) on
/// which nobody blocks holds up whoever waits in the queues that it serves. They hold the documents as bytes, 10,000 at most
/// for each queue; more are refused as [`Overloaded`](crate::ErrorKind::Overloaded).
///
/// ```no_run
/// # use sequence_core as mongo_sequence;
/// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
/// # #[auto_increment(crate = ::sequence_core)]
/// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
/// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
/// use mongo_sequence::{AutoIncrement, SequencedCollection};
///
/// let orders = SequencedCollection::new(db.collection::<Order>("orders"));
/// let mut order = Order { id: 0, item: "tea".into() };
/// order.insert_with_seq(&orders).gapless().await?;
/// # Ok(())
/// # }
/// ```
pub struct SequencedCollection<T: Send + Sync> {
    collection: Collection<T>,
    shared: Arc<Shared>,
}

impl<T: Send + Sync> SequencedCollection<T> {
    /// Shares the round trips of all clones of this value. Sends nothing.
    #[must_use]
    pub fn new(collection: Collection<T>) -> Self {
        Self::with(collection, BlockSize::None)
    }

    /// The same with blocks of numbers that are reserved ahead. Sends nothing.
    pub fn builder(collection: Collection<T>) -> SequencedCollectionBuilder<T> {
        SequencedCollectionBuilder::new(collection)
    }

    fn with(collection: Collection<T>, size: BlockSize) -> Self {
        Self { collection, shared: Arc::new(Shared::new(size)) }
    }

    /// Takes no more documents and waits until all that are queued have been answered, at all clones of this value. Calls
    /// that come later are refused as [`ShutDown`](crate::ErrorKind::ShutDown), unless they go alone. What is left of
    /// blocks is given up.
    ///
    /// # Cancellation
    ///
    /// What was queued is still done, and nothing more is taken.
    pub async fn shutdown(&self) -> Shutdown {
        let (documents, unused_numbers) = self.shared.shut_down().await;
        Shutdown { documents, unused_numbers }
    }
}

/// What [`SequencedCollection::shutdown`] has waited for, and what it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shutdown {
    /// How many documents were queued or under way, all of which have been answered.
    pub documents: usize,
    /// How many numbers were reserved in blocks and not used. They are gaps now.
    pub unused_numbers: u64,
}

impl<T: Send + Sync> Clone for SequencedCollection<T> {
    fn clone(&self) -> Self {
        Self { collection: self.collection.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<T: Send + Sync> Deref for SequencedCollection<T> {
    type Target = Collection<T>;

    fn deref(&self) -> &Collection<T> {
        &self.collection
    }
}

impl<T: Send + Sync> fmt::Debug for SequencedCollection<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequencedCollection").field("namespace", &self.collection.namespace()).finish_non_exhaustive()
    }
}

impl<T: Send + Sync> crate::insert_target::Sealed for SequencedCollection<T> {}

impl<T: Send + Sync> InsertTarget<T> for SequencedCollection<T> {
    fn __collection(&self) -> &Collection<T> {
        &self.collection
    }

    fn __shared(&self) -> Option<&Shared> {
        Some(&self.shared)
    }
}
