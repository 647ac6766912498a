//! How many numbers and inserts a second the library gives, next to the driver alone and to what is written by hand.
//!
//! Everything runs in one go against one server that this program starts: a replica set of one node with a cache of
//! 0.25 GB, writes with majority. `MONGOD` names another binary. The client has room for 300 connections, all of them
//! open before the first cell, so that no number of callers waits for a connection, in whatever way it inserts.
//!
//! 1. Inserts: 1, 16, 64 and 256 tasks of one client, each of which inserts one document after another.
//! 2. Batches of 1,000 documents.
//! 3. Numbers without documents: 1 to 256 tasks.
//! 4. Gapless inserts by 4 processes of 16 tasks each.
//! 5. The time of single calls while blocks of numbers run out and every refill takes 5 ms.
//! 6. Inserts by one caller, in all ways in turn.
//!
//! A cell is one way with one number of callers. It has a collection and a counter of its own, which one call makes; then
//! all callers warm up for a moment, and are measured for a fixed time, since a fixed number of documents would take some
//! ways a hundred times as long as others. Calls that have begun in that time are finished: they count for the latency
//! and for what a document costs, and not for the rate. The commands and conflicts are what the server counted.
//!
//! A round runs all cells in order. What is printed is the median of the rounds, and a ratio is taken within each round
//! before its median is. After every cell a checker compares what the callers were told with what is stored. It ends the
//! program, as does any error of a call: a throughput counts for numbers that are right, or not at all.
//!
//! Usage: `cargo bench --bench throughput`, with these behind `--`:
//!
//! - `--quick`: one short round with few callers, which shows that everything runs and that the checkers pass
//! - `--only TEXT`: only cells whose name, such as `inserts, insert_one, 16`, contains the text; may be repeated. A ratio
//!   needs both of its cells
//!
//! All figures of all rounds are written to `throughput.json` in the target folder (`throughput-quick.json` and
//! `throughput-only.json` for those), and next to it section 1 as a picture. `docs/throughput.svg` is a copy of it, and
//! rustdoc's pages hold that copy: after taking a new one, `PICTURES=draw cargo test --test pictures`. At the end the bars
//! are listed that the library is measured by, each with the ratio that was found; the exit code does not depend on them.

mod arguments;
mod bars;
mod block_change;
mod bulk;
mod check;
mod deployment;
mod inserts;
mod measure;
mod modes;
mod numbers;
mod picture;
mod processes;
mod report;
mod results;
mod turns;

use std::{fmt, process::ExitCode};

use crate::{
    arguments::{Arguments, Plan},
    deployment::Deployment,
    results::Results,
};

type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match arguments::parse(std::env::args().skip(1)) {
        Ok(Arguments::Run(plan)) => run(&plan).await,
        Ok(Arguments::Child(child)) => processes::child(&child).await,
        Err(wrong) => Err(wrong.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("throughput: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(plan: &Plan) -> Result<()> {
    let deployment = Deployment::start().await?;
    let mut results = Results::default();
    for round in 1..=plan.rounds {
        eprintln!("round {round} of {}", plan.rounds);
        results.begin_round();
        inserts::run(plan, &deployment, &mut results).await?;
        bulk::run(plan, &deployment, &mut results).await?;
        numbers::run(plan, &deployment, &mut results).await?;
        processes::run(plan, &deployment, &mut results).await?;
        block_change::run(plan, &deployment, &mut results).await?;
        turns::run(plan, &deployment, &mut results).await?;
    }
    let environment = report::environment(plan, &deployment).await?;
    report::print(&environment, &results);
    let bars = bars::bars(&results);
    report::print_bars(&bars);
    let file = report::write(plan, &environment, &results, &bars)?;
    picture::draw(&results, &report::subtitle(&environment), &file.with_extension("svg"))?;
    println!("\n{}", file.display());
    Ok(())
}

/// Says which cell it was.
fn at<E: fmt::Display>(cell: impl fmt::Display) -> impl FnOnce(E) -> Box<dyn std::error::Error + Send + Sync> {
    move |error| format!("{cell}: {error}").into()
}
