//! What the callers of a handle share at each counter.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    combiner::{BlockSize, Combiner},
    counter::Counter,
    observe::Mode,
};

/// From how many on those are looked for that nobody uses.
const MANY: usize = 1_024;

/// A sequence of the model, and the bytes of its scope.
pub(crate) type Key = (usize, Vec<u8>);

#[derive(Debug, Default)]
pub(crate) struct Combiners {
    size: BlockSize,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    combiners: HashMap<Key, Arc<Combiner>>,
    /// How many the last look has left.
    left: usize,
    /// How many there may be before unused ones are removed again.
    most: usize,
}

impl Known {
    /// Removes those that nobody uses: with blocks, those that have given no number since the last look. What they have
    /// left is lost.
    fn tidy(&mut self) {
        let new = self.combiners.len() - self.left;
        self.combiners.retain(|_, combiner| {
            let is_idle = combiner.is_idle();
            Arc::strong_count(combiner) > 1 || !is_idle
        });
        self.left = self.combiners.len();
        // New ones stay for now. Only the others tell how many are in use, so that these grow no faster than that.
        let in_use = self.left.saturating_sub(new);
        self.most = self.left + in_use.max(MANY);
    }
}

impl Combiners {
    pub(super) fn new(size: BlockSize) -> Self {
        Self { size, known: Mutex::default() }
    }

    /// Which way the numbers of all of them take.
    pub(crate) fn mode(&self) -> Mode {
        self.size.mode()
    }

    /// That of this counter.
    pub(crate) fn of(&self, key: Key, counter: &Counter) -> Arc<Combiner> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(combiner) = known.combiners.get(&key) {
            return Arc::clone(combiner);
        }
        if known.combiners.len() >= known.most {
            known.tidy();
        }
        let combiner = Arc::new(Combiner::new(counter.clone().in_mode(self.mode()), self.size));
        known.combiners.insert(key, Arc::clone(&combiner));
        combiner
    }

    /// Throws away all blocks; how many numbers were left in them.
    pub(super) fn discard(&self) -> u64 {
        let known = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        known.combiners.values().map(|combiner| combiner.discard()).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use mongodb::{Client, bson::Bson};

    use super::{Combiners, Counter, MANY};
    use crate::{combiner::BlockSize, counter::Origin, definition::Progression};

    #[tokio::test]
    async fn a_million_scopes_one_after_another_leave_a_few() {
        let client = Client::with_uri_str("mongodb://localhost").await.unwrap(); // nothing is sent
        let progression = Progression { start: Some(1), step: 1, last: i64::MAX };
        let key = Bson::String("orders.number".to_owned());
        let counter = Counter::new(&client.database("test"), "sequences", key, "seq", progression, Origin::Unknown);
        for size in [BlockSize::None, BlockSize::Fixed(100)] {
            let combiners = Combiners::new(size);
            let mut in_use = VecDeque::new(); // by as many callers
            for scope in 0..1_000_000_u32 {
                in_use.push_back(combiners.of((0, scope.to_le_bytes().to_vec()), &counter));
                if in_use.len() > 200 {
                    in_use.pop_front();
                }
                assert!(combiners.known.lock().unwrap().combiners.len() <= 4 * MANY);
            }
        }
    }
}
