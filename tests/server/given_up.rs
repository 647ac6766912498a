//! Calls that are given up, by their limit or by their caller, while the server is still at work for them.

use std::{future::IntoFuture, time::Duration};

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence};
use mongodb::{
    Collection,
    bson::{Document, doc},
};

use crate::{
    models::{Order, order},
    support::TestDb,
    watch::until,
};

/// A limit that is sure to be over.
const SHORT: Duration = Duration::from_millis(100);

fn order_of(item: &str) -> Order {
    Order { item: item.to_owned(), ..order() }
}

/// An insert waits for somebody's transaction, for as long as that is open. Other calls of this client do not.
#[tokio::test]
async fn an_insert_that_is_given_up_holds_nobody_else_up() {
    for is_dropped in [false, true] {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        test.unique_index("orders", doc! { "item": 1 }).await;
        order_of("milk").insert_with_seq(&orders).await.unwrap();
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let theirs = doc! { "_id": 1_000, "item": "tea" };
        test.db.collection::<Document>("orders").insert_one(theirs).session(&mut session).await.unwrap();
        test.sent.clear();
        let mut waits = order_of("tea");
        if is_dropped {
            tokio::select! {
                _ = waits.insert_with_seq(&orders).into_future() => panic!("nothing is in its way"),
                () = test.sent.until("insert", 1) => {}
            }
        } else {
            let error = waits.insert_with_seq(&orders).time_limit(SHORT).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
            assert_eq!(error.number(), Some(2));
        }
        for (item, expected) in [("coffee", 3), ("water", 4)] {
            let mut other = order_of(item);
            other.insert_with_seq(&orders).await.unwrap();
            assert_eq!(other.id, expected, "{item}");
        }
        session.abort_transaction().await.unwrap();
        until("the document is stored", async || test.ids().await == [1, 2, 3, 4].into()).await;
    }
}

/// The driver has one session after another from a pool, and the server does one write after another in each of them.
async fn is_not_followed_in_its_session(command: &str, with_counter: bool, call: impl AsyncFn(&TestDb)) {
    loop {
        let test = TestDb::with_faults().await;
        if with_counter {
            order().insert_with_seq(&test.db.collection("orders")).await.unwrap();
        }
        let others = Sequence::new(&test.db, "others").start(1);
        others.next_value().await.unwrap();
        test.sent.clear();
        let before = test.sent.answered(command);
        test.fail(&[command], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 1_000 }).await;
        tokio::select! {
            () = call(&test) => panic!("nothing is in its way"),
            () = test.sent.until(command, 1) => {}
        }
        let (given_up, answered) = (test.sent.named(command)[0].clone(), test.sent.answered(command) - before);
        test.sent.clear();
        for _ in 0..3 {
            others.next_value().await.unwrap();
        }
        let by_others = if command == "findAndModify" { 3 } else { 0 };
        if test.sent.answered(command) > before + answered + by_others {
            continue; // the server was done with it, so its session is anybody's
        }
        let session = |command: &Document| command.get_document("lsid").unwrap().clone();
        let used = test.sent.named("findAndModify").iter().any(|other| session(other) == session(&given_up));
        assert!(!used, "{command}, with a counter: {with_counter}");
        return;
    }
}

#[tokio::test]
async fn nobody_follows_a_dropped_call_in_its_session() {
    let orders = |test: &TestDb| test.db.collection::<Order>("orders");
    let insert = async |test: &TestDb| drop(order().insert_with_seq(&orders(test)).await);
    is_not_followed_in_its_session("findAndModify", true, insert).await;
    is_not_followed_in_its_session("findAndModify", false, insert).await;
    is_not_followed_in_its_session("insert", true, insert).await;
    let many = async |test: &TestDb| {
        drop(Order::insert_many_with_seq(&mut [order(), order()], &orders(test)).await);
    };
    is_not_followed_in_its_session("insert", true, many).await;
    let sequence = |test: &TestDb| Order::sequence(&orders(test), "id").unwrap();
    let next = async |test: &TestDb| drop(sequence(test).next_value().await);
    is_not_followed_in_its_session("findAndModify", true, next).await;
    let raise = async |test: &TestDb| drop(sequence(test).raise_to(100).await);
    is_not_followed_in_its_session("findAndModify", true, raise).await;
    let restart = async |test: &TestDb| drop(sequence(test).restart(100).await);
    is_not_followed_in_its_session("findAndModify", true, restart).await;
}
