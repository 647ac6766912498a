//! Spans of calls, and of what the library does for several of them.

#[cfg(feature = "metrics")]
use super::measure;
#[cfg(feature = "tracing")]
use super::trace;
use super::{Mode, Observed};
use crate::Result;

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    InsertWithSeq,
    InsertManyWithSeq,
    GetOrInsertWithSeq,
    NextValue,
    Reserve,
    RaiseTo,
    Restart,
    Adopt,
    EnsureSequences,
    VerifySequences,
    BackfillSequences,
    Unset,
}

/// The time something takes, and what happens in it.
#[derive(Clone, Debug)]
pub(crate) struct Span(#[cfg(feature = "tracing")] tracing::Span);

impl Span {
    /// That of whoever is running. A task that goes on for one caller runs in it, one for many says that it follows from it.
    pub(crate) fn current() -> Self {
        Self(
            #[cfg(feature = "tracing")]
            tracing::Span::current(),
        )
    }

    /// That of a call, for so many numbers. An insert says its way when it knows it, with [`way`].
    pub(crate) fn of_call(
        action: Action,
        mode: Option<Mode>,
        count: Option<usize>,
        sequence: impl FnOnce() -> String,
    ) -> Self {
        Self(
            #[cfg(feature = "tracing")]
            trace::call(action, mode, count, sequence),
        )
    }

    /// That of a call at a handle's counter.
    pub(crate) fn of_shared_call(action: Action, count: u64, observed: &Observed) -> Self {
        Self(
            #[cfg(feature = "tracing")]
            trace::call(action, Some(observed.mode), usize::try_from(count).ok(), || observed.sequence.to_string()),
        )
    }

    /// That of one command for so many numbers, which these callers wait for.
    pub(crate) fn of_command<'a>(
        observed: &Observed,
        count: u64,
        callers: impl ExactSizeIterator<Item = &'a Self>,
    ) -> Self {
        Self(
            #[cfg(feature = "tracing")]
            trace::command(observed, count, callers.map(|caller| &caller.0)),
        )
    }

    /// That of an insert for these callers, one document each. They are counted, too.
    pub(crate) fn of_group<'a>(observed: Option<&Observed>, callers: impl ExactSizeIterator<Item = &'a Self>) -> Self {
        #[cfg(feature = "metrics")]
        if let Some(observed) = observed {
            measure::group(observed, callers.len());
        }
        Self(
            #[cfg(feature = "tracing")]
            trace::group(observed, callers.map(|caller| &caller.0)),
        )
    }

    /// The future, which from now on runs in this span.
    pub(crate) fn around<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        #[cfg(feature = "tracing")]
        let future = tracing::Instrument::instrument(future, self.0);
        future
    }

    /// The same for one whose error the span is to show.
    pub(crate) fn around_call<T>(self, call: impl Future<Output = Result<T>>) -> impl Future<Output = Result<T>> {
        #[cfg(feature = "tracing")]
        let call = trace::around_call(self.0, call);
        call
    }
}

/// The way that the running call takes.
pub(crate) fn way(mode: Mode) {
    #[cfg(feature = "tracing")]
    trace::record("mode", mode.name());
}

/// The number, or the first of the numbers, that the running call has got.
pub(crate) fn number(number: Option<i64>) {
    #[cfg(feature = "tracing")]
    if let Some(number) = number {
        trace::record("number", number);
    }
}
