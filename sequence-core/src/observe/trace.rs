//! Spans and events.

use std::{
    fmt::{self, Write as _},
    time::Duration,
};

use tracing::{Instrument as _, Level, Span, Value, debug_span, event, field::Empty};

use super::{Action, End, Mode, Observed, Tried};
use crate::{Error, Result};

/// What a filter names, in whichever crate of this library it happens.
const TARGET: &str = "mongo_sequence";

pub(super) fn call(
    action: Action,
    mode: Option<Mode>,
    count: Option<usize>,
    sequence: impl FnOnce() -> String,
) -> Span {
    let mode = mode.map(Mode::name);
    // a span's name is part of its code
    macro_rules! named {
        ($($action:ident: $name:literal,)*) => {
            match action {
                $(Action::$action => debug_span!(
                    target: TARGET,
                    $name,
                    sequence = sequence(),
                    mode,
                    count,
                    number = Empty,
                    attempts = Empty,
                    burnt = Empty,
                    error = Empty,
                ),)*
            }
        };
    }
    named! {
        InsertWithSeq: "insert_with_seq",
        InsertManyWithSeq: "insert_many_with_seq",
        GetOrInsertWithSeq: "get_or_insert_with_seq",
        NextValue: "next_value",
        Reserve: "reserve",
        RaiseTo: "raise_to",
        Restart: "restart",
        Adopt: "adopt",
        EnsureSequences: "ensure_sequences",
        VerifySequences: "verify_sequences",
        BackfillSequences: "backfill_sequences",
        Unset: "unset",
    }
}

pub(super) fn command<'a>(observed: &Observed, count: u64, callers: impl ExactSizeIterator<Item = &'a Span>) -> Span {
    let Observed { sequence, mode } = observed;
    let span = debug_span!(
        target: TARGET,
        "share_numbers",
        sequence = &**sequence,
        mode = mode.name(),
        callers = callers.len(),
        count,
        attempts = Empty,
    );
    for caller in callers {
        span.follows_from(caller);
    }
    span
}

pub(super) fn group<'a>(observed: Option<&Observed>, callers: impl ExactSizeIterator<Item = &'a Span>) -> Span {
    let span = debug_span!(
        target: TARGET,
        "insert_group",
        sequence = observed.map(|observed| &*observed.sequence),
        mode = observed.map(|observed| observed.mode.name()),
        callers = callers.len(),
        attempts = Empty,
    );
    for caller in callers {
        span.follows_from(caller);
    }
    span
}

pub(super) async fn around_call<T>(span: Span, call: impl Future<Output = Result<T>>) -> Result<T> {
    let done = call.instrument(span.clone()).await;
    if let Err(error) = &done {
        span.record("error", name_of(error));
        span.record("burnt", error.number());
    }
    done
}

/// An event at a counter.
macro_rules! tell {
    ($level:ident, $observed:expr, $($rest:tt)+) => {{
        let Observed { sequence, mode } = $observed;
        event!(target: TARGET, Level::$level, sequence = &**sequence, mode = mode.name(), $($rest)+);
    }};
}

pub(super) fn conflict(observed: &Observed) {
    tell!(DEBUG, observed, "counter conflict");
}

pub(super) fn again(observed: &Observed, tried: Tried, attempt: u32) {
    let what = match tried {
        Tried::Command => "counter command",
        Tried::Insert => "insert",
        Tried::Transaction => "transaction",
    };
    tell!(DEBUG, observed, what, attempt, "trying again");
}

pub(super) fn created(observed: &Observed, value: i64, continues: bool) {
    tell!(INFO, observed, value, continues, "counter created");
}

pub(super) fn repaired(observed: &Observed, number: Option<i64>, value: i64) {
    tell!(WARN, observed, number, value, "counter was behind the data");
}

pub(super) fn reserved(observed: &Observed, size: u64, took: Duration) {
    tell!(DEBUG, observed, size, seconds = took.as_secs_f64(), "block reserved");
}

pub(super) fn burnt(observed: &Observed, count: u64, number: Option<i64>) {
    tell!(DEBUG, observed, count, number, "numbers burnt");
}

pub(super) fn unknown(observed: &Observed, count: u64, number: Option<i64>) {
    tell!(WARN, observed, count, number, "outcome unknown");
}

pub(super) fn ended(observed: &Observed, end: End) {
    let end = match end {
        End::Committed => "committed",
        End::Aborted => "aborted",
        End::Doubtful => "doubtful",
        End::Abandoned => "abandoned",
    };
    tell!(WARN, observed, end, "transaction ended without its caller");
}

/// In the span of the running call, if it has one. With it filtered out, the current one may be the application's.
pub(super) fn record(field: &'static str, value: impl Value) {
    let span = Span::current();
    if span.metadata().is_some_and(|metadata| metadata.target() == TARGET) {
        span.record(field, value);
    }
}

/// The kind of an error without what it holds, which may be data.
fn name_of(error: &Error) -> String {
    /// Takes the name that `Debug` begins with, and stops it there.
    struct Name(String);

    impl fmt::Write for Name {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            self.0.push_str(name);
            if name.len() == text.len() { Ok(()) } else { Err(fmt::Error) }
        }
    }

    let mut name = Name(String::new());
    let _stopped = write!(name, "{:?}", error.kind());
    name.0
}
