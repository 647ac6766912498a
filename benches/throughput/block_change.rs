//! Section 5: whether a caller notices that a block runs out.
//!
//! One task takes 20 numbers in a burst every millisecond, and sleeps until the next: a task that turned to keep the pace
//! would keep a worker busy, and with it whatever else runs there. Every `findAndModify` takes 5 ms. The control is the
//! same loop in which nothing stands between the two looks at the clock: what is slow there is the scheduler.

use std::time::{Duration, Instant};

use mongo_sequence::{Sequence, SharedSequence};
use mongodb::bson::{Document, doc};

use crate::{
    Result,
    arguments::Plan,
    at,
    check::unique,
    deployment::{Deployment, client},
    measure::{micros, quantile},
    results::{Cell, Quantity, Results, Section, Values, float},
};

const TICK: Duration = Duration::from_millis(1);
const BURST: usize = 20;
const SLOW: Duration = Duration::from_micros(100);
/// The fail point looks at this name of the client, and lets all others alone.
const APPLICATION: &str = "throughput-block-change";

pub(crate) fn cells() -> [Cell; 2] {
    ["SharedSequence, adaptive_block_size(64..=100000)", "control"].map(|way| Section::BlockChange.cell(way, 1))
}

pub(crate) async fn run(plan: &Plan, deployment: &Deployment, results: &mut Results) -> Result<()> {
    let [calls, control] = cells();
    if plan.wants(&calls.to_string()) {
        results.add(calls, measured_calls(plan, deployment).await.map_err(at(calls))?);
    }
    if plan.wants(&control.to_string()) {
        let (_, times) = tokio::spawn(paced(None, plan.window)).await??;
        results.add(control, values(times));
    }
    Ok(())
}

async fn measured_calls(plan: &Plan, deployment: &Deployment) -> Result<Values> {
    let client = client(deployment.uri(), 2, APPLICATION).await?;
    let sequence = Sequence::new(&client.database(deployment.db().name()), deployment.fresh_name()).start(1);
    let sequence = SharedSequence::builder(sequence).adaptive_block_size(64..=100_000).build();
    let slow = doc! {
        "failCommands": ["findAndModify"],
        "blockConnection": true,
        "blockTimeMS": 5,
        "appName": APPLICATION,
    };
    fail_point(deployment, doc! { "mode": "alwaysOn", "data": slow }).await?;
    let (mut numbers, _) = tokio::spawn(paced(Some(sequence.clone()), plan.warm_up)).await??;
    let counted = deployment.counted().await?;
    let (mut more, times) = tokio::spawn(paced(Some(sequence), plan.window)).await??;
    let counted = deployment.counted().await? - counted;
    fail_point(deployment, doc! { "mode": "off" }).await?;
    numbers.append(&mut more);
    unique(numbers)?;
    let mut values = values(times);
    values.insert(Quantity::Refills, counted.moves);
    Ok(values)
}

/// Calls at a steady pace, and how long each took; without a sequence, how long nothing took. A burst that comes late
/// is made up for. Spawned, since the main thread is none of the workers that callers run on.
async fn paced(sequence: Option<SharedSequence>, window: Duration) -> Result<(Vec<i64>, Vec<Duration>)> {
    let (mut numbers, mut times) = (Vec::new(), Vec::new());
    let mut ticks = tokio::time::interval(TICK);
    let end = Instant::now() + window;
    while Instant::now() < end {
        ticks.tick().await;
        for _ in 0..BURST {
            let began = Instant::now();
            let number = match &sequence {
                Some(sequence) => Some(sequence.next_value().await?),
                None => None,
            };
            times.push(began.elapsed());
            numbers.extend(number);
        }
    }
    Ok((numbers, times))
}

fn values(mut times: Vec<Duration>) -> Values {
    times.sort_unstable();
    Values::from([
        (Quantity::P50, micros(quantile(&times, 500))),
        (Quantity::P999, micros(quantile(&times, 999))),
        (Quantity::Longest, micros(times.last().copied().unwrap_or_default())),
        (Quantity::Over100, float(times.iter().filter(|&&time| time > SLOW).count())),
    ])
}

async fn fail_point(deployment: &Deployment, how: Document) -> Result<()> {
    let mut command = doc! { "configureFailPoint": "failCommand" };
    command.extend(how);
    deployment.client().database("admin").run_command(command).await?;
    Ok(())
}
