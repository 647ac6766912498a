//! Time limits, where the server says nothing.

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, Error, ErrorKind, SequencedCollection};
use mongodb::{Collection, bson::doc};

use super::{AT_COMMIT, AT_INSERT, Pause, SHORT};
use crate::{
    models::{Invoice, Order, invoice, order},
    watch::until,
};

/// Where the server is when it is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Insert,
    InsertOfTransaction,
    Commit,
}

/// How many ways to insert there are.
const WAYS: usize = 4;

/// One call with a limit, in the way of this number.
async fn limited(limit: Duration, way: usize, orders: &Collection<Order>, gapless: bool) -> Result<(), Error> {
    let shared = SequencedCollection::new(orders.clone());
    let (mut one, mut two) = (order(), [order(), order()]);
    let gapless = gapless.then_some(());
    match way {
        0 => one.insert_with_seq(orders).time_limit(limit).optional(gapless, |it, ()| it.gapless()).await.map(drop),
        1 => one.insert_with_seq(&shared).time_limit(limit).optional(gapless, |it, ()| it.gapless()).await.map(drop),
        2 => {
            let insert = Order::insert_many_with_seq(&mut two, orders).time_limit(limit);
            insert.optional(gapless, |it, ()| it.gapless()).await.map(drop)
        }
        _ => {
            "coffee".clone_into(&mut one.item);
            let insert = one.get_or_insert_with_seq(orders, doc! { "item": "coffee" }).time_limit(limit);
            insert.optional(gapless, |it, ()| it.gapless()).await.map(drop)
        }
    }
}

/// Of a call that has ended with its limit nothing is ever stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_limit_is_kept_though_the_server_says_nothing() {
    let pause = Pause::unnoticed().await;
    let [plain, gapless] = ["plain", "gapless"].map(|name| pause.test.db.collection::<Order>(name));
    order().insert_with_seq(&plain).await.unwrap();
    order().insert_with_seq(&gapless).gapless().await.unwrap();
    let calls = (0..WAYS).flat_map(|way| [limited(SHORT, way, &plain, false), limited(SHORT, way, &gapless, true)]);
    for call in pause.during(join_all(calls)).await {
        let error = call.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Deadline { limit: SHORT, .. }), "{error:?}");
        assert_eq!(error.number(), None);
    }
    let [mut one, mut other] = [order(), order()];
    one.insert_with_seq(&plain).await.unwrap();
    other.insert_with_seq(&gapless).gapless().await.unwrap();
    pause.test.client.clone().shutdown().await; // which waits for what the calls have left behind
    assert_eq!(pause.stored("plain").await, BTreeSet::from([1, one.id]));
    assert_eq!(pause.stored("gapless").await, BTreeSet::from([1, 2]));
    assert_eq!(other.id, 2);
}

/// The limit is one for all that a call waits for: those who have waited for a number wait less for their insert, and are not
/// overtaken by who has come later.
#[tokio::test]
async fn a_time_limit_begins_with_the_call() {
    const LIMIT: Duration = Duration::from_secs(2);
    let pause = Pause::unnoticed().await;
    let orders = pause.test.db.collection::<Order>("orders");
    let invoices = pause.test.db.collection::<Invoice>("invoices");
    order().insert_with_seq(&orders).await.unwrap();
    invoice().insert_with_seq(&invoices).await.unwrap();
    let held_up = doc! {
        "failCommands": ["findAndModify"],
        "appName": pause.test.db.name(),
        "blockConnection": true,
        "blockTimeMS": 1_000,
    };
    let held_up = doc! { "configureFailPoint": "failCommand", "mode": { "times": 3 }, "data": held_up };
    pause.watch.admin().run_command(held_up).await.unwrap();
    pause.hang(AT_INSERT, "alwaysOn").await;
    let commands = pause.test.sent.named("findAndModify").len();
    let mut new = invoice();
    let with_both = async { new.insert_with_seq(&invoices).time_limit(LIMIT).await.map(drop) };
    let [one, found] = [0, 3].map(|way| limited(LIMIT, way, &orders, false));
    let mut before = Box::pin(async { tokio::join!(one, found, with_both) });
    tokio::select! {
        done = &mut before => panic!("{done:?}"),
        () = pause.test.sent.until("findAndModify", commands + 3) => {}
    }
    let (one, found, with_both) = tokio::select! {
        biased;
        done = &mut before => done,
        done = limited(LIMIT, 0, &orders, false) => panic!("who has come later ends first: {done:?}"),
    };
    for error in [one.unwrap_err(), found.unwrap_err()] {
        assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { limit: LIMIT, .. }), "{error:?}");
        assert!(error.number().is_some());
    }
    let error = with_both.unwrap_err(); // it is not committed any more
    assert!(matches!(error.kind(), ErrorKind::Deadline { limit: LIMIT, .. }), "{error:?}");
    assert_eq!(error.number(), Some(1_010));
    pause.hang(AT_INSERT, "off").await;
}

/// A call whose insert or commit is on its way tells the number with which it may be stored. The insert of a transaction is none
/// of them: it is not committed any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_limit_is_kept_where_the_document_is_on_its_way() {
    // the server ends a commit after this time, if it is not stopped by then: nobody knows more for that
    const LIMIT: Duration = Duration::from_secs(2);
    for at in [At::Insert, At::InsertOfTransaction, At::Commit] {
        let pause = Pause::unnoticed().await;
        let orders = pause.test.db.collection::<Order>("orders");
        let gapless = at != At::Insert;
        let insert = async |order: &mut Order| {
            let gapless = gapless.then_some(());
            order.insert_with_seq(&orders).optional(gapless, |it, ()| it.gapless()).await.unwrap();
        };
        insert(&mut order()).await;
        let (place, command) = match at {
            At::Insert | At::InsertOfTransaction => (AT_INSERT, "insert"),
            At::Commit => (AT_COMMIT, "commitTransaction"),
        };
        pause.hang(place, "alwaysOn").await;
        let call = tokio::spawn({
            let orders = orders.clone();
            async move { limited(LIMIT, 0, &orders, gapless).await }
        });
        let is_there = async || !pause.watch.commands(pause.test.db.name(), command).await.is_empty();
        until("the server is about to store it", is_there).await;
        let error = pause.during(call).await.unwrap().unwrap_err();
        match (at, error.kind()) {
            (At::InsertOfTransaction, ErrorKind::Deadline { limit: LIMIT, .. }) => assert_eq!(error.number(), None),
            (At::Insert | At::Commit, ErrorKind::UnknownOutcome { limit: LIMIT, .. }) => {
                assert_eq!(error.number(), Some(2));
            }
            _ => panic!("{error:?}"),
        }
        pause.hang(place, "off").await;
        let mut next = order();
        insert(&mut next).await;
        pause.test.client.clone().shutdown().await;
        let stored = pause.stored("orders").await;
        let without = if gapless { BTreeSet::from([1, 2]) } else { BTreeSet::from([1, 3]) };
        assert!(
            stored == without || at != At::InsertOfTransaction && stored == BTreeSet::from([1, 2, 3]),
            "{stored:?}"
        );
        assert_eq!(stored.last(), Some(&next.id));
    }
}
