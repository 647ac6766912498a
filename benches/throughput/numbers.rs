//! Section 3: numbers without documents.
//!
//! A number from a block takes less time than a look at the clock, so the tasks look at a flag, which a thread sets when
//! the time is up: a timer of the runtime would not be served while its workers are busy. Calls are not timed here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;
use mongo_sequence::{Sequence, SharedSequence};
use tokio::task::JoinSet;

use crate::{
    Result,
    arguments::Plan,
    at,
    check::unique,
    deployment::Deployment,
    modes::ByHand,
    results::{Cell, Quantity, Results, Section, Values, float},
};

pub(crate) const BY_HAND: &str = "by hand, one command";

#[derive(Clone, Copy, Debug)]
enum Way {
    ByHand,
    Combined,
    Blocks,
}

/// Where numbers come from.
#[derive(Clone, Debug)]
enum Source {
    ByHand(ByHand),
    Shared(SharedSequence),
}

/// What the tasks did in a fixed time.
struct Taken {
    numbers: Vec<i64>,
    /// All but the numbers that came after the time was up.
    in_time: usize,
    time: Duration,
}

impl Way {
    const ALL: [Self; 3] = [Self::ByHand, Self::Combined, Self::Blocks];

    fn name(self) -> &'static str {
        match self {
            Self::ByHand => BY_HAND,
            Self::Combined => "SharedSequence",
            Self::Blocks => "SharedSequence, block_size(1000)",
        }
    }

    fn on(self, deployment: &Deployment, name: &str) -> Source {
        let sequence = Sequence::new(deployment.db(), name).start(1);
        match self {
            Self::ByHand => Source::ByHand(ByHand::new(deployment.client(), deployment.db(), name)),
            Self::Combined => Source::Shared(SharedSequence::new(sequence)),
            Self::Blocks => Source::Shared(SharedSequence::builder(sequence).block_size(1_000).build()),
        }
    }
}

impl Source {
    async fn next(&self) -> Result<i64> {
        match self {
            Self::ByHand(by_hand) => Ok(by_hand.next(None).await?),
            Self::Shared(sequence) => Ok(sequence.next_value().await?),
        }
    }
}

pub(crate) fn cells(tasks: usize) -> [Cell; 3] {
    Way::ALL.map(|way| Section::Numbers.cell(way.name(), tasks))
}

pub(crate) async fn run(plan: &Plan, deployment: &Deployment, results: &mut Results) -> Result<()> {
    for &tasks in plan.tasks {
        for (way, cell) in Way::ALL.into_iter().zip(cells(tasks)) {
            if !plan.wants(&cell.to_string()) {
                continue;
            }
            let source = way.on(deployment, &deployment.fresh_name());
            let (numbers, values) = measure(&source, tasks, plan, deployment).await.map_err(at(cell))?;
            unique(numbers).map_err(at(cell))?;
            results.add(cell, values);
        }
    }
    Ok(())
}

async fn measure(source: &Source, tasks: usize, plan: &Plan, deployment: &Deployment) -> Result<(Vec<i64>, Values)> {
    let mut numbers = vec![source.next().await?]; // makes the counter
    numbers.append(&mut take(source, tasks, plan.warm_up).await?.numbers);
    let counted = deployment.counted().await?;
    let cpu = ProcessTime::now();
    let mut taken = take(source, tasks, plan.window).await?;
    let cpu = cpu.elapsed();
    let counted = deployment.counted().await? - counted;
    let all = float(taken.numbers.len());
    let values = Values::from([
        (Quantity::PerSecond, float(taken.in_time) / taken.time.as_secs_f64()),
        (Quantity::MovesEach, counted.moves / all),
        (Quantity::CpuPerThousand, cpu.as_secs_f64() * 1_000.0 / (all / 1_000.0)),
    ]);
    numbers.append(&mut taken.numbers);
    Ok((numbers, values))
}

async fn take(source: &Source, count: usize, window: Duration) -> Result<Taken> {
    let time_is_up = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    let began = Instant::now();
    let timer = std::thread::spawn({
        let time_is_up = Arc::clone(&time_is_up);
        move || {
            std::thread::sleep(window);
            time_is_up.store(true, Ordering::Relaxed);
            began.elapsed()
        }
    });
    for _ in 0..count {
        tasks.spawn(task(source.clone(), Arc::clone(&time_is_up)));
    }
    let mut all = Vec::new();
    let mut in_time = 0;
    while let Some(taken) = tasks.join_next().await {
        let (mut numbers, late) = taken??;
        in_time += numbers.len() - usize::from(late);
        all.append(&mut numbers);
    }
    let time = timer.join().map_err(|_| "the timer has panicked")?;
    Ok(Taken { numbers: all, in_time, time })
}

/// The numbers, and whether the last came after the time was up.
async fn task(source: Source, time_is_up: Arc<AtomicBool>) -> Result<(Vec<i64>, bool)> {
    /// As often as the runtime's own resources let others have a turn. Numbers from memory never wait for anything, and
    /// two tasks would keep both workers.
    const TURN: usize = 128;

    let mut numbers = Vec::new();
    let mut late = false;
    while !time_is_up.load(Ordering::Relaxed) {
        numbers.push(source.next().await?);
        late = time_is_up.load(Ordering::Relaxed);
        if numbers.len() % TURN == 0 {
            tokio::task::yield_now().await;
        }
    }
    Ok((numbers, late))
}
