//! How many numbers are reserved ahead.

use std::{
    ops::RangeInclusive,
    time::{Duration, Instant},
};

use super::block::LONGEST;
use crate::observe::Mode;

/// A block whose size follows demand lasts so many times as long as it takes to reserve one. It is low when half of it is
/// left.
const LASTS: u32 = 20;
/// By how much it grows at most from one to the next.
const GROWS: u32 = 8;

/// What a handle was told about its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BlockSize {
    /// Nothing is reserved that nobody has asked for.
    #[default]
    None,
    Fixed(u32),
    Adaptive {
        floor: u32,
        ceiling: u32,
    },
}

impl BlockSize {
    pub(crate) fn fixed(size: u32) -> Self {
        if size == 0 { Self::None } else { Self::Fixed(size.min(LONGEST)) }
    }

    pub(crate) fn adaptive(sizes: &RangeInclusive<u32>) -> Self {
        let floor = (*sizes.start()).clamp(1, LONGEST);
        Self::Adaptive { floor, ceiling: (*sizes.end()).clamp(floor, LONGEST) }
    }

    /// Which way the numbers of such a handle take.
    pub(crate) fn mode(self) -> Mode {
        if self == Self::None { Mode::Combined } else { Mode::Block }
    }
}

/// The setters of a builder that holds its [`BlockSize`] in `size`.
macro_rules! block_setters {
    () => {
        /// Reserves so many numbers at once, from each counter whose numbers may have gaps, and hands them out from
        /// memory; the next block is fetched when half of one is left. 0, the default, reserves nothing ahead;
        /// 1,073,741,824 is the most.
        ///
        /// Numbers then increase within this handle, not over all processes, and up to twice so many are lost when it is
        /// dropped or its process ends. For gapless numbers it has no effect.
        pub fn block_size(mut self, size: u32) -> Self {
            self.size = $crate::combiner::BlockSize::fixed(size);
            self
        }

        /// As [`block_size`](Self::block_size), with a size that follows demand: between the two, and so that a block
        /// lasts about 20 times as long as it takes to reserve one.
        ///
        /// ```no_run
        /// # use sequence_core::{Sequence, SharedSequence};
        /// # fn example(sequence: Sequence) -> SharedSequence {
        /// # let builder = SharedSequence::builder(sequence);
        /// builder.adaptive_block_size(16..=10_000).build()
        /// # }
        /// ```
        pub fn adaptive_block_size(mut self, sizes: std::ops::RangeInclusive<u32>) -> Self {
            self.size = $crate::combiner::BlockSize::adaptive(&sizes);
            self
        }
    };
}
pub(crate) use block_setters;

/// The size of the next block.
#[derive(Debug)]
pub(super) struct Sizes {
    rule: BlockSize,
    /// When numbers were last reserved, how many, and how long that took.
    last: Option<(Instant, u64, Duration)>,
    size: u32,
}

impl Sizes {
    pub(super) fn new(rule: BlockSize) -> Self {
        let size = match rule {
            BlockSize::None => 0,
            BlockSize::Fixed(size) => size,
            BlockSize::Adaptive { floor, .. } => floor,
        };
        Self { rule, last: None, size }
    }

    /// How many to reserve now.
    pub(super) fn next(&mut self, now: Instant) -> u32 {
        if let (BlockSize::Adaptive { floor, ceiling }, Some((then, reserved, took))) = (self.rule, self.last) {
            // what was reserved then has about been used since
            #[allow(clippy::cast_precision_loss, reason = "an estimate")]
            let used = reserved as f64 * took.as_secs_f64() / now.duration_since(then).as_secs_f64().max(1e-6);
            let wanted = (used * f64::from(LASTS)).min(f64::from(self.size) * f64::from(GROWS));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
            let wanted = wanted as u32;
            self.size = wanted.clamp(floor, ceiling);
        }
        self.size
    }

    /// So many were reserved by a command that was sent at `then`.
    pub(super) fn reserved(&mut self, n: u64, then: Instant, took: Duration) {
        self.last = Some((then, n, took));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{BlockSize, Sizes};

    #[test]
    fn an_adaptive_size_follows_demand_between_floor_and_ceiling() {
        let mut sizes = Sizes::new(BlockSize::adaptive(&(64..=10_000)));
        let mut now = Instant::now();
        let mut steps = |per_second: f64, steps: usize| {
            let mut last = 0;
            for _ in 0..steps {
                last = sizes.next(now);
                sizes.reserved(last.into(), now, Duration::from_millis(5));
                now += Duration::from_secs_f64(f64::from(last) / per_second);
            }
            last
        };
        assert_eq!(steps(20_000.0, 1), 64);
        assert!((1_990..=2_000).contains(&steps(20_000.0, 3))); // 100 ms, of which one reservation takes 5
        assert_eq!(steps(10_000_000.0, 3), 10_000);
        assert_eq!(steps(1.0, 3), 64);
    }

    #[test]
    fn sizes_that_make_no_sense_are_the_nearest_that_do() {
        assert_eq!(BlockSize::fixed(0), BlockSize::None);
        #[allow(clippy::reversed_empty_ranges, reason = "what a user may write")]
        let reversed = BlockSize::adaptive(&(100..=10));
        assert_eq!(reversed, BlockSize::Adaptive { floor: 100, ceiling: 100 });
        assert_eq!(BlockSize::adaptive(&(0..=0)), BlockSize::Adaptive { floor: 1, ceiling: 1 });
    }
}
