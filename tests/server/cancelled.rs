//! Callers that go away, at every point at which a call can: between any two polls of its future, and at random times.
//!
//! The server of these tests lets a transaction stay open for an hour, so that nobody but the library frees a counter that
//! it has locked. That there are callers at all who go on is thus a matter of facts and not of time.

mod drops;
mod maintenance;
mod outside;
mod shared;
mod transactions;
mod watch;

use std::collections::{BTreeMap, BTreeSet};

use mongo_sequence::AutoIncrement;
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use self::{
    drops::{Cut, drops},
    watch::{soon, until},
};
use crate::support::{TestDb, hour_long};

/// How many calls of each way are dropped.
const DROPS: usize = 2_000;
/// In how many rounds, behind each of which somebody wants a number.
const ROUNDS: usize = 10;
/// How many sessions a client has at most that gets them back: no more than there are calls at one time.
const SESSIONS: usize = 100;

/// No index refuses a number that is given twice.
#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
struct Ticket {
    /// Of the one call that brings it; 0 for a number that goes into no document.
    token: i64,
    #[auto_increment]
    number: i64,
}

impl Ticket {
    fn new(token: i64) -> Self {
        Self { token, number: 0 }
    }

    fn of_nothing(number: i64) -> Self {
        Self { token: 0, number }
    }
}

/// What calls promise of their numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gaps {
    MayBe,
    Never,
}

fn tickets(db: &Database) -> Collection<Ticket> {
    db.collection("tickets")
}

/// Drops calls of one way, lets others go on behind them, and looks at what is left in the end: in the data, on the server,
/// and on this runtime.
///
/// `way` gives the call: with the token of the document, and where it is cut off.
async fn survives<C, F>(gaps: Gaps, way: impl Fn(&Client, &Database) -> C)
where
    C: Fn(i64, Cut) -> F,
    F: Future<Output = Option<Vec<Ticket>>>,
{
    let server = hour_long().await;
    let watch = watch::Watch::new(server).await;
    let test = TestDb::on(server, |_| {}).await;
    let (other_client, other_db) = test.another_client();
    for client in [&test.client, &other_client] {
        client.database("admin").run_command(doc! { "ping": 1 }).await.unwrap();
    }
    let ours = way(&test.client, &test.db);
    let theirs = way(&other_client, &other_db);
    let mut told = ours(1, Cut::Never).await.unwrap();
    let mut tokens = 2..;
    for _ in 0..ROUNDS {
        told.extend(drops(DROPS / ROUNDS, &mut tokens, &ours).await);
        for next in [&ours, &theirs] {
            told.extend(soon(next(tokens.next().unwrap(), Cut::Never)).await.unwrap());
        }
    }
    let name = test.db.name().to_owned();
    until("no transaction is open", async || watch.transactions(&name).await == 0).await;
    let sessions = test.sent.sessions();
    assert!(sessions.len() < SESSIONS, "{} sessions", sessions.len());
    drop((ours, theirs));
    for client in [test.client.clone(), other_client] {
        soon(client.shutdown()).await;
    }
    until("nobody is connected", async || watch.connections(&name).await == 0).await;
    check(gaps, &told, &watch.database(&name)).await;
    soon(watch.end()).await;
    drop((test, other_db)); // the driver has a task for as long as there is a handle of a client, shut down or not
    until("no task is left", async || Handle::current().metrics().num_alive_tasks() == 0).await;
}

/// No number is there twice, and none that the counter does not know; no call has stored two documents; what was told is
/// stored.
async fn check(gaps: Gaps, told: &[Ticket], db: &Database) {
    let counters = db.collection::<Document>("sequences");
    let counter = counters.find_one(doc! { "_id": "tickets.number" }).await.unwrap().unwrap();
    let last = counter.get_i64("seq").unwrap();
    let mut stored = BTreeMap::new();
    let mut numbers = BTreeSet::new();
    let mut found = tickets(db).find(doc! {}).await.unwrap();
    while found.advance().await.unwrap() {
        let ticket = found.deserialize_current().unwrap();
        assert!(numbers.insert(ticket.number), "{} twice", ticket.number);
        assert!(stored.insert(ticket.token, ticket.number).is_none(), "one call has stored {ticket:?} and another");
    }
    for Ticket { token, number } in told {
        match token {
            0 => assert!(numbers.insert(*number), "{number} twice"),
            token => assert_eq!(stored.get(token), Some(number)),
        }
    }
    assert!(numbers.first() >= Some(&1) && numbers.last() <= Some(&last), "the counter is at {last}");
    if gaps == Gaps::Never {
        assert_eq!(numbers, (1..=last).collect());
    }
}
