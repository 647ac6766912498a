//! Counters that are held: by a runtime that has ended, and by an open transaction while the pool is small.

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, ErrorKind, NumberedField, SequencedCollection};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use tokio::runtime::Builder;

use crate::{
    models::{Order, order},
    support::TestDb,
    watch::until,
};

/// What is sure to come; a test that runs into it has failed.
const PATIENCE: Duration = Duration::from_secs(40);

/// The transaction of a runtime that ends is over long before the server would end it, whichever of its commands is on its
/// way, for this process and for others.
#[test]
fn a_runtime_that_ends_within_a_transaction_leaves_no_counter_locked() {
    let main = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for command in ["findAndModify", "insert", "commitTransaction"] {
        for group in [false, true] {
            let test = main.block_on(TestDb::with_faults());
            let orders: Collection<Order> = test.db.collection("orders");
            main.block_on(async {
                order().insert_with_seq(&orders).await.unwrap();
                test.sent.clear();
                test.fail(&[command], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 400 }).await;
            });
            let ended = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            let (inserted, shared) = (orders.clone(), SequencedCollection::new(orders.clone()));
            ended.spawn(async move {
                let mut order = order();
                if group {
                    order.insert_with_seq(&shared).gapless().await.map(drop)
                } else {
                    order.insert_with_seq(&inserted).gapless().await.map(drop)
                }
            });
            main.block_on(test.sent.until(command, 1));
            ended.shutdown_background();
            main.block_on(async {
                let (_client, db) = test.another_client();
                let others: Collection<Order> = db.collection("orders");
                let mut numbers = BTreeSet::new();
                for orders in [&others, &orders] {
                    let mut next = order();
                    let insert = next.insert_with_seq(orders).gapless().time_limit(PATIENCE);
                    let done = insert.await;
                    assert!(done.is_ok(), "{command}, group {group}: {done:?}");
                    numbers.insert(next.id);
                }
                // the commit that was on its way may have come first or never
                let stored = test.ids().await;
                assert_eq!(stored, (1..=stored.len().try_into().unwrap()).collect(), "{command}, group {group}");
                assert!(numbers.len() == 2 && numbers.is_subset(&stored));
                drop(test);
            });
        }
    }
}

#[test]
fn a_runtime_that_ends_within_a_backfill_leaves_no_counter_locked() {
    let main = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let test = main.block_on(TestDb::with_faults());
    let orders: Collection<Order> = test.db.collection("orders");
    let field = NumberedField::new(&orders, "number").gapless();
    main.block_on(async {
        field.ensure().await.unwrap();
        orders.clone_with_type::<Document>().insert_one(doc! { "_id": 1 }).await.unwrap();
        test.fail(&["update"], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 400 }).await;
    });
    let ended = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let filled = field.clone();
    ended.spawn(async move { filled.backfill().await.map(drop) });
    main.block_on(test.sent.until("update", 1));
    ended.shutdown_background();
    main.block_on(async {
        let (_client, db) = test.another_client();
        let field = NumberedField::new(&db.collection::<Order>("orders"), "number").gapless();
        until("the counter is free", async || {
            let mut session = db.client().start_session().await.unwrap();
            session.start_transaction().await.unwrap();
            let number = field.sequence(&doc! {}).unwrap().next_value().session(&mut session).await;
            session.abort_transaction().await.unwrap();
            number.is_ok()
        })
        .await;
        assert_eq!(field.backfill().await.unwrap().numbered, 1);
    });
}

/// Where the client was made on that runtime, nothing more can be sent: it is as if the process had been killed.
#[test]
fn a_runtime_that_ends_with_its_client_leaves_its_counter_locked() {
    let runtime = || Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (main, ended) = (runtime(), runtime());
    let test = ended.block_on(async {
        let test = TestDb::with_faults().await;
        let orders: Collection<Order> = test.db.collection("orders");
        order().insert_with_seq(&orders).await.unwrap();
        test.fail(&["insert"], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 400 }).await;
        test.sent.clear();
        tokio::spawn(async move { order().insert_with_seq(&orders).gapless().await.map(drop) });
        test.sent.until("insert", 1).await;
        test
    });
    ended.shutdown_background();
    main.block_on(async {
        let (_client, db) = test.another_client();
        let mut next = order();
        let error = next.insert_with_seq(&db.collection("orders")).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CounterHeld { .. }), "{error:?}");
        drop(test);
    });
}

/// Many wait for a counter that an open transaction holds, and the pool is smaller than they are many: its holder gets on.
#[tokio::test]
async fn a_small_pool_is_no_deadlock() {
    for connections in [1, 2] {
        let test = TestDb::with_faults_and(|options| options.max_pool_size = Some(connections)).await;
        let orders = SequencedCollection::new(test.db.collection::<Order>("orders"));
        order().insert_with_seq(&orders).await.unwrap();
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
        test.sent.clear();
        let plain = join_all((0..20).map(|_| async { order().insert_with_seq(&orders).await.map(drop) }));
        let gapless = join_all((0..20).map(|_| async { order().insert_with_seq(&orders).gapless().await.map(drop) }));
        let holder = async {
            test.sent.until("findAndModify", 2).await; // one of those who share, and one of the group, wait or try again
            order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
            session.commit_transaction().await.unwrap();
        };
        let all = async { tokio::join!(plain, gapless, holder) };
        let Ok((plain, gapless, ())) = tokio::time::timeout(PATIENCE, all).await else {
            panic!("with {connections} connections nobody gets on: {:?}", test.sent.names());
        };
        // a lone connection is taken by the one plain command that waits, until its time is over
        let refused = plain.iter().filter(|done| done.is_err()).count();
        assert!(gapless.iter().all(Result::is_ok), "{gapless:?}");
        assert_eq!(test.ids().await.len(), 43 - refused);
    }
}
