//! The task that takes numbers from the counter, for those who wait and for the next block.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use rand::Rng;

use super::{Combiner, Run, State, Waiter};
use crate::{Error, ErrorKind, Result, counter::CREATIONS, observe::Span, sync::Arc};

/// How long to wait after a reservation that was not confirmed: doubled each time, up to the limit, and a random part
/// less. Each one burns what it asked for, so while majorities fail it asks for as little as it can.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often one command gives way to those who could join it.
const MOST_TURNS: usize = 16;
/// How often a block that nobody waits for yet is asked for in vain.
const PATIENCE: u32 = 8;

/// What came of one attempt to take numbers.
enum Advanced {
    To(i64),
    /// It had no room for them, and has by now.
    HasRoom,
    MadeAgain,
}

/// Those whom one command serves.
struct Request {
    waiting: VecDeque<Waiter>,
    /// How many numbers are reserved for the next block.
    ahead: u32,
}

pub(super) async fn serve(mut serving: Serving) {
    while let Some(combiner) = &serving.0 {
        if let Some(pause) = combiner.pause() {
            tokio::time::sleep(pause).await; // even of no time at all it would be a millisecond
        }
        gather(|| combiner.waiting()).await;
        match combiner.request() {
            Some(request) => {
                let n = demand(&request.waiting).saturating_add(request.ahead.into());
                let callers = request.waiting.iter().map(|waiter| &waiter.caller);
                let span = Span::of_command(combiner.observed(), n, callers);
                span.around(combiner.reserve(request)).await;
            }
            None => serving.0 = None,
        }
    }
}

/// Lets those who are about to ask, since they were just answered, come together with those who wait, and not after them:
/// two parties would alternate, and each command would serve one of them. Gives way for as long as more come; if nobody
/// waits, not at all.
pub(crate) async fn gather(waiting: impl Fn() -> usize) {
    let (mut before, mut turns) = (0, 0);
    while waiting() > before && turns < MOST_TURNS {
        before = waiting();
        turns += 1;
        tokio::task::yield_now().await;
    }
}

/// If the task ends otherwise, with its runtime, those who wait find out and ask again; also if it has never run.
pub(super) struct Serving(pub(super) Option<Arc<Combiner>>);

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(combiner) = &self.0 {
            let mut state = combiner.lock();
            state.is_served = false;
            state.waiting.clear();
        }
    }
}

impl Combiner {
    fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn pause(&self) -> Option<Duration> {
        let doubts = self.lock().doubts.checked_sub(1)?;
        let pause = FIRST_PAUSE.saturating_mul(1 << doubts.min(16)).min(LONGEST_PAUSE);
        Some(pause.mul_f64(rand::rng().random_range(0.5..1.0)))
    }

    /// What to ask the counter for. Nothing, if nobody waits and no block is wanted: then this task is not needed any more.
    fn request(&self) -> Option<Request> {
        let mut state = self.lock();
        let mut waiting = state.take_waiting();
        while let Some(waiter) = waiting.front_mut() {
            waiter.n -= self.draw(&mut state, waiter.n, &mut waiter.got);
            if waiter.n > 0 {
                break;
            }
            if let Some(waiter) = waiting.pop_front() {
                waiter.answer(None);
            }
        }
        let wants_block = self.has_blocks && state.next.is_none() && (state.is_low || !waiting.is_empty());
        if waiting.is_empty() && !wants_block {
            state.is_served = false;
            return None;
        }
        let ahead = match (state.doubts, waiting.is_empty()) {
            _ if !wants_block => 0,
            (0, _) => state.sizes.next(Instant::now()),
            (_, is_empty) => u32::from(is_empty),
        };
        if state.doubts > 0 && waiting.len() > 1 {
            state.waiting = waiting.split_off(1);
        }
        Some(Request { waiting, ahead })
    }

    /// Reserves, and answers those who wait.
    async fn reserve(&self, request: Request) {
        let Request { mut waiting, ahead } = request;
        let sent = Instant::now();
        let (mut n, mut tries) = (demand(&waiting).saturating_add(ahead.into()), 0);
        let mut discards;
        let outcome = loop {
            tries += 1;
            discards = self.lock().discards;
            match self.advance(n, ahead > 0).await {
                Err(error) => match *error.kind() {
                    // the first get the rest
                    ErrorKind::Exhausted { remaining, .. } if tries < CREATIONS => {
                        let given: u64 = shares(&waiting, remaining).sum();
                        let ahead = if given == demand(&waiting) { remaining - given } else { 0 };
                        let left = (given + ahead).min(n);
                        if left == 0 || left == n {
                            break Err(error);
                        }
                        n = left;
                    }
                    _ => break Err(error),
                },
                Ok(Advanced::To(last)) => break Ok(last),
                Ok(_) if tries == CREATIONS => break Err(self.counter.removed_again()),
                Ok(Advanced::HasRoom) => {}
                Ok(Advanced::MadeAgain) => {
                    waiting.iter_mut().for_each(Waiter::forget);
                    n = demand(&waiting).saturating_add(ahead.into());
                }
            }
        };
        let used_up = match outcome {
            Ok(_) if n < demand(&waiting) => Some(self.counter.used_up().await),
            _ => None,
        };
        let mut state = self.lock();
        match outcome {
            Ok(last) => {
                let took = sent.elapsed();
                state.doubts = 0;
                state.sizes.reserved(n, sent, took);
                let rest = self.hand_out(waiting, Run { n, last }, used_up.as_ref());
                let is_kept = state.discards == discards;
                if is_kept {
                    self.keep(&mut state, rest);
                }
                drop(state);
                if ahead > 0 {
                    self.observed().reserved(rest.n, took);
                }
                if !is_kept {
                    self.observed().burnt(rest.n, self.first_of(rest));
                }
            }
            Err(error) => self.fail(&mut state, waiting, n, &error),
        }
    }

    /// Takes `n` numbers from the counter. If that has to be created again, numbers that were reserved before it was lost
    /// may come again: they are not handed out any more.
    async fn advance(&self, n: u64, is_block: bool) -> Result<Advanced> {
        if let Some(last) = self.counter.try_advance(n, is_block).await? {
            return Ok(Advanced::To(last));
        }
        if !self.counter.is_missing(n).await? {
            return Ok(Advanced::HasRoom);
        }
        self.discard();
        self.counter.create().await?;
        Ok(Advanced::MadeAgain)
    }

    /// Gives each its share of a run, and returns what is left of it.
    fn hand_out(&self, waiting: VecDeque<Waiter>, run: Run, used_up: Option<&Error>) -> Run {
        let mut left = run.n;
        let shares: Vec<u64> = shares(&waiting, run.n).collect();
        for (mut waiter, share) in waiting.into_iter().zip(shares) {
            left -= share;
            if share > 0 {
                let last = self.counter.progression.first_of(left + 1, run.last);
                waiter.got.extend(last.map(|last| Run { n: share, last }));
            }
            let error = used_up.filter(|_| share < waiter.n).cloned();
            waiter.answer(error);
        }
        Run { n: left, ..run }
    }

    /// Keeps what nobody has asked for yet.
    fn keep(&self, state: &mut State, rest: Run) {
        let (Ok(length @ 1..), Some(first)) = (u32::try_from(rest.n), self.first_of(rest)) else { return };
        state.is_low = false;
        if self.block.settle() == 0 && state.next.is_none() {
            self.block.replace(first, length);
        } else {
            state.next = Some((first, length));
        }
    }

    /// Nobody got a number. Each hears of its own, where one is burnt.
    fn fail(&self, state: &mut State, waiting: VecDeque<Waiter>, n: u64, error: &Error) {
        let is_unconfirmed = matches!(error.kind(), ErrorKind::Unconfirmed { .. } | ErrorKind::Driver);
        if is_unconfirmed {
            state.doubts = state.doubts.saturating_add(1);
        }
        if waiting.is_empty() && !(is_unconfirmed && state.doubts < PATIENCE) {
            state.is_low = false; // whoever needs the next block will ask for it
        }
        let mut left = n;
        let others = if is_unconfirmed { state.take_waiting() } else { VecDeque::new() };
        for waiter in waiting {
            left = left.saturating_sub(waiter.n);
            let number = error.number().and_then(|last| self.counter.progression.first_of(left + 1, last));
            waiter.answer(Some(error.with_number(number)));
        }
        for waiter in others {
            waiter.answer(Some(error.with_number(None)));
        }
    }
}

fn demand(waiting: &VecDeque<Waiter>) -> u64 {
    waiting.iter().fold(0, |sum, waiter| sum.saturating_add(waiter.n))
}

/// How many of `n` numbers each of them gets, in the order in which they asked.
fn shares(waiting: &VecDeque<Waiter>, n: u64) -> impl Iterator<Item = u64> {
    waiting.iter().scan(n, |left, waiter| {
        let share = match waiter.n {
            whole if whole <= *left => whole,
            _ if waiter.part => *left,
            _ => 0,
        };
        *left -= share;
        Some(share)
    })
}
