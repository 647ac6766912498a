//! Blocks without a server. (Not in their own file, which the bench takes in.)

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    thread,
};

use super::block::{Block, Taken};

#[allow(clippy::unnecessary_wraps, reason = "what `take` returns")]
fn taken(first: i64, n: u32, is_low: bool) -> Option<Taken> {
    Some(Taken { first, n, is_low })
}

#[test]
fn a_block_gives_each_number_once_and_says_once_when_it_is_low() {
    let block = Block::new(10);
    assert_eq!(block.take(1), None);
    assert_eq!(block.replace(1000, 4), 0);
    assert_eq!(block.take(1), taken(1000, 1, false));
    assert_eq!(block.take(2), taken(1010, 2, true));
    assert_eq!(block.take(5), taken(1030, 1, false));
    assert_eq!(block.take(5), None);
    assert_eq!(block.settle(), 0);
    assert_eq!(block.replace(5000, 3), 0);
    assert_eq!(block.take(1), taken(5000, 1, false));
    assert_eq!(block.settle(), 2);
    assert_eq!(block.replace(9000, 1), 2);
    assert_eq!(block.take(1), taken(9000, 1, true));
}

#[test]
fn the_ends_of_what_an_i64_can_hold_are_reached_exactly() {
    let up = Block::new(1);
    up.replace(i64::MAX - 1, 2);
    assert_eq!([up.take(1), up.take(1)].map(|taken| taken.unwrap().first), [i64::MAX - 1, i64::MAX]);
    let down = Block::new(i64::MIN / 2);
    down.replace(0, 3);
    assert_eq!(down.take(3), taken(0, 3, true));
    down.replace(0, 3);
    assert_eq!([down.take(2), down.take(1)].map(|taken| taken.unwrap().first), [0, i64::MIN]);
}

/// Small blocks, replaced all the time: places and slots meet in every order that two cores produce.
#[test]
fn threads_never_get_one_number_twice_while_blocks_are_replaced() {
    const NUMBERS: i64 = 400_000;
    let block = Arc::new(Block::new(1));
    let next = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..8_u32)
        .map(|thread| {
            let (block, next) = (Arc::clone(&block), Arc::clone(&next));
            thread::spawn(move || {
                let mut own = Vec::new();
                loop {
                    if let Some(taken) = block.take(1 + thread % 3) {
                        own.extend((0..i64::from(taken.n)).map(|place| taken.first + place));
                        continue;
                    }
                    let mut next = next.lock().unwrap();
                    if *next >= NUMBERS {
                        return own;
                    }
                    if block.settle() == 0 {
                        block.replace(*next, 1 + thread);
                        *next += i64::from(1 + thread);
                    }
                }
            })
        })
        .collect();
    let all: Vec<i64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let distinct: HashSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
    // what was overwritten before it could be read is lost, and that is rare
    assert!(all.len() > usize::try_from(NUMBERS / 2).unwrap(), "{} of {NUMBERS}", all.len());
}
