//! Counters, histograms and a gauge.

use std::{sync::Arc, time::Duration};

use metrics::{Label, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

use super::Observed;
use crate::definition::Progression;

const NUMBERS: &str = "mongo_sequence_numbers_total";
const BURNT: &str = "mongo_sequence_numbers_burnt_total";
const UNKNOWN: &str = "mongo_sequence_numbers_unknown_total";
const COMMANDS: &str = "mongo_sequence_counter_commands_total";
const CONFLICTS: &str = "mongo_sequence_counter_conflicts_total";
const REPAIRS: &str = "mongo_sequence_counter_repairs_total";
const RETRIES: &str = "mongo_sequence_retries_total";
const GROUP_SIZE: &str = "mongo_sequence_group_size";
const BLOCK_SIZE: &str = "mongo_sequence_block_size";
const REFILL_TIME: &str = "mongo_sequence_block_refill_duration_seconds";
const RANGE_USED: &str = "mongo_sequence_range_used_ratio";

/// Tells the recorder of the [`metrics`](https://docs.rs/metrics) crate what each metric of this library means, and its
/// unit. Call it once, when the recorder is installed.
///
/// What is counted is counted without it, too. The page `observability` of `mongo-sequence` lists the names.
///
/// ```
/// # fn example() {
/// // after `metrics::set_global_recorder`, or what an exporter has for it
/// sequence_core::describe_metrics();
/// # }
/// ```
pub fn describe_metrics() {
    describe_counter!(NUMBERS, Unit::Count, "Numbers taken from counters");
    describe_counter!(
        BURNT,
        Unit::Count,
        "Numbers that were taken and are gaps, unless a document is stored after all"
    );
    describe_counter!(UNKNOWN, Unit::Count, "Numbers of which nobody knows whether they were taken, or are stored");
    describe_counter!(COMMANDS, Unit::Count, "Commands sent to read and write counters");
    describe_counter!(CONFLICTS, Unit::Count, "Write conflicts at counters");
    describe_counter!(REPAIRS, Unit::Count, "Counters that were found behind the data, and moved on behind it");
    describe_counter!(RETRIES, Unit::Count, "Counter commands, inserts and transactions that were tried again");
    describe_histogram!(GROUP_SIZE, Unit::Count, "Documents of different callers that were inserted together");
    describe_histogram!(BLOCK_SIZE, Unit::Count, "Numbers that one command reserved ahead");
    describe_histogram!(REFILL_TIME, Unit::Seconds, "Time in which a block of numbers was reserved");
    describe_gauge!(RANGE_USED, "Part of the range of a sequence that its last number has used up, from 0 to 1");
}

pub(super) fn given(observed: &Observed, n: u64, last: Option<i64>, progression: &Progression) {
    counter!(NUMBERS, labels(observed)).increment(n);
    if let Some(last) = last {
        gauge!(RANGE_USED, vec![sequence(observed)]).set(used(last, progression));
    }
}

pub(super) fn burnt(observed: &Observed, count: u64) {
    counter!(BURNT, labels(observed)).increment(count);
}

pub(super) fn unknown(observed: &Observed, count: u64) {
    counter!(UNKNOWN, labels(observed)).increment(count);
}

pub(super) fn command(observed: &Observed) {
    counter!(COMMANDS, labels(observed)).increment(1);
}

pub(super) fn conflict(observed: &Observed) {
    counter!(CONFLICTS, labels(observed)).increment(1);
}

pub(super) fn repaired(observed: &Observed) {
    counter!(REPAIRS, labels(observed)).increment(1);
}

pub(super) fn again(observed: &Observed) {
    counter!(RETRIES, labels(observed)).increment(1);
}

#[allow(clippy::cast_precision_loss, reason = "a histogram of them")]
pub(super) fn group(observed: &Observed, size: usize) {
    histogram!(GROUP_SIZE, labels(observed)).record(size as f64);
}

#[allow(clippy::cast_precision_loss, reason = "a histogram of them")]
pub(super) fn reserved(observed: &Observed, size: u64, took: Duration) {
    histogram!(BLOCK_SIZE, labels(observed)).record(size as f64);
    histogram!(REFILL_TIME, labels(observed)).record(took.as_secs_f64());
}

fn labels(observed: &Observed) -> Vec<Label> {
    vec![sequence(observed), Label::new("mode", observed.mode.name())]
}

fn sequence(observed: &Observed) -> Label {
    Label::new("sequence", Arc::clone(&observed.sequence))
}

/// How far `last` is on the way from before the first number to the limit. A sequence that was not told where it starts
/// counts from 0, or from the end of what an i64 can hold if its limit is before that.
#[allow(clippy::cast_precision_loss, reason = "a ratio")]
fn used(last: i64, progression: &Progression) -> f64 {
    let before_first = match progression.start {
        Some(start) => i128::from(start) - i128::from(progression.step),
        None if progression.beyond(progression.last, 0) => 0,
        None if progression.ascending() => i64::MIN.into(),
        None => i64::MAX.into(),
    };
    let way = |to: i64| (i128::from(to) - before_first) as f64;
    (way(last) / way(progression.last)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::{Progression, used};

    fn of(start: Option<i64>, step: i64, last: i64, value: i64) -> f64 {
        used(value, &Progression { start, step, last })
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "these are exact")]
    fn the_range_is_used_up_from_before_the_first_number_to_the_limit() {
        assert_eq!(of(Some(1), 1, 4, 0), 0.0);
        assert_eq!(of(Some(1), 1, 4, 1), 0.25);
        assert_eq!(of(Some(1), 1, 4, 4), 1.0);
        assert_eq!(of(Some(-1), -1, -4, -3), 0.75);
        assert_eq!(of(Some(1000), 10, 1030, 1010), 0.5);
        assert_eq!(of(None, 1, 200, 50), 0.25);
        assert_eq!(of(None, 1, 0, i64::MIN / 2), 0.5);
        assert_eq!(of(None, -1, 0, 0), 1.0);
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "these are exact")]
    fn it_is_a_ratio_whatever_the_counter_holds() {
        assert_eq!(of(Some(1), 1, 4, -7), 0.0);
        assert_eq!(of(Some(1), 1, 4, 9), 1.0);
        assert_eq!(of(Some(i64::MIN + 1), 1, i64::MAX, 0), 0.5);
        assert_eq!(of(Some(1), i64::MAX, i64::MAX, i64::MAX), 1.0);
    }
}
