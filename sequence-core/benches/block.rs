//! What a number from a block costs, without a server: `cargo bench -p sequence-core --bench block`.
//!
//! One item is one number. With two threads a figure is the time of one thread, which the other disturbs: both together
//! give twice the numbers that it says.

// The file itself, since the crate does not show it.
#[allow(dead_code, reason = "what changes blocks is not measured")]
#[path = "../src/combiner/block.rs"]
mod block;
/// Where it looks for its atomics.
mod sync {
    pub(crate) use std::sync::atomic;
}

use block::{Block, LONGEST};
use divan::{Bencher, counter::ItemsCount};

/// So many that looking at the clock does not count.
const NUMBERS: usize = 100_000;

fn main() {
    divan::main();
}

#[divan::bench(threads = [1, 2])]
fn numbers(bencher: Bencher<'_, '_>) {
    let block = Block::new(1);
    block.replace(0, LONGEST);
    bencher.counter(ItemsCount::new(NUMBERS)).bench(|| {
        let mut last = 0;
        for _ in 0..NUMBERS {
            // 10,000 rounds fit into one block; an empty one would be found out by the number
            last = block.take(1).map_or(-1, |taken| taken.first);
        }
        assert!(last >= 0);
        last
    });
}
