//! The block that numbers are handed out from, without a lock and without an allocation.
//!
//! One `fetch_add` on `head` gives a caller its places in the block; the block itself is read from a slot, which a sequence
//! number protects from being overwritten while it is read. Only [`Block::replace`], which one thread at a time may call,
//! writes slots.

use crate::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering, fence};

/// How many numbers may be taken at once, and how many a block holds at most. `head` counts places in 32 bits, also of
/// those who come in vain, until [`Block::settle`]: it would take 3,000 threads that come in vain between two of its
/// instructions to overflow it.
pub(crate) const MOST_TAKEN: u32 = 1 << 20;
pub(crate) const LONGEST: u32 = 1 << 30;

/// A thread that has got its place and not read the slot yet has so many changes of block to do it. Later it finds another
/// generation, and its numbers are lost.
const SLOTS: usize = 4;
/// No block has it: only 32 bits of `head` are its generation.
const BEING_WRITTEN: u64 = u64::MAX;

/// A run of reserved numbers and how many of them are taken.
#[derive(Debug)]
pub(crate) struct Block {
    /// The generation of the block, and below it, in 32 bits, how many places are given.
    head: Line<AtomicU64>,
    slots: Line<[Slot; SLOTS]>,
    step: i64,
}

/// Kept on cache lines of its own: every call writes `head`, and every call reads the slots.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line<T>(T);

#[derive(Debug, Default)]
struct Slot {
    generation: AtomicU64,
    first: AtomicI64,
    length: AtomicU32,
    low: AtomicU32,
}

/// Numbers that nobody else has: `n` of them, from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) first: i64,
    pub(crate) n: u32,
    /// Whether it is time to reserve the next block: said once for each block.
    pub(crate) is_low: bool,
}

impl Block {
    /// An empty block of a sequence with this step.
    pub(crate) fn new(step: i64) -> Self {
        Self { head: Line::default(), slots: Line::default(), step }
    }

    /// Takes `n` numbers (at most [`MOST_TAKEN`]), or what is left of them.
    pub(crate) fn take(&self, n: u32) -> Option<Taken> {
        let n = n.min(MOST_TAKEN);
        loop {
            let head = self.head.0.fetch_add(u64::from(n), Ordering::Acquire);
            // overwritten meanwhile: the numbers are lost
            let Some((first, length, low)) = self.read(generation(head)) else { continue };
            let place = places(head);
            let n = n.min(length.saturating_sub(place));
            if n == 0 {
                return None;
            }
            // a block holds what one move of the counter has reserved, so these are exact, whatever overflows on the way
            let first = first.wrapping_add(self.step.wrapping_mul(i64::from(place)));
            return Some(Taken { first, n, is_low: (place..place + n).contains(&low) });
        }
    }

    /// Hands out these numbers from now on. Returns how many of the block before were not taken.
    ///
    /// One thread at a time may call this, and [`settle`](Self::settle).
    pub(crate) fn replace(&self, first: i64, length: u32) -> u32 {
        let length = length.min(LONGEST);
        let next = generation(self.head.0.load(Ordering::Relaxed)).wrapping_add(1);
        let Some(slot) = self.slots.0.get(next as usize % SLOTS) else { return 0 };
        slot.generation.store(BEING_WRITTEN, Ordering::Relaxed);
        fence(Ordering::Release);
        slot.first.store(first, Ordering::Relaxed);
        slot.length.store(length, Ordering::Relaxed);
        slot.low.store(length / 2, Ordering::Relaxed);
        slot.generation.store(next.into(), Ordering::Release);
        let before = self.head.0.swap(u64::from(next) << 32, Ordering::AcqRel);
        self.read(generation(before)).map_or(0, |(_, length, _)| length.saturating_sub(places(before)))
    }

    /// After somebody came in vain: forgets the places that were given behind the end. Returns how many numbers are left.
    pub(crate) fn settle(&self) -> u32 {
        let head = self.head.0.load(Ordering::Acquire);
        let length = self.read(generation(head)).map_or(0, |(_, length, _)| length);
        if places(head) > length {
            self.head.0.fetch_sub(u64::from(places(head) - length), Ordering::Release);
        }
        length.saturating_sub(places(head))
    }

    /// A value that changes whenever a number is taken.
    pub(crate) fn position(&self) -> u64 {
        self.head.0.load(Ordering::Relaxed)
    }

    /// First number, length, and the place at which the block is low; `None` if the slot has another generation by now.
    fn read(&self, generation: u32) -> Option<(i64, u32, u32)> {
        let slot = self.slots.0.get(generation as usize % SLOTS)?;
        let is = |found: u64| found == u64::from(generation);
        if !is(slot.generation.load(Ordering::Acquire)) {
            return None;
        }
        let block =
            (slot.first.load(Ordering::Relaxed), slot.length.load(Ordering::Relaxed), slot.low.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        is(slot.generation.load(Ordering::Relaxed)).then_some(block)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the upper half of 64 bits has 32")]
fn generation(head: u64) -> u32 {
    (head >> 32) as u32
}

#[allow(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn places(head: u64) -> u32 {
    head as u32
}
