//! What the callers of one counter share: its commands, and blocks of numbers reserved ahead.
//!
//! While one command is on its way, all who ask share the next one. With blocks, most are served from what is reserved
//! already, and the next block is fetched when half of the current one is left.

mod block;
mod serve;
mod size;
#[cfg(test)]
mod tests;

use std::{collections::VecDeque, mem};

use tokio::{runtime::Handle, sync::oneshot};

use self::{
    block::{Block, MOST_TAKEN, Taken},
    serve::Serving,
    size::Sizes,
};
pub(crate) use self::{
    serve::gather,
    size::{BlockSize, block_setters},
};
use crate::{
    Error, ErrorKind, Result,
    counter::Counter,
    observe::{self, Observed, Span},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// How many callers may wait for one counter.
const CAPACITY: usize = 10_000;
/// How often a caller starts a task that was to answer it and has ended with its runtime. Tasks of others do not count:
/// each of the callers on a runtime that ends may start so many, and all of them may have failed one who can go on.
const TASKS: usize = 3;

/// `n` numbers that follow each other, up to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) n: u64,
    pub(crate) last: i64,
}

/// The numbers that were got, and why there are not more.
pub(crate) type Supply = (Vec<Run>, Option<Error>);

#[derive(Debug)]
pub(crate) struct Combiner {
    counter: Counter,
    has_blocks: bool,
    block: Block,
    /// Locked for a moment only, and never by one that takes from the block.
    state: Mutex<State>,
    /// Where the block was at the last look of [`is_idle`](Self::is_idle).
    seen: AtomicU64,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Waiter>,
    /// Whether a task is there that answers them.
    is_served: bool,
    /// Whether the block behind the current one is wanted.
    is_low: bool,
    /// First number and length of the block behind the current one.
    next: Option<(i64, u32)>,
    /// How often the blocks were thrown away.
    discards: u64,
    sizes: Sizes,
    /// How many reservations in a row were not confirmed.
    doubts: u32,
}

/// The task that answers those who wait.
#[derive(Clone, Copy, Debug)]
enum Server {
    None,
    /// Started for this caller, on its runtime.
    Own,
    Others,
}

#[derive(Debug)]
struct Waiter {
    /// How many numbers are missing yet.
    n: u64,
    got: Vec<Run>,
    /// Whether it takes less, when no more numbers are left.
    part: bool,
    answer: oneshot::Sender<Supply>,
    caller: Span,
}

impl Combiner {
    pub(crate) fn new(counter: Counter, size: BlockSize) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            is_served: false,
            is_low: false,
            next: None,
            discards: 0,
            sizes: Sizes::new(size),
            doubts: 0,
        };
        Self {
            block: Block::new(counter.progression.step),
            counter,
            has_blocks: size != BlockSize::None,
            state: Mutex::new(state),
            seen: AtomicU64::new(u64::MAX),
        }
    }

    /// The next number, if it is reserved already. Takes no lock, unless it is the one at which the block is low.
    pub(crate) fn try_next(self: &Arc<Self>) -> Option<i64> {
        if !self.has_blocks {
            return None;
        }
        let Taken { first, is_low, .. } = self.block.take(1)?;
        if is_low {
            let mut state = self.lock();
            state.is_low = true;
            self.be_served(state);
        }
        Some(first)
    }

    /// Takes `n` numbers, all or none.
    pub(crate) async fn take(self: &Arc<Self>, n: u64) -> Result<Vec<Run>> {
        let mut runs = Vec::new();
        self.take_into(&mut runs, n).await?;
        Ok(runs)
    }

    /// The same for one who may stop waiting: what has been got by then is there.
    pub(crate) async fn take_into(self: &Arc<Self>, runs: &mut Vec<Run>, n: u64) -> Result<()> {
        match self.wait(runs, n, false).await {
            None => Ok(()),
            Some(error) => Err(self.lost(runs, error)),
        }
    }

    /// This error, with which these numbers are lost: they came from the block before.
    pub(crate) fn lost(&self, runs: &[Run], error: Error) -> Error {
        let first = self.first(runs);
        self.observed().burnt(runs.iter().map(|run| run.n).sum(), first);
        error.burning(first)
    }

    pub(crate) async fn take_one(self: &Arc<Self>) -> Result<i64> {
        let runs = self.take(1).await?;
        let number = runs.first().map(|run| run.last);
        observe::number(number);
        number.ok_or_else(|| Error::new(ErrorKind::ShutDown))
    }

    /// Takes `n` numbers, or as many as are left.
    pub(crate) async fn take_up_to(self: &Arc<Self>, n: u64) -> Supply {
        let mut runs = Vec::new();
        let error = self.wait(&mut runs, n, true).await;
        (runs, error)
    }

    async fn wait(self: &Arc<Self>, runs: &mut Vec<Run>, n: u64, part: bool) -> Option<Error> {
        let mut left = n;
        let mut tasks = 0;
        while tasks < TASKS {
            let (answer, answered) = oneshot::channel();
            let server = {
                let mut state = self.lock();
                // those who wait have asked before, and the task that serves them is about to
                if state.waiting.is_empty() {
                    left -= self.draw(&mut state, left, runs);
                }
                if left > 0 {
                    if state.waiting.len() >= CAPACITY {
                        state.waiting.retain(Waiter::is_there);
                    }
                    if state.waiting.len() >= CAPACITY {
                        return Some(Error::new(ErrorKind::Overloaded { limit: CAPACITY }));
                    }
                    state.waiting.push_back(Waiter {
                        n: left,
                        got: runs.clone(),
                        part,
                        answer,
                        caller: Span::current(),
                    });
                }
                self.be_served(state)
            };
            if left == 0 {
                return None;
            }
            match server {
                Server::None => break, // this is no runtime that could
                Server::Own => tasks += 1,
                Server::Others => {}
            }
            if let Ok((got, error)) = answered.await {
                *runs = got;
                return error;
            }
            // the task has ended with its runtime; what was drawn may have been thrown away meanwhile
            runs.clear();
            left = n;
        }
        Some(Error::new(ErrorKind::ShutDown))
    }

    /// Throws away what is reserved: other documents have these numbers, or the counter has been lost. Returns how many
    /// there were.
    pub(crate) fn discard(&self) -> u64 {
        let mut state = self.lock();
        state.discards += 1;
        state.is_low = false; // whoever needs a block will ask for it
        state.waiting.iter_mut().for_each(Waiter::forget);
        let next = state.next.take().map_or(0, |(_, length)| length);
        let unused = u64::from(next) + u64::from(self.block.replace(0, 0));
        drop(state);
        self.observed().burnt(unused, None);
        unused
    }

    /// Whether nobody has taken a number since this was asked last.
    pub(crate) fn is_idle(&self) -> bool {
        let position = self.block.position();
        let is_unchanged = self.seen.swap(position, Ordering::Relaxed) == position || !self.has_blocks;
        let state = self.lock();
        is_unchanged && !state.is_served && state.waiting.is_empty()
    }

    pub(crate) fn observed(&self) -> &Observed {
        &self.counter.observed
    }

    pub(crate) fn step(&self) -> i64 {
        self.counter.progression.step
    }

    /// Takes up to `n` numbers from what is reserved.
    fn draw(&self, state: &mut State, n: u64, runs: &mut Vec<Run>) -> u64 {
        let mut left = n;
        while self.has_blocks && left > 0 {
            if let Some(Taken { first, n, is_low }) = self.block.take(u32::try_from(left).unwrap_or(MOST_TAKEN)) {
                left -= u64::from(n);
                state.is_low |= is_low;
                let last = first.wrapping_add(self.step().wrapping_mul(i64::from(n) - 1)); // reserved, so exact
                runs.push(Run { n: n.into(), last });
                continue;
            }
            self.block.settle();
            let Some((first, length)) = state.next.take() else { break };
            self.block.replace(first, length);
        }
        n - left
    }

    /// Sees to it that a task answers those who wait and fetches what is wanted. Tells whose it is.
    ///
    /// A runtime that has ended drops the task at once, which then takes the lock.
    fn be_served(self: &Arc<Self>, mut state: MutexGuard<'_, State>) -> Server {
        let is_wanted = !state.waiting.is_empty() || state.is_low && state.next.is_none();
        if let (true, false, Ok(runtime)) = (is_wanted, state.is_served, Handle::try_current()) {
            state.is_served = true;
            drop(state);
            runtime.spawn(serve::serve(Serving(Some(Arc::clone(self)))));
            return Server::Own;
        }
        if state.is_served { Server::Others } else { Server::None }
    }

    /// The first number of all of them.
    pub(crate) fn first(&self, runs: &[Run]) -> Option<i64> {
        runs.first().and_then(|run| self.first_of(*run))
    }

    fn first_of(&self, run: Run) -> Option<i64> {
        self.counter.progression.first_of(run.n, run.last)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    fn is_there(&self) -> bool {
        !self.answer.is_closed()
    }

    /// Gives up what it has got: these numbers may come again.
    fn forget(&mut self) {
        self.n = self.got.drain(..).fold(self.n, |n, run| n.saturating_add(run.n));
    }

    fn answer(self, error: Option<Error>) {
        let _gone = self.answer.send((self.got, error));
    }
}

impl State {
    fn take_waiting(&mut self) -> VecDeque<Waiter> {
        let mut waiting = mem::take(&mut self.waiting);
        waiting.retain(Waiter::is_there);
        waiting
    }
}
