//! `Sequence::raise_to`: a counter that is never lowered.

use std::future::IntoFuture;

use crate::{
    Result, Sequence,
    counter::State,
    observe::{Action, Span},
};

/// Raises the counter of a sequence. Construct with [`Sequence::raise_to`].
#[must_use = "nothing is sent until it is awaited"]
#[derive(Debug)]
pub struct RaiseTo<'a> {
    sequence: &'a Sequence,
    n: i64,
    dry_run: bool,
}

impl<'a> RaiseTo<'a> {
    pub(crate) fn new(sequence: &'a Sequence, n: i64) -> Self {
        Self { sequence, n, dry_run: false }
    }

    /// Only looks where it would stand; the errors are those that it would have now. Nothing is written.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

impl<'a> IntoFuture for RaiseTo<'a> {
    type Output = Result<i64>;
    type IntoFuture = RaiseToFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span = Span::of_call(Action::RaiseTo, None, None, || self.sequence.name().to_owned());
        RaiseToFuture(Box::pin(span.around_call(execute(self))))
    }
}

opaque_future! {
    /// The future of [`RaiseTo`].
    RaiseToFuture -> Result<i64>
}

async fn execute(RaiseTo { sequence, n, dry_run }: RaiseTo<'_>) -> Result<i64> {
    let counter = sequence.counter()?;
    let progression = &counter.progression;
    if progression.beyond(n, progression.last) {
        return Err(counter.invalid(format!("{n} lies beyond its limit {}; raise the limit first", progression.last)));
    }
    let to = progression.seed(Some(n)).unwrap_or(n);
    if dry_run {
        return counter.raised(to).await;
    }
    if counter.raise_or_create(to).await? {
        return Ok(to);
    }
    match counter.read(None).await? {
        State::At(number) => Ok(number.value),
        State::Missing => Err(counter.missing("it was removed while it was raised")),
        State::Corrupt(found) => Err(counter.corrupt(found)),
    }
}
