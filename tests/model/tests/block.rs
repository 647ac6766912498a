//! The file of the lock-free block itself, with loom's atomics: every order of a few threads, and every value that a load
//! may return under the orderings that the file asks for.

#[allow(dead_code, reason = "not all of it is called")]
#[path = "../../../sequence-core/src/combiner/block.rs"]
mod block;
mod sync {
    pub(crate) mod atomic;
}

use block::{Block, Taken};
use loom::{model::Builder, sync::Arc, thread};

/// How far apart blocks begin, so that a number tells its block.
const APART: i64 = 100;

/// Every schedule with at most so many switches that no thread asked for.
fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

fn first_block(length: u32) -> Arc<Block> {
    let block = Arc::new(Block::new(1));
    assert_eq!(block.replace(APART, length), 0);
    block
}

fn taker(block: &Arc<Block>, amounts: &'static [u32]) -> thread::JoinHandle<Vec<Taken>> {
    let block = Arc::clone(block);
    thread::spawn(move || amounts.iter().filter_map(|&n| block.take(n)).collect())
}

/// What has been taken: each number once, and all from blocks of these lengths.
struct Account(Vec<Taken>);

impl Account {
    fn of(takers: impl IntoIterator<Item = thread::JoinHandle<Vec<Taken>>>, lengths: &[i64]) -> Self {
        let taken: Vec<_> = takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect();
        let mut numbers: Vec<_> =
            taken.iter().flat_map(|taken| taken.first..taken.first + i64::from(taken.n)).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "a number twice: {taken:?}");
        for number in numbers {
            let length = usize::try_from(number / APART - 1).ok().and_then(|block| lengths.get(block));
            assert!(length.is_some_and(|&length| number % APART < length), "{number} was never there: {taken:?}");
        }
        Self(taken)
    }

    /// Of the block that begins at `first`: how many numbers were taken, and how often it was said to be low.
    fn block(&self, first: i64) -> (u32, usize) {
        let of_block = || self.0.iter().filter(|taken| taken.first / APART == first / APART);
        (of_block().map(|taken| taken.n).sum(), of_block().filter(|taken| taken.is_low).count())
    }
}

#[test]
fn no_number_is_lost_or_given_twice_when_the_block_changes_under_its_takers() {
    check(3, || {
        let block = first_block(3);
        let takers = [taker(&block, &[1]), taker(&block, &[2])];
        let unused = block.replace(2 * APART, 2);
        let account = Account::of(takers, &[3, 2]);
        let (before, told_before) = account.block(APART);
        let (after, told_after) = account.block(2 * APART);
        assert_eq!(before + unused, 3);
        assert_eq!(after + block.replace(0, 0), 2);
        assert!(told_before <= 1 && told_after <= 1, "{:?}", account.0);
        // at its second number
        assert!(before < 2 || told_before == 1, "{:?}", account.0);
    });
}

#[test]
fn three_takers_share_one_block_and_one_of_them_hears_that_it_is_low() {
    check(2, || {
        let block = first_block(4);
        let takers = [taker(&block, &[1, 1]), taker(&block, &[2]), taker(&block, &[3])];
        assert_eq!(Account::of(takers, &[4]).block(APART), (4, 1));
        assert_eq!(block.settle(), 0);
    });
}

#[test]
fn places_given_in_vain_are_forgotten_and_take_nothing_from_the_next_block() {
    check(2, || {
        let block = first_block(1);
        let takers = [taker(&block, &[1]), taker(&block, &[2])];
        // as whoever holds the lock does it: only a block that is used up is left
        let is_changed = block.settle() == 0;
        let unused = if is_changed { block.replace(2 * APART, 2) } else { 0 };
        assert_eq!(unused, 0);
        let account = Account::of(takers, &[1, 2]);
        let ((before, _), (after, _)) = (account.block(APART), account.block(2 * APART));
        block.settle();
        let left = block.replace(0, 0);
        assert_eq!((before, after + left), if is_changed { (1, 2) } else { (1 - left, left) });
    });
}

/// The slot is written again before its reader is done: what it read is thrown away, and never half of two blocks.
#[test]
fn a_slot_that_is_overwritten_while_it_is_read_is_noticed() {
    check(3, || {
        let block = first_block(1);
        let late = taker(&block, &[2]);
        for (first, length) in (2..).zip(2..=5) {
            block.replace(first * APART, length);
        }
        // whatever the late one was given, these do not know of it
        let last = taker(&block, &[5]);
        Account::of([late, last], &[1, 2, 3, 4, 5]);
    });
}
