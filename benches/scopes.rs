//! How much memory a handle takes whose callers touch very many scopes, one after another.
//!
//! 1,000,000 scopes (1,000 with `--quick`) get one document each, by 256 tasks on one `SequencedCollection`; combined, from
//! blocks, and without gaps. The table shows the most that this process has taken, the driver included, and what of that
//! was there before. Linux only.
//!
//! Usage: `cargo bench --bench scopes`, with `-- --quick` for a short run.

use std::{
    fs,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Instant,
};

use futures_util::future::try_join_all;
use mongo_sequence::{AutoIncrement, SequencedCollection, SequencedCollectionBuilder};
use mongod_fixture::{Server, Topology};
use mongodb::{Client, bson::doc};
use serde::{Deserialize, Serialize};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const TASKS: usize = 256;

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Bill {
    tenant: u32,
    #[auto_increment(scope(tenant))]
    number: i64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let told = |what: &str| std::env::args().any(|argument| argument == what);
    let is_quick = told("--quick") || !told("--bench"); // `cargo test` does not say `--bench`
    let scopes = if is_quick { 1_000 } else { 1_000_000 };
    let server = Server::start(Topology::ReplicaSet).await?;
    let db = Client::with_uri_str(server.uri()).await?.database("scopes");
    println!("{scopes} scopes, one document each");
    for (name, gapless) in [("combined", false), ("blocks", false), ("gapless", true)] {
        let collection = db.collection::<Bill>(name);
        Bill::ensure_sequences(&collection).await?;
        let bills = match name {
            "blocks" => SequencedCollection::builder(collection).block_size(100),
            _ => SequencedCollection::builder(collection),
        };
        let run = Run { before: resident()?, most: AtomicU64::new(0), next: AtomicU32::new(0), scopes };
        let started = Instant::now();
        run.insert(bills, gapless).await?;
        let (seconds, most) = (started.elapsed().as_secs_f64(), run.most.into_inner());
        let (rate, before) = (f64::from(scopes) / seconds, run.before);
        println!("{name:<9} {most:>4} MB at most, {before:>4} MB before; {rate:>6.0} inserts/s");
        assert_eq!(db.collection::<Bill>(name).count_documents(doc! { "number": 1 }).await?, u64::from(scopes));
    }
    Ok(())
}

struct Run {
    before: u64,
    most: AtomicU64,
    next: AtomicU32,
    scopes: u32,
}

impl Run {
    async fn insert(&self, bills: SequencedCollectionBuilder<Bill>, gapless: bool) -> Result<()> {
        let bills = &bills.build();
        let tasks = (0..TASKS).map(|_| async move {
            loop {
                let tenant = self.next.fetch_add(1, Ordering::Relaxed);
                if tenant >= self.scopes {
                    return Ok(());
                }
                let mut bill = Bill { tenant, number: 0 };
                let insert = bill.insert_with_seq(bills);
                if gapless { insert.gapless() } else { insert }.await?;
                if tenant.is_multiple_of(100) {
                    self.most.fetch_max(resident()?, Ordering::Relaxed);
                }
            }
        });
        try_join_all(tasks).await.map(drop)
    }
}

/// What this process has in memory, in megabytes.
fn resident() -> Result<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm")?.split(' ').nth(1).ok_or("no pages")?.parse()?;
    Ok(pages * 4096 / 1_000_000)
}
