//! What was measured, and the medians and ratios of it.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Section {
    Inserts,
    Bulk,
    Numbers,
    Processes,
    BlockChange,
    Turns,
}

/// One way with one number of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Cell {
    pub(crate) section: Section,
    pub(crate) way: &'static str,
    pub(crate) callers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quantity {
    /// Documents or numbers that were acknowledged in time, each second.
    PerSecond,
    /// Of the times of calls, in microseconds.
    P50,
    P99,
    P999,
    Longest,
    /// How many calls took more than 100 µs.
    Over100,
    /// `findAndModify` commands for each document or number.
    MovesEach,
    /// Commands of all kinds for each call.
    CommandsPerCall,
    /// Conflicts of single writes in the measured time, and aborted transactions: the server counts each of them in one
    /// place only.
    Conflicts,
    Aborts,
    /// Milliseconds of this process, user and system, for 1,000 documents or numbers.
    CpuPerThousand,
    /// Of all that was inserted, by the slowest and by the fastest process.
    SmallestShare,
    LargestShare,
    /// Blocks that were reserved.
    Refills,
}

pub(crate) type Values = BTreeMap<Quantity, f64>;

#[derive(Debug, Default)]
pub(crate) struct Results {
    rounds: Vec<Vec<(Cell, Values)>>,
}

impl Section {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Inserts => "inserts",
            Self::Bulk => "bulk",
            Self::Numbers => "numbers",
            Self::Processes => "processes",
            Self::BlockChange => "block change",
            Self::Turns => "in turn",
        }
    }

    pub(crate) fn cell(self, way: &'static str, callers: usize) -> Cell {
        Cell { section: self, way, callers }
    }
}

/// The name that `--only` looks at.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.section.name(), self.way, self.callers)
    }
}

impl Results {
    pub(crate) fn begin_round(&mut self) {
        self.rounds.push(Vec::new());
    }

    pub(crate) fn add(&mut self, cell: Cell, values: Values) {
        if let Some(round) = self.rounds.last_mut() {
            round.push((cell, values));
        }
    }

    pub(crate) fn rounds(&self) -> &[Vec<(Cell, Values)>] {
        &self.rounds
    }

    /// In the order in which they are run.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (Cell, &Values)> {
        self.rounds.iter().take(1).flatten().map(|(cell, values)| (*cell, values))
    }

    /// Of all rounds.
    pub(crate) fn median(&self, cell: Cell, quantity: Quantity) -> Option<f64> {
        self.median_of_rounds(|round| value(round, cell, quantity))
    }

    /// How one cell compares to another, each time within a round.
    pub(crate) fn ratio(&self, cell: Cell, base: Cell, quantity: Quantity) -> Option<f64> {
        let ratio = |round: &_| Some(value(round, cell, quantity)? / value(round, base, quantity)?);
        self.median_of_rounds(|round| ratio(round).filter(|ratio| ratio.is_finite()))
    }

    /// How much more one cell has of something than another, each time within a round.
    pub(crate) fn excess(&self, cell: Cell, base: Cell, quantity: Quantity) -> Option<f64> {
        self.median_of_rounds(|round| Some(value(round, cell, quantity)? - value(round, base, quantity)?))
    }

    fn median_of_rounds(&self, of: impl Fn(&Vec<(Cell, Values)>) -> Option<f64>) -> Option<f64> {
        let mut values: Vec<f64> = self.rounds.iter().filter_map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        let upper = values.len() / 2;
        let lower = upper.checked_sub(1 - values.len() % 2)?;
        Some(f64::midpoint(*values.get(lower)?, *values.get(upper)?))
    }
}

fn value(round: &[(Cell, Values)], cell: Cell, quantity: Quantity) -> Option<f64> {
    let (_, values) = round.iter().find(|(of, _)| *of == cell)?;
    values.get(&quantity).copied()
}

/// Counts stay far below the 2^53 that this is exact for.
#[allow(clippy::cast_precision_loss, reason = "see above")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}
