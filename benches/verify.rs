//! How long `verify_sequences` takes, next to counting the same index with an aggregation.
//!
//! 1,000,000 documents (10,000 with `--quick`) in one collection, with `_id`s of the driver's and a number under a unique
//! index, all of it in the server's cache. A round counts, verifies, and verifies again with 1,000 numbers missing; the
//! table shows the median of the rounds, and ratios are taken within each round before their median is.
//!
//! Usage: `cargo bench --bench verify`, with `-- --quick` for one short round.

use std::time::{Duration, Instant};

use mongo_sequence::NumberedField;
use mongod_fixture::{Server, Topology};
use mongodb::{
    Client, Collection,
    bson::{Document, doc},
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<()> {
    let told = |what: &str| std::env::args().any(|argument| argument == what);
    let is_quick = told("--quick") || !told("--bench"); // `cargo test` does not say `--bench`
    let (documents, rounds) = if is_quick { (10_000, 1) } else { (1_000_000, 7) };
    let server = Server::start(Topology::ReplicaSet).await?;
    let db = Client::with_uri_str(server.uri()).await?.database("verify");
    let whole = fill(&db.collection("whole"), documents, 0).await?;
    let holed = fill(&db.collection("holed"), documents, 1_000).await?;
    let mut found: [Vec<f64>; 3] = Default::default();
    let mut ratios: [Vec<f64>; 2] = Default::default();
    for round in 0..=rounds {
        let counted = timed(async {
            assert_eq!(count(&db.collection("whole")).await?, documents);
            Ok(())
        })
        .await?;
        let verified = timed(verify(&whole, 0)).await?;
        let with_holes = timed(verify(&holed, 1_000)).await?;
        if round == 0 && !is_quick {
            continue; // fills the cache
        }
        let seconds = [counted, verified, with_holes].map(|time| time.as_secs_f64());
        found.iter_mut().zip(seconds).for_each(|(all, one)| all.push(one));
        ratios.iter_mut().zip(&seconds[1..]).for_each(|(all, one)| all.push(one / seconds[0]));
    }
    println!("{documents} documents, medians of {rounds} round(s)");
    println!("count with an aggregation     {:>8.3} s", median(&mut found[0]));
    println!("verify                        {:>8.3} s, ratio {:.2}", median(&mut found[1]), median(&mut ratios[0]));
    println!("verify, 1,000 numbers missing {:>8.3} s, ratio {:.2}", median(&mut found[2]), median(&mut ratios[1]));
    Ok(())
}

/// Numbers from 1 on, with so many of them left out, evenly.
async fn fill(collection: &Collection<Document>, documents: i64, missing: i64) -> Result<NumberedField> {
    let field = NumberedField::new(collection, "number");
    field.ensure().await?;
    let step = if missing > 0 { documents / missing } else { i64::MAX };
    let numbers: Vec<i64> = (1..=documents).filter(|number| number % step != 1 || missing == 0).collect();
    for part in numbers.chunks(50_000) {
        collection.insert_many(part.iter().map(|number| doc! { "number": number })).await?;
    }
    field.sequence(&Document::new())?.raise_to(documents).await?;
    Ok(field)
}

async fn count(collection: &Collection<Document>) -> Result<i64> {
    let numbered = doc! { "$match": { "number": { "$gte": i64::MIN } } };
    let all = doc! { "$group": { "_id": null, "n": { "$sum": 1_i64 } } };
    let mut counted = collection.aggregate([numbered, all]).await?;
    Ok(if counted.advance().await? { counted.deserialize_current()?.get_i64("n")? } else { 0 })
}

async fn verify(field: &NumberedField, missing: u64) -> Result<()> {
    let report = field.verify().await?;
    assert!(report.is_clean() && report.counters[0].missing == missing, "{report}");
    Ok(())
}

async fn timed(work: impl Future<Output = Result<()>>) -> Result<Duration> {
    let started = Instant::now();
    work.await?;
    Ok(started.elapsed())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
