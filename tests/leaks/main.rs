//! What inserts leave behind, in each way: nothing. A process of its own, in which one way runs after the other, with memory,
//! tasks, connections and sessions looked at in its course and at its end.
//!
//! Each way stores `LEAK_INSERTS` documents, after half as many that warm it up. With `--nocapture` it tells the figures.

mod gauge;
mod ways;

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use mongod_fixture::Server;
use tokio::task::JoinSet;

use self::{
    gauge::{Gauge, Look, heap, tasks_alive},
    ways::{POOL, Way, Ways},
};

/// How many tasks a client has at most that is doing nothing.
const TASKS: usize = 16;
/// By how many bytes the second half may have more on the heap than the first, where that was lowest: what a part more or less
/// makes, of buffers and of tables that grow.
const HEAP: usize = 16 * 1024;
/// By how many bytes the process may grow in the second half.
const RESIDENT: usize = 8 * 1024 * 1024;

/// By how many the sessions may be more: never so many commands are under way.
const SESSIONS: usize = 64;

fn inserts() -> i64 {
    env::var("LEAK_INSERTS").map_or(500, |inserts| inserts.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_behind_in_any_way() {
    let server = Server::get().await.unwrap();
    let gauge = Gauge::new(&server).await;
    println!("{:22} {:>8}        {}", "", "inserts", Look::COLUMNS);
    for way in Way::ALL {
        let alone = tasks_alive();
        let ways = Arc::new(Ways::new(way, &server, inserts()).await);
        gauge.until(ways.app_name(), POOL + 2, usize::MAX).await;

        let (all, parts) = (way.documents(inserts()), way.parts());
        let mut stored = 0;
        let mut store_until = async |document: i64| {
            store(&ways, stored..document).await;
            stored = document;
        };
        store_until(all / 2).await;
        let start = gauge.look(ways.app_name()).await;
        println!("{:22} {all:8} start  {start}", way.name());
        let mut halves = Vec::new();
        for (half, name) in [(0, "half"), (1, "end")] {
            let mut lowest = usize::MAX;
            for part in 1..=parts {
                store_until(all / 2 + all * (half * parts + part) / (2 * parts)).await;
                if way.has_a_queue_for_each_scope() {
                    gauge.until(ways.app_name(), POOL + 2, alone + TASKS).await; // they end a second later
                }
                lowest = lowest.min(heap());
            }
            let look = gauge.look(ways.app_name()).await;
            println!("{:31} {name:5}  {look}  lowest heap {lowest} B", "");
            halves.push((lowest, look));
        }

        let [(first, half), (second, end)] = halves.as_slice() else { unreachable!() };
        assert!(*second <= first + HEAP, "{way:?}: {first} bytes on the heap, then {second}");
        assert!(end.resident <= half.resident + RESIDENT, "{way:?}: {half}, then {end}");
        assert!(end.sessions <= half.sessions + SESSIONS, "{way:?}: {half}, then {end}");
        let name = ways.app_name().to_owned();
        gauge.until(&name, POOL + 2, half.tasks).await; // others are there for a moment
        Arc::into_inner(ways).expect("no caller has it any more").shut_down().await;
        gauge.until(&name, 0, alone).await;
    }
}

/// Stores these documents, by as many callers as the way has.
async fn store(ways: &Arc<Ways>, documents: std::ops::Range<i64>) {
    let next = Arc::new(AtomicI64::new(documents.start));
    let mut callers = JoinSet::new();
    for _ in 0..ways.callers() {
        let (ways, next) = (Arc::clone(ways), Arc::clone(&next));
        callers.spawn(async move {
            loop {
                let document = next.fetch_add(ways.at_once(), Ordering::Relaxed);
                if document >= documents.end {
                    break;
                }
                ways.insert(document).await;
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        done.unwrap();
    }
}
