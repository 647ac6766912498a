//! `Sequence::restart`: another next number.

use std::future::IntoFuture;

use crate::{
    Error, ErrorKind, Result, Sequence,
    counter::{Counter, Origin, State},
    observe::{Action, Span},
};

/// How often it looks again because somebody took a number meanwhile.
const ATTEMPTS: usize = 20;

/// Sets the next number of a sequence. Construct with [`Sequence::restart`].
#[must_use = "nothing is sent until it is awaited"]
#[derive(Debug)]
pub struct Restart<'a> {
    sequence: &'a Sequence,
    n: i64,
    are_stopped: bool,
    dry_run: bool,
}

impl<'a> Restart<'a> {
    pub(crate) fn new(sequence: &'a Sequence, n: i64) -> Self {
        Self { sequence, n, are_stopped: false, dry_run: false }
    }

    /// Goes back even if numbers were reserved in blocks: no process with such a block is running any more.
    ///
    /// ```no_run
    /// # async fn example(tickets: sequence_core::Sequence) -> sequence_core::Result<()> {
    /// tickets.restart(1).assume_stopped().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn assume_stopped(mut self) -> Self {
        self.are_stopped = true;
        self
    }

    /// Only looks whether it can be done: the errors are those that it would have now.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

impl<'a> IntoFuture for Restart<'a> {
    type Output = Result<()>;
    type IntoFuture = RestartFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::Restart, None, None, || self.sequence.name().to_owned());
        RestartFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`Restart`].
    RestartFuture -> Result<()>
}

async fn execute(Restart { sequence, n, are_stopped, dry_run }: Restart<'_>) -> Result<()> {
    let counter = sequence.counter()?;
    let progression = &counter.progression;
    let (low, high) = progression.range();
    let (true, Some(to)) = ((low..=high).contains(&n), n.checked_sub(progression.step)) else {
        return Err(
            counter.invalid(format!("it cannot go on with {n}: it hands out {low} to {high} (`start`, `min`, `max`)"))
        );
    };
    // What forbids it is looked at between reading and writing the counter, so that a number taken meanwhile is noticed.
    for _ in 0..ATTEMPTS {
        let current = match counter.read(None).await? {
            State::Missing if dry_run => return may_go_back(&counter, n, are_stopped).await,
            State::Missing => {
                counter.create().await?;
                continue;
            }
            State::At(number) => number.value,
            State::Corrupt(found) => return Err(counter.corrupt(found)),
        };
        if progression.beyond(current, to) {
            may_go_back(&counter, n, are_stopped).await?;
        }
        if dry_run {
            return Ok(());
        }
        if counter.replace(current, to).await? {
            return Ok(());
        }
    }
    Err(Error::new(ErrorKind::Contended { sequence: counter.name() }))
}

/// Whether no number from `n` on is stored, or may still be handed out.
async fn may_go_back(counter: &Counter, n: i64, are_stopped: bool) -> Result<()> {
    let progression = &counter.progression;
    if !are_stopped && counter.gave_blocks().await? {
        return Err(Error::new(ErrorKind::BlocksReserved { sequence: counter.name(), next: n }));
    }
    let data = match &counter.origin {
        Origin::Unknown => return Ok(()),
        Origin::Documents(data) => data,
        Origin::Shared(_) => {
            return Err(counter.invalid(
                "several models share it, so one of them cannot tell whether it may go back; `Sequence::new` with its name \
                 does so without a look at any",
            ));
        }
    };
    if !data.is_readable() {
        if !data.any().await? {
            return Ok(());
        }
        return Err(counter.invalid(
            "it cannot go back while there are numbered documents: what `format` made of their numbers cannot be \
             turned back; delete them first",
        ));
    }
    match data.furthest(progression).await?.filter(|&stored| !progression.beyond(n, stored)) {
        None => Ok(()),
        Some(stored) => Err(Error::new(ErrorKind::RestartRefused { sequence: counter.name(), next: n, stored })),
    }
}
