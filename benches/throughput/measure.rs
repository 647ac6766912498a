//! Runs one cell: callers that do the same again and again for a fixed time.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use tokio::task::JoinSet;

use crate::{
    Result,
    deployment::Deployment,
    results::{Quantity, Values, float},
};

/// What a caller does again and again.
pub(crate) trait Work: Clone + Send + Sync + 'static {
    /// Appends the numbers it was told, and returns how many documents were acknowledged.
    fn call(&self, told: &mut Vec<i64>) -> impl Future<Output = Result<usize>> + Send;
}

/// How many do it, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) callers: usize,
    pub(crate) warm_up: Duration,
    pub(crate) window: Duration,
}

/// What callers were told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) numbers: Vec<i64>,
    pub(crate) acknowledged: usize,
}

impl Told {
    pub(crate) fn append(&mut self, mut more: Self) {
        self.numbers.append(&mut more.numbers);
        self.acknowledged += more.acknowledged;
    }
}

/// What callers did in a fixed time.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) told: Told,
    /// Acknowledged before the time was up.
    pub(crate) in_time: usize,
    pub(crate) times: Vec<Duration>,
}

/// The first call alone, which makes the collection and the counter; the warm-up; what is measured. The numbers and
/// documents of all three are for the checker.
pub(crate) async fn measure(work: &impl Work, load: Load, deployment: &Deployment) -> Result<(Told, Values)> {
    let mut told = Told::default();
    told.acknowledged += work.call(&mut told.numbers).await?;
    told.append(callers(work, load.callers, load.warm_up).await?.told);
    let counted = deployment.counted().await?;
    let cpu = ProcessTime::now();
    let mut calls = callers(work, load.callers, load.window).await?;
    let cpu = cpu.elapsed();
    let counted = deployment.counted().await? - counted;
    let done = float(calls.told.acknowledged);
    calls.times.sort_unstable();
    let values = Values::from([
        (Quantity::PerSecond, float(calls.in_time) / load.window.as_secs_f64()),
        (Quantity::P50, micros(quantile(&calls.times, 500))),
        (Quantity::P99, micros(quantile(&calls.times, 990))),
        (Quantity::MovesEach, counted.moves / done),
        (Quantity::CommandsPerCall, counted.commands / float(calls.times.len())),
        (Quantity::Conflicts, counted.conflicts),
        (Quantity::Aborts, counted.aborts),
        (Quantity::CpuPerThousand, cpu.as_secs_f64() * 1_000.0 / (done / 1_000.0)),
    ]);
    told.append(calls.told);
    Ok((told, values))
}

/// So many tasks, each making one call after another until the time is up and its last call has ended.
pub(crate) async fn callers(work: &impl Work, count: usize, window: Duration) -> Result<Calls> {
    let end = Instant::now() + window;
    let mut tasks = JoinSet::new();
    for _ in 0..count {
        tasks.spawn(caller(work.clone(), end));
    }
    let mut all = Calls::default();
    while let Some(calls) = tasks.join_next().await {
        let mut calls = calls??;
        all.told.append(calls.told);
        all.in_time += calls.in_time;
        all.times.append(&mut calls.times);
    }
    Ok(all)
}

async fn caller(work: impl Work, end: Instant) -> Result<Calls> {
    let mut calls = Calls::default();
    loop {
        let began = Instant::now();
        if began >= end {
            return Ok(calls);
        }
        let acknowledged = work.call(&mut calls.told.numbers).await?;
        let ended = Instant::now();
        calls.times.push(ended - began);
        calls.told.acknowledged += acknowledged;
        if ended <= end {
            calls.in_time += acknowledged;
        }
    }
}

/// Of sorted times: the shortest that this share of them does not exceed.
pub(crate) fn quantile(sorted: &[Duration], per_mille: usize) -> Duration {
    let rank = (sorted.len() * per_mille).div_ceil(1_000);
    rank.checked_sub(1).and_then(|index| sorted.get(index)).copied().unwrap_or_default()
}

pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
