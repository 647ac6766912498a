//! What the library tells of itself, with the features `tracing` and `metrics`. `docs/observability.md` lists all of it.
//!
//! The rest of the code says here what happens, once for each fact. Without the features every function is empty, and every
//! type has no size.

#![allow(
    unused_variables,
    clippy::unused_self,
    clippy::needless_pass_by_value,
    reason = "whoever calls has no `cfg`, so what is not told comes here all the same"
)]

#[cfg(feature = "metrics")]
mod measure;
mod span;
#[cfg(all(test, not(any(feature = "metrics", feature = "tracing"))))]
mod tests;
#[cfg(feature = "tracing")]
mod trace;

use std::time::Duration;

#[cfg(feature = "metrics")]
pub use self::measure::describe_metrics;
pub(crate) use self::span::{Action, Span, number, way};
use crate::definition::Progression;

/// Whether anything is told, for what would have to be looked for first.
pub(crate) const IS_ON: bool = cfg!(any(feature = "metrics", feature = "tracing"));

/// Which way numbers take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By a command of the call's own, outside transactions.
    Plain,
    /// The same, with a session for the documents.
    Session,
    /// In a transaction of the caller's.
    Transaction,
    /// In a transaction of the library's.
    Gapless,
    /// The same, with other callers of a handle.
    Group,
    /// By commands that the callers of a handle share.
    Combined,
    /// From blocks.
    Block,
}

/// What is told of whatever happens at one counter.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    sequence: std::sync::Arc<str>,
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    mode: Mode,
}

impl Observed {
    /// `sequence` is its name without the values of a scope, of which there may be any number, and which are data.
    pub(crate) fn new(sequence: &str) -> Self {
        Self {
            #[cfg(any(feature = "metrics", feature = "tracing"))]
            sequence: sequence.into(),
            #[cfg(any(feature = "metrics", feature = "tracing"))]
            mode: Mode::Plain,
        }
    }

    pub(crate) fn set_mode(&mut self, mode: Mode) {
        #[cfg(any(feature = "metrics", feature = "tracing"))]
        {
            self.mode = mode;
        }
    }

    /// A command is sent to it.
    pub(crate) fn command(&self) {
        #[cfg(feature = "metrics")]
        measure::command(self);
    }

    /// So many numbers were taken, of which this is the last; in a transaction of the library's once it is committed.
    pub(crate) fn given(&self, n: u64, last: Option<i64>, progression: &Progression) {
        #[cfg(feature = "metrics")]
        if n > 0 {
            measure::given(self, n, last, progression);
        }
    }

    /// Somebody else has written the counter, or is about to.
    pub(crate) fn conflict(&self) {
        #[cfg(feature = "metrics")]
        measure::conflict(self);
        #[cfg(feature = "tracing")]
        trace::conflict(self);
    }

    /// There was none. `continues` tells whether there are numbers already, behind which it begins.
    pub(crate) fn created(&self, value: i64, continues: bool) {
        #[cfg(feature = "tracing")]
        trace::created(self, value, continues);
    }

    /// It was behind the data, where this number may have been found, and is not any more.
    pub(crate) fn repaired(&self, number: Option<i64>, value: i64) {
        #[cfg(feature = "metrics")]
        measure::repaired(self);
        #[cfg(feature = "tracing")]
        trace::repaired(self, number, value);
    }

    /// A block is there, so long after it was asked for.
    pub(crate) fn reserved(&self, size: u64, took: Duration) {
        #[cfg(feature = "metrics")]
        measure::reserved(self, size, took);
        #[cfg(feature = "tracing")]
        trace::reserved(self, size, took);
    }

    /// So many numbers, of which this is the first, are not handed out any more, or not stored.
    pub(crate) fn burnt(&self, count: u64, first: Option<i64>) {
        if count > 0 {
            #[cfg(feature = "metrics")]
            measure::burnt(self, count);
            #[cfg(feature = "tracing")]
            trace::burnt(self, count, first);
        }
    }

    /// Of so many numbers nobody knows whether they were taken, or are stored.
    pub(crate) fn unknown(&self, count: u64, first: Option<i64>) {
        if count > 0 {
            #[cfg(feature = "metrics")]
            measure::unknown(self, count);
            #[cfg(feature = "tracing")]
            trace::unknown(self, count, first);
        }
    }

    /// A transaction of the library's went on without its caller, or had to be ended by somebody else.
    pub(crate) fn ended(&self, end: End) {
        #[cfg(feature = "tracing")]
        trace::ended(self, end);
    }
}

/// How a transaction ended that its caller did not see to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// The call was dropped, and its document is stored.
    Committed,
    /// The call was dropped, and its document is not stored.
    Aborted,
    /// Its commit was given up, so that another task sees to it.
    Doubtful,
    /// Its runtime has ended, so that a thread sees to it.
    Abandoned,
}

/// What is done again where it met something that passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tried {
    Command,
    Insert,
    Transaction,
}

/// How often the running call has tried something. Its span shows that at the end, if it was more than once.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    made: u32,
}

impl Attempts {
    /// One more begins.
    pub(crate) fn begin(&mut self, tried: Tried, observed: Option<&Observed>) {
        #[cfg(any(feature = "metrics", feature = "tracing"))]
        {
            self.made += 1;
            if let Some(observed) = observed.filter(|_| self.made > 1) {
                #[cfg(feature = "metrics")]
                measure::again(observed);
                #[cfg(feature = "tracing")]
                trace::again(observed, tried, self.made);
            }
        }
    }
}

#[cfg(feature = "tracing")]
impl Drop for Attempts {
    fn drop(&mut self) {
        if self.made > 1 {
            trace::record("attempts", self.made);
        }
    }
}

#[cfg(any(feature = "metrics", feature = "tracing"))]
impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Session => "session",
            Self::Transaction => "transaction",
            Self::Gapless => "gapless",
            Self::Group => "group",
            Self::Combined => "combined",
            Self::Block => "block",
        }
    }
}
