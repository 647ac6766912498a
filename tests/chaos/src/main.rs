//! A client process: `chaos URI DATABASE PROCESS WAY..`. Inserts until standard input ends, and tells of every call on
//! standard output.

use std::{
    env,
    io::Read,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use chaos::{
    log::{Entry, Outcome},
    way::{Inserter, Way},
};
use futures_util::future::join_all;
use mongodb::Client;

/// How many callers insert in each way.
const CALLERS: i64 = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [uri, database, process, ways @ ..] = &arguments[..] else {
        return Err("usage: chaos URI DATABASE PROCESS WAY..".into());
    };
    // as anybody would: the driver's default settings
    let database = Client::with_uri_str(uri).await?.database(database);
    let first = process.parse::<i64>()? << 32;
    let stop = Arc::new(AtomicBool::new(false));
    let ways = ways.iter().enumerate().map(|(at, way)| Some((at, Inserter::new(Way::named(way)?, &database))));
    let ways: Vec<_> = ways.collect::<Option<_>>().ok_or("no such way")?;
    let callers = ways.iter().flat_map(|way| (0..CALLERS).map(move |caller| (way, caller)));
    let callers: Vec<_> = callers
        .map(|((at, inserter), caller)| {
            let first = first + (i64::try_from(*at).unwrap_or(i64::MAX) << 28) + (caller << 24);
            tokio::spawn(call(*at, inserter.clone(), first, Arc::clone(&stop)))
        })
        .collect();
    // a thread of its own, which ends with the process
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let _ended = ended.await;
    stop.store(true, Ordering::Relaxed);
    for done in join_all(callers).await {
        done?;
    }
    for (_, inserter) in ways {
        inserter.finish().await;
    }
    Ok(())
}

async fn call(way: usize, inserter: Inserter, mut next: i64, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let after = next + i64::try_from(inserter.batch()).unwrap_or(i64::MAX);
        let tokens: Vec<i64> = (next..after).collect();
        next = after;
        let tell = |&token: &i64, outcome| Entry { way, token, outcome }.tell();
        for token in &tokens {
            tell(token, Outcome::Begun);
        }
        for (token, outcome) in tokens.iter().zip(inserter.insert(&tokens).await) {
            tell(token, outcome);
        }
    }
}
