//! The tables, and the file with every figure.

use std::{fs, path::PathBuf};

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::json;

use crate::{
    Result,
    arguments::Plan,
    bars::Bar,
    deployment::Deployment,
    numbers,
    results::{Cell, Quantity, Results, Section, Values},
};

#[derive(Debug, Serialize)]
pub(crate) struct Environment {
    server: String,
    cores: usize,
    optimized: bool,
    rounds: usize,
    seconds: f64,
    warm_up_seconds: f64,
}

/// How a section is shown.
struct Layout {
    section: Section,
    title: &'static str,
    callers: &'static str,
    /// Heading, quantity and digits behind the point.
    columns: &'static [(&'static str, Quantity, usize)],
    /// What the rates are compared to, at the same number of callers.
    base: Option<&'static str>,
}

const LAYOUTS: &[Layout] = &[
    Layout {
        section: Section::Inserts,
        title: "1. Inserts, one document with each call",
        callers: "callers",
        columns: &[
            ("inserts/s", Quantity::PerSecond, 0),
            ("p50 µs", Quantity::P50, 0),
            ("p99 µs", Quantity::P99, 0),
            ("findAndModify/document", Quantity::MovesEach, 3),
            ("conflicts", Quantity::Conflicts, 0),
            ("aborts", Quantity::Aborts, 0),
            ("client CPU ms/1000", Quantity::CpuPerThousand, 1),
        ],
        base: Some("insert_one"),
    },
    Layout {
        section: Section::Bulk,
        title: "2. Batches of 1,000 documents",
        callers: "callers",
        columns: &[
            ("documents/s", Quantity::PerSecond, 0),
            ("p50 µs", Quantity::P50, 0),
            ("p99 µs", Quantity::P99, 0),
            ("commands/batch", Quantity::CommandsPerCall, 2),
            ("client CPU ms/1000", Quantity::CpuPerThousand, 1),
        ],
        base: Some("insert_many"),
    },
    Layout {
        section: Section::Numbers,
        title: "3. Numbers without documents",
        callers: "tasks",
        columns: &[
            ("numbers/s", Quantity::PerSecond, 0),
            ("findAndModify/number", Quantity::MovesEach, 4),
            ("client CPU ms/1000", Quantity::CpuPerThousand, 3),
        ],
        base: Some(numbers::BY_HAND),
    },
    Layout {
        section: Section::Processes,
        title: "4. Gapless inserts by 4 processes of 16 callers each",
        callers: "callers",
        columns: &[
            ("inserts/s", Quantity::PerSecond, 0),
            ("share of the slowest", Quantity::SmallestShare, 3),
            ("of the fastest", Quantity::LargestShare, 3),
            ("aborts", Quantity::Aborts, 0),
        ],
        base: Some("by hand, gapless transaction"),
    },
    Layout {
        section: Section::BlockChange,
        title: "5. Single calls at 20,000 numbers/s, every refill takes 5 ms",
        callers: "tasks",
        columns: &[
            ("p50 µs", Quantity::P50, 2),
            ("p99.9 µs", Quantity::P999, 1),
            ("longest µs", Quantity::Longest, 0),
            ("over 100 µs", Quantity::Over100, 0),
            ("refills", Quantity::Refills, 0),
        ],
        base: None,
    },
    Layout {
        section: Section::Turns,
        title: "6. Inserts by one caller, in all ways in turn",
        callers: "callers",
        columns: &[("inserts/s", Quantity::PerSecond, 0), ("p50 µs", Quantity::P50, 0), ("p99 µs", Quantity::P99, 0)],
        base: Some("insert_one"),
    },
];

pub(crate) async fn environment(plan: &Plan, deployment: &Deployment) -> Result<Environment> {
    Ok(Environment {
        server: deployment.version().await?,
        cores: std::thread::available_parallelism()?.get(),
        optimized: !cfg!(debug_assertions),
        rounds: plan.rounds,
        seconds: plan.window.as_secs_f64(),
        warm_up_seconds: plan.warm_up.as_secs_f64(),
    })
}

/// Where and how it was measured.
pub(crate) fn subtitle(environment: &Environment) -> String {
    let Environment { server, cores, optimized, rounds, seconds, .. } = environment;
    let profile = if *optimized { "release" } else { "debug" };
    format!("MongoDB {server}, {cores} cores, {profile}: medians of {rounds} round(s), {seconds} s for each cell")
}

pub(crate) fn print(environment: &Environment, results: &Results) {
    println!("{}", subtitle(environment));
    for layout in LAYOUTS {
        let cells: Vec<Cell> =
            results.cells().map(|(cell, _)| cell).filter(|cell| cell.section == layout.section).collect();
        if !cells.is_empty() {
            println!("\n{}\n{}", layout.title, table(layout, &cells, results).trim_fmt());
        }
    }
}

fn table(layout: &Layout, cells: &[Cell], results: &Results) -> Table {
    let mut header = vec![layout.callers.to_owned(), "way".to_owned()];
    header.extend(layout.columns.iter().map(|(heading, ..)| (*heading).to_owned()));
    header.extend(layout.base.map(|base| format!("to {base}")));
    let rows = cells.iter().map(|cell| {
        let mut row = vec![cell.callers.to_string(), cell.way.to_owned()];
        row.extend(layout.columns.iter().map(|(_, quantity, digits)| shown(results.median(*cell, *quantity), *digits)));
        row.extend(layout.base.map(|_| shown(ratio(*cell, results), 2)));
        row
    });
    let numbers = (0..header.len()).filter(|&column| column != 1).collect();
    aligned(header, rows, numbers)
}

pub(crate) fn print_bars(bars: &[Bar]) {
    let header = ["bar", "asked", "measured", ""].map(str::to_owned).to_vec();
    let rows = bars.iter().map(|bar| {
        let met = bar.is_met().map_or("not measured", |met| if met { "met" } else { "missed" });
        vec![bar.what.clone(), bar.bound.to_string(), shown(bar.measured, 3), met.to_owned()]
    });
    println!("\nBars\n{}", aligned(header, rows, vec![1, 2]).trim_fmt());
}

fn aligned(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>, numbers: Vec<usize>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header).add_rows(rows);
    for column in numbers {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// To the rate of the section's base.
fn ratio(cell: Cell, results: &Results) -> Option<f64> {
    let base = LAYOUTS.iter().find(|layout| layout.section == cell.section)?.base?;
    results.ratio(cell, cell.section.cell(base, cell.callers), Quantity::PerSecond)
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

/// Into the target folder; a quick or partial run leaves the file of a full one alone.
pub(crate) fn write(plan: &Plan, environment: &Environment, results: &Results, bars: &[Bar]) -> Result<PathBuf> {
    #[derive(Serialize)]
    struct Measured<'a> {
        #[serde(flatten)]
        cell: Cell,
        round: usize,
        values: &'a Values,
    }
    #[derive(Serialize)]
    struct Medians {
        #[serde(flatten)]
        cell: Cell,
        values: Values,
        /// Of the rate to that of the section's base.
        ratio: Option<f64>,
    }
    let cells = (1..)
        .zip(results.rounds())
        .flat_map(|(round, cells)| cells.iter().map(move |(cell, values)| Measured { cell: *cell, round, values }));
    let medians = results.cells().map(|(cell, values)| {
        let medians = values.keys().filter_map(|&quantity| Some((quantity, results.median(cell, quantity)?)));
        Medians { cell, values: medians.collect(), ratio: ratio(cell, results) }
    });
    let figures = json!({
        "environment": environment,
        "cells": cells.collect::<Vec<_>>(),
        "medians": medians.collect::<Vec<_>>(),
        "bars": bars,
    });
    let program = std::env::current_exe()?; // target/release/deps/throughput-…
    let target = program.ancestors().nth(3).ok_or("the program is in no target folder")?;
    let path = target.join(match (plan.quick, plan.is_part()) {
        (true, _) => "throughput-quick.json",
        (false, true) => "throughput-only.json",
        (false, false) => "throughput.json",
    });
    fs::write(&path, serde_json::to_string_pretty(&figures)?)?;
    Ok(path)
}
