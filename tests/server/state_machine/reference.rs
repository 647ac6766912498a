//! What a counter and its handles must do, without a server: sums, and a list of what is left of each block.

use std::{
    collections::{BTreeSet, VecDeque},
    iter,
};

use mongo_sequence::{Error, ErrorKind};

/// What came of one call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Numbers(Vec<i64>),
    StandsAt(i64),
    Restarted,
    Exhausted { remaining: u64 },
    BlocksReserved,
    Refused { stored: i64 },
    Invalid,
}

impl From<Error> for Outcome {
    fn from(error: Error) -> Self {
        match *error.kind() {
            ErrorKind::Exhausted { remaining, .. } => Self::Exhausted { remaining },
            ErrorKind::BlocksReserved { .. } => Self::BlocksReserved,
            ErrorKind::RestartRefused { stored, .. } => Self::Refused { stored },
            ErrorKind::InvalidSequence { .. } => Self::Invalid,
            _ => panic!("{error:?}"),
        }
    }
}

/// For a handle that goes on after its answer, to have the next block in time: how many commands are answered until it is
/// at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Prefetch {
    pub(super) moves: usize,
    pub(super) reads: usize,
}

impl Prefetch {
    /// With what was answered before.
    fn after(self, moves: usize, reads: usize) -> Self {
        Self { moves: self.moves + moves, reads: self.reads + reads }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) start: i64,
    pub(super) step: i64,
    /// The furthest number it may hand out.
    pub(super) last: i64,
    pub(super) value: Option<i64>,
    gave_blocks: bool,
    /// The numbers of documents.
    stored: BTreeSet<i64>,
    /// What the handles with blocks have in memory.
    pub(super) blocks: [Blocks; 2],
}

#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub(super) size: u32,
    /// The current block and the one behind it.
    left: VecDeque<Block>,
}

#[derive(Clone, Debug)]
struct Block {
    length: usize,
    left: VecDeque<i64>,
}

impl Block {
    fn new(numbers: Vec<i64>) -> Self {
        Self { length: numbers.len(), left: numbers.into() }
    }

    /// The next number, and whether it is the one at which the next block is fetched.
    fn next(&mut self) -> Option<(i64, bool)> {
        let is_low = self.length - self.left.len() == self.length / 2;
        self.left.pop_front().map(|number| (number, is_low))
    }
}

impl Reference {
    pub(super) fn new(start: i64, step: i64, last: i64, sizes: [u32; 2]) -> Self {
        let blocks = sizes.map(|size| Blocks { size, left: VecDeque::new() });
        Self { start, step, last, value: None, gave_blocks: false, stored: BTreeSet::new(), blocks }
    }

    pub(super) fn take(&mut self, n: u64) -> Outcome {
        if n == 0 {
            return Outcome::Numbers(Vec::new());
        }
        match self.remaining() {
            remaining if remaining < n => Outcome::Exhausted { remaining },
            _ => Outcome::Numbers(self.advance(n)),
        }
    }

    /// Calls that share one command: whoever gets less than it asked for gets nothing.
    pub(super) fn take_together(&mut self, amounts: &[u64]) -> Vec<Outcome> {
        let taken: Vec<_> = amounts.iter().map(|&n| self.take(n)).collect();
        let remaining = self.remaining();
        let refused = |outcome| {
            if matches!(outcome, Outcome::Exhausted { .. }) { Outcome::Exhausted { remaining } } else { outcome }
        };
        taken.into_iter().map(refused).collect()
    }

    pub(super) fn take_in_transaction(&mut self, amounts: &[u64], commits: bool) -> Vec<Outcome> {
        self.exist(); // outside of it
        let before = self.value;
        let mut outcomes = Vec::new();
        for &n in amounts {
            outcomes.push(self.take(n));
            if matches!(outcomes.last(), Some(Outcome::Exhausted { .. })) {
                self.value = before;
                return outcomes;
            }
        }
        if !commits {
            self.value = before;
        }
        outcomes
    }

    pub(super) fn insert(&mut self) -> Outcome {
        let taken = self.take(1);
        if let Outcome::Numbers(numbers) = &taken {
            self.stored.extend(numbers);
        }
        taken
    }

    /// From the blocks of a handle first.
    pub(super) fn take_from_blocks(&mut self, handle: usize, n: u64) -> (Outcome, Prefetch) {
        let mut got = Vec::new();
        let mut is_low = false;
        while (got.len() as u64) < n
            && let Some(block) = self.blocks[handle].left.front_mut()
        {
            match block.next() {
                Some((number, low)) => {
                    got.push(number);
                    is_low |= low;
                }
                None => drop(self.blocks[handle].left.pop_front()),
            }
        }
        if got.len() as u64 == n {
            let prefetch = if is_low { self.prefetch(handle) } else { Prefetch::default() };
            return (Outcome::Numbers(got), prefetch);
        }
        if self.value.is_none() {
            (got, is_low) = (Vec::new(), false); // these may come again
        }
        let remaining = self.remaining();
        let missing = n - got.len() as u64;
        if remaining < missing {
            let prefetch = if is_low { self.prefetch(handle).after(1, 1) } else { Prefetch::default() };
            return (Outcome::Exhausted { remaining }, prefetch);
        }
        let mut numbers = self.reserve(missing + u64::from(self.blocks[handle].size));
        let ahead = numbers.split_off(usize::try_from(missing).unwrap());
        got.extend(numbers);
        // a block of no number does not end the search for one
        let prefetch = if is_low && ahead.is_empty() { self.prefetch(handle).after(2, 1) } else { Prefetch::default() };
        self.blocks[handle].left = VecDeque::from([Block::new(ahead)]);
        (Outcome::Numbers(got), prefetch)
    }

    fn prefetch(&mut self, handle: usize) -> Prefetch {
        let is_lost = self.value.is_none();
        if is_lost {
            self.blocks[handle].left.clear();
        }
        let (remaining, wanted) = (self.remaining(), u64::from(self.blocks[handle].size));
        if remaining == 0 {
            return Prefetch { moves: 1, reads: 1 };
        }
        let block = Block::new(self.reserve(wanted));
        self.blocks[handle].left.push_back(block);
        // in vain, the creation; in vain because of the limit; the one that succeeds
        let moves = 2 * usize::from(is_lost) + usize::from(remaining < wanted) + 1;
        Prefetch { moves, reads: 0 }
    }

    pub(super) fn raise_to(&mut self, n: i64) -> Outcome {
        if self.is_beyond(n, self.last) {
            return Outcome::Invalid;
        }
        let steps = if self.is_beyond(self.start, n) { -1 } else { (n - self.start) / self.step };
        let to = self.start + steps * self.step;
        let value = self.exist();
        let value = if self.is_beyond(to, value) { to } else { value };
        self.value = Some(value);
        Outcome::StandsAt(value)
    }

    pub(super) fn restart(&mut self, n: i64, are_stopped: bool) -> Outcome {
        if self.is_beyond(self.start, n) || self.is_beyond(n, self.last) {
            return Outcome::Invalid;
        }
        let value = self.exist();
        if self.is_beyond(value, n - self.step) {
            if self.gave_blocks && !are_stopped {
                return Outcome::BlocksReserved;
            }
            if let Some(&stored) = self.stored.last().filter(|&&stored| stored >= n) {
                return Outcome::Refused { stored };
            }
        }
        self.value = Some(n - self.step);
        Outcome::Restarted
    }

    pub(super) fn give_up_blocks(&mut self, handle: usize) {
        self.blocks[handle].left.clear();
    }

    /// The counter's document is deleted.
    pub(super) fn lose(&mut self) {
        self.value = None;
        self.gave_blocks = false;
    }

    /// Where it stands; a missing one begins behind the documents there are. (Only a sequence that counts up by 1 has any.)
    fn exist(&mut self) -> i64 {
        let furthest = self.stored.last().copied();
        *self.value.get_or_insert(furthest.unwrap_or(self.start - self.step))
    }

    fn remaining(&mut self) -> u64 {
        let value = self.exist();
        u64::try_from((i128::from(self.last) - i128::from(value)) / i128::from(self.step)).unwrap()
    }

    /// So many numbers for a block, or what is left.
    fn reserve(&mut self, n: u64) -> Vec<i64> {
        self.gave_blocks = true;
        let n = n.min(self.remaining());
        self.advance(n)
    }

    fn advance(&mut self, n: u64) -> Vec<i64> {
        let (value, step) = (self.exist(), self.step);
        let numbers: Vec<_> = iter::successors(Some(value + step), |number| number.checked_add(step))
            .take(usize::try_from(n).unwrap())
            .collect();
        self.value = numbers.last().copied().or(self.value);
        numbers
    }

    fn is_beyond(&self, a: i64, b: i64) -> bool {
        if self.step > 0 { a > b } else { a < b }
    }
}
