//! Everybody inserts, and everything goes wrong.
//!
//! `CHAOS_FAULTS` is how many faults there are, `CHAOS_SEED` what decides on their order and times. Under
//! `tests/chaos/with-partitions` primaries are cut off, too.

use std::{env, fmt::Write as _, time::Instant};

use chaos::{
    clients::Clients,
    cluster::Cluster,
    history::{Findings, Stored, of_way},
    nemesis::{Fault, Nemesis},
    way::{BLOCK, Numbered, Way},
};
use mongo_sequence::AutoIncrement;
use mongodb::Client;
use rand::{SeedableRng, rngs::StdRng};

/// How many client processes there are at any time.
const PROCESSES: usize = 3;
/// How many documents are stored in each way between two faults.
const BETWEEN: usize = 15;
/// How many faults there are, unless told otherwise: each kind twice.
const FAULTS: usize = 10;
/// How many faults the control run has.
const CONTROL_FAULTS: usize = 3;

fn from_environment<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name}: {value}")))
}

async fn cluster() -> Cluster {
    Cluster::start().await.unwrap_or_else(|error| panic!("{error}"))
}

fn clients(cluster: &Cluster, database: &str, ways: &[Way]) -> Clients {
    Clients::start(env!("CARGO_BIN_EXE_chaos"), PROCESSES, cluster.server.uri(), database, ways)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_told_is_true_whatever_goes_wrong() {
    let seed = from_environment("CHAOS_SEED", rand::random::<u32>());
    let faults = from_environment("CHAOS_FAULTS", FAULTS);
    println!("CHAOS_SEED={seed} CHAOS_FAULTS={faults}");
    let mut random = StdRng::seed_from_u64(seed.into());
    let cluster = cluster().await;
    let faults = Fault::some(faults, &cluster, &mut random);
    let database = Client::with_uri_str(cluster.server.uri()).await.unwrap().database("chaos");
    for way in Way::ALL {
        Numbered::ensure_sequences(&way.documents(&database)).await.unwrap();
    }
    let started = Instant::now();
    let mut nemesis = Nemesis::of(&cluster, random).await.unwrap();
    let mut clients = clients(&cluster, "chaos", &Way::ALL);
    for (at, &fault) in faults.iter().enumerate() {
        clients.more(BETWEEN).await;
        println!("{:>5.1} s: {} ({} of {})", started.elapsed().as_secs_f64(), fault.name(), at + 1, faults.len());
        nemesis.strike(fault, &mut clients).await.unwrap();
    }
    clients.more(BETWEEN).await;
    let processes = clients.started();
    let told = clients.finish().await;

    let mut report = String::new();
    let (mut contradictions, mut numbers) = (Vec::new(), 0);
    for (at, way) in Way::ALL.into_iter().enumerate() {
        // two blocks for each process that has ended, and one for each reservation that was not confirmed
        let blocks = if way == Way::Blocks { 2 * processes + PROCESSES * faults.len() } else { 0 };
        let stored = Stored::read(&database, way).await.unwrap();
        let found = Findings::of(way, &of_way(at, &told.entries), &stored, blocks * BLOCK as usize);
        writeln!(report, "{:<18} {found}", way.name()).unwrap();
        numbers += stored.documents.len();
        contradictions.extend(found.contradictions.into_iter().map(|what| format!("{}: {what}", way.name())));
    }
    for (fault, stall) in &told.stalls {
        writeln!(report, "longest stall after {fault}: {:.1} s", stall.as_secs_f64()).unwrap();
    }
    writeln!(report, "{numbers} numbers, {} faults, {processes} processes", faults.len()).unwrap();
    println!("{report}{:.0} s", started.elapsed().as_secs_f64());
    assert!(contradictions.is_empty(), "CHAOS_SEED={seed}\n{report}{contradictions:#?}");
}

/// The same attack on counters that only the primary has to know does show: the checker sees it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_without_a_majority_gives_numbers_twice() {
    let cluster = cluster().await;
    let database = Client::with_uri_str(cluster.server.uri()).await.unwrap().database("control");
    let mut nemesis = Nemesis::of(&cluster, StdRng::seed_from_u64(1)).await.unwrap();
    let mut clients = clients(&cluster, "control", &[Way::WeakByHand]);
    for _ in 0..CONTROL_FAULTS {
        clients.more(BETWEEN).await;
        nemesis.strike(Fault::Lag, &mut clients).await.unwrap();
    }
    clients.more(BETWEEN).await;
    let told = clients.finish().await;
    let stored = Stored::read(&database, Way::WeakByHand).await.unwrap();
    let found = Findings::of(Way::WeakByHand, &of_way(0, &told.entries), &stored, 0);
    println!("{found}");
    let is_twice = |what: &String| what.contains(" was told to ") || what.contains("two documents have one number");
    assert!(found.contradictions.iter().any(is_twice), "{found}\n{:#?}", found.contradictions);
}
