//! What callers were told, and whether it can be true.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crate::{combiner::Run, counter::LIFE};

/// One call that numbers came of.
#[derive(Debug)]
struct Told {
    began: u64,
    ended: u64,
    numbers: Vec<i64>,
}

/// Its own lock and clock are no steps for shuttle to order.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    clock: AtomicU64,
    told: Mutex<Vec<Told>>,
    burnt: Mutex<Vec<i64>>,
    /// Since when no number up to which may be handed out.
    floors: Mutex<Vec<(u64, i64)>>,
    /// Whether somebody else has made a lost counter again: nobody can notice that.
    is_found: AtomicBool,
}

impl Ledger {
    pub(crate) fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) fn told(&self, began: u64, runs: &[Run]) {
        let numbers = runs.iter().flat_map(|run| (run.last + 1).saturating_sub_unsigned(run.n)..=run.last).collect();
        self.told.lock().unwrap().push(Told { began, ended: self.now(), numbers });
    }

    pub(crate) fn burnt(&self, number: i64) {
        self.burnt.lock().unwrap().push(number);
    }

    pub(crate) fn nothing_up_to(&self, number: i64) {
        self.floors.lock().unwrap().push((self.now(), number));
    }

    pub(crate) fn found(&self) {
        self.is_found.store(true, Ordering::SeqCst);
    }

    /// How many numbers were told.
    pub(crate) fn len(&self) -> u64 {
        self.told.lock().unwrap().iter().map(|told| told.numbers.len() as u64).sum()
    }

    /// Each number was taken from the counter and told once; who asked later was told later ones; what had been given up
    /// was not told any more, and not together with what came after.
    pub(crate) fn check(&self, taken: &[(i64, i64)]) {
        let (told, burnt) = (self.told.lock().unwrap(), self.burnt.lock().unwrap());
        let mut seen = BTreeSet::new();
        for number in told.iter().flat_map(|told| &told.numbers).chain(burnt.iter()) {
            assert!(seen.insert(number), "{number} was told twice: {told:?}, burnt {burnt:?}");
            assert!(taken.iter().any(|(first, last)| (first..=last).contains(&number)), "{number} was never taken");
        }
        for call in told.iter() {
            assert!(call.numbers.is_sorted(), "{call:?}");
            let lives: BTreeSet<_> = call.numbers.iter().map(|number| number / LIFE).collect();
            assert!(lives.len() <= 1 || self.is_found.load(Ordering::SeqCst), "of two lives: {call:?}");
            let later = told.iter().filter(|later| later.began > call.ended);
            for later in later {
                assert!(call.numbers.last() < later.numbers.first(), "{later:?} after {call:?}");
            }
        }
        for &(since, floor) in self.floors.lock().unwrap().iter() {
            let later = told.iter().filter(|later| later.began > since);
            for later in later {
                assert!(later.numbers.iter().all(|&number| number > floor), "{later:?} after {floor} at {since}");
            }
        }
    }
}
