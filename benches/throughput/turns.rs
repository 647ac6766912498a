//! Section 6: one caller that inserts in all ways in turn.
//!
//! A single caller's time is mostly the server's waits for its journal, which come in steps of about a millisecond. A loop
//! that does one thing for a while falls in with these steps, in one way this time and in another the next. Where the ways
//! take turns, call by call, each meets what the one before has left.

use std::time::{Duration, Instant};

use rand::seq::SliceRandom;

use crate::{
    Result,
    arguments::Plan,
    at,
    check::check,
    deployment::Deployment,
    measure::{Told, Work, micros, quantile},
    modes::{Inserter, Way},
    results::{Cell, Quantity, Results, Section, Values, float},
};

struct Turn {
    way: Way,
    name: String,
    inserter: Inserter,
    told: Told,
    times: Vec<Duration>,
}

pub(crate) fn cell(way: Way) -> Cell {
    Section::Turns.cell(way.name(), 1)
}

pub(crate) async fn run(plan: &Plan, deployment: &Deployment, results: &mut Results) -> Result<()> {
    let mut turns = Vec::new();
    for way in Way::ALL.into_iter().filter(|&way| plan.wants(&cell(way).to_string())) {
        let name = deployment.fresh_name();
        let inserter = way.on(deployment.client(), deployment.db(), &name);
        turns.push(Turn { way, name, inserter, told: Told::default(), times: Vec::new() });
    }
    let window = plan.window * u32::try_from(turns.len())?;
    let began = Instant::now();
    while !turns.is_empty() && began.elapsed() < plan.warm_up + window {
        turns.shuffle(&mut rand::rng()); // so that no way always follows the same
        for turn in &mut turns {
            let sent = Instant::now();
            turn.told.acknowledged += turn.inserter.call(&mut turn.told.numbers).await.map_err(at(cell(turn.way)))?;
            if sent.duration_since(began) > plan.warm_up {
                turn.times.push(sent.elapsed());
            }
        }
    }
    turns.sort_unstable_by_key(|turn| turn.way as usize);
    for Turn { way, name, told, mut times, .. } in turns {
        check(deployment.db(), &name, told, way.promise()).await.map_err(at(cell(way)))?;
        let total: Duration = times.iter().sum();
        times.sort_unstable();
        let values = Values::from([
            (Quantity::PerSecond, float(times.len()) / total.as_secs_f64()),
            (Quantity::P50, micros(quantile(&times, 500))),
            (Quantity::P99, micros(quantile(&times, 990))),
        ]);
        results.add(cell(way), values);
    }
    Ok(())
}
