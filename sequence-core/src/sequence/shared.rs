//! `SharedSequence`: a sequence whose callers share its counter.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use mongodb::BoxFuture;

use super::Sequence;
use crate::{
    Error, Reserved, Result,
    combiner::{BlockSize, Combiner, block_setters},
    observe::{self, Action, Span},
};

/// A [`Sequence`] whose callers share round trips: while one command is on its way, all who ask for numbers share the
/// next one, and with [blocks](SharedSequenceBuilder::block_size) most numbers cost no command at all.
///
/// Make one when the service starts, and clone it: all clones share the same counter commands and blocks. Nothing waits
/// for a timer, and without blocks nothing is reserved that nobody asked for. The commands are sent by tasks on the runtime of
/// a caller; see [`SequencedCollection`](crate::SequencedCollection) for what that means where there are several.
///
/// ```no_run
/// # use sequence_core as mongo_sequence;
/// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
/// use mongo_sequence::{Sequence, SharedSequence};
///
/// let tickets = SharedSequence::builder(Sequence::new(&db, "tickets").start(1000)).block_size(100).build();
/// let ticket = tickets.next_value().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SharedSequence {
    sequence: Arc<Sequence>,
    /// Or what is wrong with the sequence.
    combiner: Result<Arc<Combiner>>,
}

impl SharedSequence {
    /// Shares the commands of all clones of this value. Sends nothing.
    #[must_use]
    pub fn new(sequence: Sequence) -> Self {
        Self::builder(sequence).build()
    }

    /// The same with blocks of numbers that are reserved ahead. Sends nothing.
    pub fn builder(sequence: Sequence) -> SharedSequenceBuilder {
        SharedSequenceBuilder { sequence, size: BlockSize::None }
    }

    /// The sequence itself, to take numbers in a transaction or to look at its counter.
    ///
    /// What it takes does not come from the blocks. After a `restart` throw this handle away: its blocks do not know of it.
    #[must_use]
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// Takes the next number.
    ///
    /// From a block it sends nothing, takes no lock and allocates nothing. Else it waits for the `findAndModify` that is
    /// on its way, if there is one, and shares the next with all who wait; see [`Sequence::next_value`].
    ///
    /// `await` returns [`Result<i64>`].
    ///
    /// # Errors
    ///
    /// Those of [`Sequence::next_value`] without a session, of the command that was shared; and
    /// [`Overloaded`](crate::ErrorKind::Overloaded) if 10,000 callers wait already,
    /// [`ShutDown`](crate::ErrorKind::ShutDown) without a Tokio runtime. While reservations are not confirmed,
    /// they are repeated at growing intervals of at most a second, and those who wait for one share its error.
    ///
    /// # Cancellation
    ///
    /// A dropped call may have taken a number: a gap, never a number told twice.
    pub fn next_value(&self) -> NextSharedValue<'_> {
        NextSharedValue(State::Start(&self.combiner))
    }

    /// Takes the next `n` numbers: all of them, or an error.
    ///
    /// They increase (decrease, for a negative step), and need not follow each other directly: what is left of one block
    /// comes before the next. The block behind is larger by what is missing, so that it takes one command at most.
    ///
    /// # Errors
    ///
    /// Those of [`next_value`](Self::next_value). What came from a block before the error is lost;
    /// [`Error::number`] is the first of it.
    ///
    /// # Cancellation
    ///
    /// As with [`next_value`](Self::next_value), with `n` numbers.
    pub async fn reserve(&self, n: u64) -> Result<Reserved> {
        let combiner = self.combiner.as_ref().map_err(Error::clone)?;
        let span = Span::of_shared_call(Action::Reserve, n, combiner.observed());
        let taken = async {
            let runs = combiner.take(n).await?;
            observe::number(combiner.first(&runs));
            Ok(Reserved::new(runs, combiner.step()))
        };
        span.around_call(taken).await
    }

    /// Raises the counter as [`Sequence::raise_to`] does, and gives up the blocks: this handle hands out no number before
    /// `n` any more. Other handles and processes may have blocks of their own.
    ///
    /// # Errors
    ///
    /// Those of [`Sequence::raise_to`].
    ///
    /// # Cancellation
    ///
    /// A dropped call may have raised the counter and left the blocks.
    pub async fn raise_to(&self, n: i64) -> Result<i64> {
        let value = self.sequence.raise_to(n).await?;
        if let Ok(combiner) = &self.combiner {
            combiner.discard();
        }
        Ok(value)
    }
}

/// Makes a [`SharedSequence`]. Construct with [`SharedSequence::builder`].
#[must_use = "nothing is made until it is built"]
#[derive(Debug)]
pub struct SharedSequenceBuilder {
    sequence: Sequence,
    size: BlockSize,
}

impl SharedSequenceBuilder {
    block_setters!();

    /// The sequence, whose clones share its blocks. Sends nothing.
    #[must_use]
    pub fn build(self) -> SharedSequence {
        let mode = self.size.mode();
        let counter = self.sequence.counter();
        let combiner = counter.map(|counter| Arc::new(Combiner::new(counter.in_mode(mode), self.size)));
        SharedSequence { sequence: Arc::new(self.sequence), combiner }
    }
}

/// The future of [`SharedSequence::next_value`].
#[must_use = "nothing is taken until it is awaited"]
pub struct NextSharedValue<'a>(State<'a>);

enum State<'a> {
    Start(&'a Result<Arc<Combiner>>),
    Waiting(BoxFuture<'a, Result<i64>>),
}

impl Future for NextSharedValue<'_> {
    type Output = Result<i64>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            match &mut self.0 {
                State::Start(Err(error)) => return Poll::Ready(Err(error.clone())),
                State::Start(Ok(combiner)) => {
                    if let Some(number) = combiner.try_next() {
                        return Poll::Ready(Ok(number));
                    }
                    let span = Span::of_shared_call(Action::NextValue, 1, combiner.observed());
                    self.0 = State::Waiting(Box::pin(span.around_call(combiner.take_one())));
                }
                State::Waiting(taken) => return taken.as_mut().poll(context),
            }
        }
    }
}

impl fmt::Debug for NextSharedValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NextSharedValue").finish_non_exhaustive()
    }
}
