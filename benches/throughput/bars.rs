//! What the library is measured by.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{
    block_change, bulk,
    modes::Way,
    numbers, processes,
    results::{Cell, Quantity, Results, Section},
    turns,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

#[derive(Debug, Serialize)]
pub(crate) struct Bar {
    pub(crate) what: String,
    pub(crate) bound: Bound,
    pub(crate) measured: Option<f64>,
}

impl Bar {
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.measured.map(|measured| match self.bound {
            Bound::AtLeast(bound) => measured >= bound,
            Bound::AtMost(bound) => measured <= bound,
        })
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(f, "≥ {bound}"),
            Self::AtMost(bound) => write!(f, "≤ {bound}"),
        }
    }
}

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

pub(crate) fn bars(results: &Results) -> Vec<Bar> {
    let rate = |cell: Cell, times: f64, base: Cell| Bar {
        what: format!("{}, {}: {} to {}", cell.section.name(), cell.callers, cell.way, base.way),
        bound: Bound::AtLeast(times),
        measured: results.ratio(cell, base, Quantity::PerSecond),
    };
    let inserts = |way: Way, callers| Section::Inserts.cell(way.name(), callers);
    let mut bars = Vec::new();
    for callers in [1, 16, 64, 256] {
        bars.push(rate(inserts(Way::Plain, callers), 0.95, inserts(Way::TwoCommands, callers)));
    }
    bars.push(rate(turns::cell(Way::Plain), 0.95, turns::cell(Way::TwoCommands)));
    for (callers, times) in [(64, 2.5), (256, 6.0)] {
        bars.push(rate(inserts(Way::Sequenced, callers), times, inserts(Way::InsertOne, callers)));
    }
    for (callers, times) in [(64, 2.5), (256, 8.0)] {
        bars.push(rate(inserts(Way::SequencedGapless, callers), times, inserts(Way::InsertOne, callers)));
    }
    bars.push(rate(inserts(Way::SequencedGapless, 64), 20.0, inserts(Way::GaplessByHand, 64)));
    for way in [Way::PlainGapless, Way::SequencedGapless] {
        bars.push(rate(inserts(way, 1), 0.95, inserts(Way::GaplessByHand, 1)));
        bars.push(rate(turns::cell(way), 0.95, turns::cell(Way::GaplessByHand)));
    }
    let [by_hand, sequenced] = processes::cells();
    bars.push(rate(sequenced, 8.0, by_hand));
    let [insert_many, plain, blocks] = bulk::cells();
    bars.push(Bar {
        what: format!("bulk: commands that {} sends more than {}", plain.way, insert_many.way),
        bound: Bound::AtMost(1.0),
        // a command of the server's own may come in between
        measured: results
            .excess(plain, insert_many, Quantity::CommandsPerCall)
            .map(|more| (more * 20.0).round() / 20.0),
    });
    bars.push(rate(blocks, 0.97, insert_many));
    let one = |way| [inserts(way, 1), turns::cell(way)];
    for (one, insert_one) in one(Way::Blocks).into_iter().zip(one(Way::InsertOne)) {
        bars.push(rate(one, 0.95, insert_one));
        bars.push(Bar {
            what: format!("{}, 1: p99 with block_size(100) to insert_one", one.section.name()),
            bound: Bound::AtMost(1.1),
            measured: results.ratio(one, insert_one, Quantity::P99),
        });
    }
    for (tasks, times) in [(64, 10.0), (256, 30.0)] {
        let [by_hand, combined, _] = numbers::cells(tasks);
        bars.push(rate(combined, times, by_hand));
    }
    let [calls, control] = block_change::cells();
    bars.push(Bar {
        what: "block change: calls over 100 µs more than in the control".to_owned(),
        bound: Bound::AtMost(0.0),
        measured: results.excess(calls, control, Quantity::Over100),
    });
    bars
}
