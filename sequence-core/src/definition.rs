//! One sequence as declared: names, first number, step and limits, and where it stands on given data.
//!
//! Sums are made in `i128`, where nothing that a sequence can hold overflows.

mod message;

use self::message::Message;
use crate::value::ByDefault;

/// The counter collection, unless the model names another.
pub(crate) const DEFAULT_COUNTERS: &str = "sequences";
/// The field of a counter document that holds the last number, unless the model names another.
pub(crate) const DEFAULT_VALUE_FIELD: &str = "seq";

/// The sequence of one field as the derive declares it. Const, so that it also sits in generic structs.
///
/// Not public API: generated code builds it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "one for each key of the attribute that has no value")]
pub struct Definition {
    pub(crate) rust_field: &'static str,
    pub(crate) stored_field: &'static str,
    pub(crate) name: Option<&'static str>,
    pub(crate) start: i64,
    pub(crate) step: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    pub(crate) gapless: bool,
    /// The scope fields, sorted by their stored names.
    pub(crate) scope: &'static [ScopeField],
    pub(crate) by_default: bool,
    pub(crate) formatted: bool,
    pub(crate) shared: bool,
    pub(crate) counters: &'static str,
    pub(crate) value_field: &'static str,
}

/// Its name in Rust and in the document, and whether serde may leave it out.
pub(crate) type ScopeField = (&'static str, &'static str, bool);

#[allow(missing_docs, reason = "not public API; each sets the field of its name")]
#[allow(clippy::missing_panics_doc, reason = "they panic while the user's crate is compiled")]
impl Definition {
    #[must_use]
    pub const fn new(rust_field: &'static str, stored_field: &'static str, min: i64, max: i64) -> Self {
        Self {
            rust_field,
            stored_field,
            name: None,
            start: 1,
            step: 1,
            min,
            max,
            gapless: false,
            scope: &[],
            by_default: false,
            formatted: false,
            shared: false,
            counters: DEFAULT_COUNTERS,
            value_field: DEFAULT_VALUE_FIELD,
        }
    }
    #[must_use]
    pub const fn start(mut self, start: i64) -> Self {
        self.start = start;
        self
    }
    #[must_use]
    pub const fn step(mut self, step: i64) -> Self {
        self.step = step;
        self
    }
    #[must_use]
    #[track_caller]
    pub const fn min(mut self, min: i64) -> Self {
        if min < self.min {
            let message =
                Message::new("`min` is ").number(min).text(", below what the field's type can hold, which is ");
            message.number(self.min).stop();
        }
        self.min = min;
        self
    }
    #[must_use]
    #[track_caller]
    pub const fn max(mut self, max: i64) -> Self {
        if max > self.max {
            let message =
                Message::new("`max` is ").number(max).text(", above what the field's type can hold, which is ");
            message.number(self.max).stop();
        }
        self.max = max;
        self
    }
    #[must_use]
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }
    #[must_use]
    pub const fn gapless(mut self) -> Self {
        self.gapless = true;
        self
    }
    #[must_use]
    pub const fn scope(mut self, scope: &'static [ScopeField]) -> Self {
        self.scope = scope;
        self
    }
    #[must_use]
    pub const fn by_default<V: ByDefault>(mut self) -> Self {
        self.by_default = true;
        self
    }
    #[must_use]
    pub const fn format(mut self) -> Self {
        self.formatted = true;
        self
    }
    #[must_use]
    pub const fn shared(mut self) -> Self {
        self.shared = true;
        self
    }
    #[must_use]
    pub const fn counters(mut self, counters: &'static str) -> Self {
        self.counters = counters;
        self
    }
    #[must_use]
    pub const fn value_field(mut self, value_field: &'static str) -> Self {
        self.value_field = value_field;
        self
    }

    /// The last step of every generated definition: a contradiction between its parts stops the build.
    #[must_use]
    #[track_caller]
    pub const fn checked(self) -> Self {
        assert!(self.step != 0, "`step` is 0, so there would be one number only");
        if self.start < self.min || self.start > self.max {
            let message =
                Message::new("`start` is ").number(self.start).text(", outside of what the sequence may hand out: ");
            let message = message.number(self.min).text(" to ").number(self.max);
            message.text(", by `min`, `max` and the field's type").stop();
        }
        if self.start.checked_sub(self.step).is_none() {
            let message = Message::new("`start` is ").number(self.start).text(" and `step` ").number(self.step);
            let message =
                message.text("; their difference must fit into an i64, since the counter holds it before the first");
            message.text(" number").stop();
        }
        self
    }
}

/// The name of a sequence, unless it has one of its own.
pub(crate) fn sequence(name: Option<&str>, collection: &str, field: &str) -> String {
    name.map_or_else(|| format!("{collection}.{field}"), str::to_owned)
}

/// `start, start + step, …` as far as `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progression {
    /// The first number; `None` for a bare sequence that was not told where to start.
    pub(crate) start: Option<i64>,
    /// The distance between numbers, never 0.
    pub(crate) step: i64,
    /// The limit in the direction of `step`.
    pub(crate) last: i64,
}

impl Progression {
    pub(crate) fn ascending(&self) -> bool {
        self.step > 0
    }

    /// Whether `a` lies further in the direction of the step than `b`.
    pub(crate) fn beyond(&self, a: i64, b: i64) -> bool {
        if self.ascending() { a > b } else { a < b }
    }

    /// By how much `n` numbers move the counter, and the furthest value it may hold before it is moved. `None` if no
    /// counter has room for so many.
    pub(crate) fn stride(&self, n: u64) -> Option<Stride> {
        let by = i64::try_from(i128::from(n) * i128::from(self.step)).ok()?;
        let bound = self.last.checked_sub(by)?;
        Some(Stride { by, bound })
    }

    /// How many numbers are left behind `value`.
    pub(crate) fn remaining(&self, value: i64) -> u64 {
        let left = (i128::from(self.last) - i128::from(value)) / i128::from(self.step);
        u64::try_from(left).unwrap_or(0)
    }

    /// Where the counter stands when `furthest` is the number in the data that lies furthest in the direction of the
    /// step: the grid value at or before it, and never before the first number. `None` without a start.
    pub(crate) fn seed(&self, furthest: Option<i64>) -> Option<i64> {
        let start = self.start?;
        let before_first = start.checked_sub(self.step)?;
        match furthest {
            Some(number) if !self.beyond(start, number) => {
                let (start, step) = (i128::from(start), i128::from(self.step));
                let steps = (i128::from(number) - start) / step;
                i64::try_from(start + steps * step).ok()
            }
            _ => Some(before_first),
        }
    }

    /// The numbers that end with `last`, from it backwards.
    pub(crate) fn up_to(&self, last: i64) -> impl Iterator<Item = i64> {
        std::iter::successors(Some(last), |number| number.checked_sub(self.step))
    }

    /// The first of the `n` numbers that end with `last`.
    pub(crate) fn first_of(&self, n: u64, last: i64) -> Option<i64> {
        i64::try_from(i128::from(last) - i128::from(n.saturating_sub(1)) * i128::from(self.step)).ok()
    }

    /// How many numbers come before this one. `None` if it is none of the sequence.
    pub(crate) fn place(&self, number: i64) -> Option<u64> {
        let distance = i128::from(number) - i128::from(self.start?);
        let step = i128::from(self.step);
        if distance % step == 0 { u64::try_from(distance / step).ok() } else { None }
    }

    /// The number at this place.
    pub(crate) fn at(&self, place: u64) -> Option<i64> {
        i64::try_from(i128::from(self.start?) + i128::from(place) * i128::from(self.step)).ok()
    }

    /// As in a sort.
    pub(crate) fn direction(&self) -> i32 {
        if self.ascending() { 1 } else { -1 }
    }

    /// The smallest and the largest number that the sequence can hand out.
    pub(crate) fn range(&self) -> (i64, i64) {
        let (near, far) = match (self.start, self.ascending()) {
            (Some(start), _) => (start, self.last),
            (None, true) => (i64::MIN, self.last),
            (None, false) => (i64::MAX, self.last),
        };
        (near.min(far), near.max(far))
    }
}

/// One move of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stride {
    /// The amount, negative for a descending sequence.
    pub(crate) by: i64,
    /// The furthest value the counter may hold before the move.
    pub(crate) bound: i64,
}

#[cfg(test)]
mod tests {
    use super::{Progression, Stride};

    fn progression(start: i64, step: i64, last: i64) -> Progression {
        Progression { start: Some(start), step, last }
    }

    #[test]
    fn the_seed_stays_on_the_grid_and_never_before_the_first_number() {
        let odd = progression(1, 2, i64::MAX);
        assert_eq!(odd.seed(None), Some(-1));
        assert_eq!(odd.seed(Some(-7)), Some(-1));
        assert_eq!(odd.seed(Some(1)), Some(1));
        assert_eq!(odd.seed(Some(100)), Some(99));
        assert_eq!(odd.seed(Some(i64::MAX)), Some(i64::MAX));
    }

    #[test]
    fn a_descending_sequence_is_the_mirror_image() {
        let down = progression(-1, -1, i64::MIN);
        assert_eq!(down.seed(None), Some(0));
        assert_eq!(down.seed(Some(-50)), Some(-50));
        assert_eq!(down.seed(Some(3)), Some(0));
        let even = progression(10, -4, -20);
        assert_eq!(even.seed(Some(-7)), Some(-6));
        assert_eq!(even.range(), (-20, 10));
        assert_eq!(even.remaining(10), 7);
    }

    #[test]
    fn nothing_overflows_at_the_ends() {
        let all = progression(i64::MIN + 1, 1, i64::MAX);
        assert_eq!(all.seed(None), Some(i64::MIN));
        assert_eq!(all.remaining(i64::MIN), u64::MAX);
        assert_eq!(all.stride(u64::MAX), None);
        assert_eq!(all.stride(1), Some(Stride { by: 1, bound: i64::MAX - 1 }));
        assert_eq!(progression(1, i64::MAX, i64::MAX).stride(2), None);
        assert_eq!(progression(-1, -1, i64::MIN).stride(1), Some(Stride { by: -1, bound: i64::MIN + 1 }));
        assert_eq!(progression(0, -1, i64::MIN).seed(Some(i64::MIN)), Some(i64::MIN));
        assert_eq!(progression(1, 1, 5).remaining(9), 0);
    }
}
