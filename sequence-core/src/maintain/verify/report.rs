//! What was found.

use std::fmt;

use mongodb::bson::{Bson, Document};
use serde::Serialize;

use super::{Found, tally::Tally};
use crate::NumberedField;

/// The counters of one numbered field next to its numbers, as [`verify_sequences`] has found them.
///
/// Printed it is a table, and with serde a document.
///
/// [`verify_sequences`]: crate::AutoIncrement::verify_sequences
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SequenceReport {
    /// Database and collection.
    pub namespace: String,
    /// The field, by its name in the documents.
    pub field: String,
    /// The name of the sequence.
    pub sequence: String,
    /// Whether the field is declared `gapless`: then a missing number is a fault.
    pub gapless: bool,
    /// Whether the numbers can be read from the documents: not those with a `format`, of which only the documents are
    /// counted.
    pub readable: bool,
    /// How many documents have a number that the sequence can hand out.
    pub documents: u64,
    /// How many documents have none: nothing under this name, or null.
    /// [`backfill_sequences`](crate::AutoIncrement::backfill_sequences) numbers them.
    pub without_number: u64,
    /// How many documents have something else there: a text, a fraction, a list. Nothing numbers or counts them, and a model
    /// cannot read them. A fault.
    pub not_a_number: u64,
    /// The `_id`s of the first 20 of them.
    pub first_not_a_number: Vec<Bson>,
    /// How many documents have a whole number that the sequence cannot hand out: before its first, beyond its limit, or
    /// between two of its numbers. No fault.
    pub outside: u64,
    /// Whether a unique index tells inserts of numbers that are there already. Without one nothing does;
    /// [`ensure_sequences`](crate::AutoIncrement::ensure_sequences) makes it.
    pub indexed: bool,
    /// One for each counter and each scope in the data.
    pub counters: Vec<CounterReport>,
}

/// One counter next to the numbers of its scope.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CounterReport {
    /// The values of the scope fields; empty for a field without a scope.
    pub scope: Document,
    /// The last number handed out, by the counter. `None` if there is no counter, or no number in it.
    pub value: Option<i64>,
    /// The furthest number in the data (the lowest of a descending sequence) that the sequence can hand out.
    pub highest: Option<i64>,
    /// How many documents have a number that the sequence can hand out.
    pub documents: u64,
    /// How many numbers before the furthest no document has: gaps, and deleted documents.
    pub missing: u64,
    /// The first 20 of them.
    pub first_missing: Vec<i64>,
    /// How many documents have a number that another one has already.
    pub duplicates: u64,
    /// The first 20 such numbers.
    pub first_duplicates: Vec<Duplicate>,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// A number that several documents have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Duplicate {
    /// The number.
    pub number: i64,
    /// How many documents have it.
    pub documents: u64,
}

/// What a counter and its numbers do not have to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// There are numbers and no counter, in a field without a scope.
    /// [`ensure_sequences`](crate::AutoIncrement::ensure_sequences) creates it behind them, and so does the next insert. (The
    /// counter of a scope is always left to the first insert.)
    CounterMissing,
    /// The counter document holds this instead of a number.
    CounterCorrupt(String),
    /// The counter lies behind the data, or before the first number, as after `start` was changed. Inserts skip what is there
    /// if a unique index tells them. At once [`raise_to`](crate::Sequence::raise_to) the highest number puts it right, and
    /// without a scope [`ensure_sequences`](crate::AutoIncrement::ensure_sequences).
    CounterBehind,
    /// Documents have the same number.
    Duplicates,
    /// Numbers are missing that were given without gaps. (Or their documents were deleted.)
    Gaps,
}

impl SequenceReport {
    pub(super) fn new(field: &NumberedField, indexed: bool) -> Self {
        let data = field.data(Document::new());
        Self {
            namespace: data.collection().namespace().to_string(),
            field: data.field().to_owned(),
            sequence: field.name(),
            gapless: field.is_gapless(),
            readable: data.is_readable(),
            documents: 0,
            without_number: 0,
            not_a_number: 0,
            first_not_a_number: Vec::new(),
            outside: 0,
            indexed,
            counters: Vec::new(),
        }
    }

    /// Whether nothing is wrong. A document without a number, a counter whose scope has no documents, and gaps of a
    /// sequence that may have them are none of the faults.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.not_a_number == 0 && self.counters.iter().all(|counter| counter.faults.is_empty())
    }
}

impl CounterReport {
    pub(super) fn new(field: &NumberedField, scope: Document, found: Option<Found>, tally: Tally) -> Self {
        let progression = field.progression();
        // where the data puts it, and never before the first number
        let place = progression.seed(tally.highest);
        let behind = |value| place.is_some_and(|place| progression.beyond(place, value));
        let counter = match &found {
            None => scope.is_empty().then_some(Fault::CounterMissing),
            Some(Err(found)) => Some(Fault::CounterCorrupt(found.clone())),
            Some(Ok(value)) => behind(*value).then_some(Fault::CounterBehind),
        };
        let duplicates = (tally.duplicates > 0).then_some(Fault::Duplicates);
        let gaps = (field.is_gapless() && tally.missing > 0).then_some(Fault::Gaps);
        let faults = counter.into_iter().chain(duplicates).chain(gaps).collect();
        let Tally { documents, highest, missing, first_missing, duplicates, first_duplicates } = tally;
        let value = found.and_then(Result::ok);
        Self { scope, value, highest, documents, missing, first_missing, duplicates, first_duplicates, faults }
    }
}

/// One line for each counter, and one for each thing that stands out.
impl fmt::Display for SequenceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gapless = if self.gapless { ", gapless" } else { "" };
        writeln!(f, "{} `{}`: sequence `{}`{gapless}", self.namespace, self.field, self.sequence)?;
        let number = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
        let head = ["scope", "counter", "highest", "documents", "missing", "duplicates"].map(str::to_owned);
        let rows = self.counters.iter().map(|counter| {
            let scope = if counter.scope.is_empty() { "-".to_owned() } else { counter.scope.to_string() };
            let counts = [counter.documents, counter.missing, counter.duplicates].map(|count| count.to_string());
            let [documents, missing, duplicates] = counts;
            [scope, number(counter.value), number(counter.highest), documents, missing, duplicates]
        });
        let rows: Vec<[String; 6]> = [head].into_iter().chain(rows).collect();
        let [first, others @ ..] = rows.iter().fold([0; 6], |mut widths: [usize; 6], row| {
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
            widths
        });
        let mut lines = rows.iter().map(|[scope, numbers @ ..]| {
            let numbers = numbers.iter().zip(&others).map(|(number, &width)| format!("  {number:>width$}"));
            format!("{scope:<width$}{}", numbers.collect::<String>(), width = first)
        });
        lines.next().into_iter().try_for_each(|head| writeln!(f, "{head}"))?;
        for (counter, line) in self.counters.iter().zip(lines) {
            writeln!(f, "{line}")?;
            counter.list(f)?;
        }
        write!(f, "{} documents with a number, {} without", self.documents, self.without_number)?;
        if self.outside > 0 {
            write!(f, ", {} with one that is none of the sequence", self.outside)?;
        }
        if self.not_a_number > 0 {
            let listed: Vec<_> = self.first_not_a_number.iter().map(ToString::to_string).collect();
            let listed = listed.join(", ");
            write!(f, "\nfault: {} documents have something else than a number, `_id` {listed}", self.not_a_number)?;
        }
        if !self.indexed {
            write!(f, "\nno unique index: `ensure_sequences` makes it")?;
        }
        if !self.readable {
            write!(f, "; what `format` made of the numbers cannot be read")?;
        }
        Ok(())
    }
}

impl CounterReport {
    fn list(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = self.first_missing.iter().map(i64::to_string);
        list(f, "missing", missing, self.missing > self.first_missing.len() as u64)?;
        let repeated = self.first_duplicates.iter().map(|Duplicate { number, documents }| match documents {
            2 => number.to_string(),
            _ => format!("{number} ({documents} documents)"),
        });
        let listed: u64 = self.first_duplicates.iter().map(|repeated| repeated.documents - 1).sum();
        list(f, "twice", repeated, self.duplicates > listed)?;
        if self.value.is_none() && self.faults.is_empty() {
            writeln!(f, "  no counter yet: the first insert makes it")?;
        }
        self.faults.iter().try_for_each(|fault| writeln!(f, "  fault: {fault}"))
    }
}

fn list(f: &mut fmt::Formatter<'_>, what: &str, listed: impl Iterator<Item = String>, are_more: bool) -> fmt::Result {
    let listed: Vec<_> = listed.collect();
    let more = if are_more { ", …" } else { "" };
    if listed.is_empty() { Ok(()) } else { writeln!(f, "  {what}: {}{more}", listed.join(", ")) }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CounterMissing => f.write_str("there is no counter"),
            Self::CounterCorrupt(found) => write!(f, "the counter holds {found} instead of a number"),
            Self::CounterBehind => f.write_str("the counter lies behind the data, or before the first number"),
            Self::Duplicates => f.write_str("documents have the same number"),
            Self::Gaps => f.write_str("numbers are missing in a sequence without gaps"),
        }
    }
}
