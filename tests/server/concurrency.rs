//! Many callers at once.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{FutureExt, future::join_all};
use mongo_sequence::{AutoIncrement, Sequence, SequencedCollection};
use mongodb::Collection;

use crate::{
    models::{Order, order},
    support::TestDb,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_use_by_64_tasks_at_once() {
    let test = TestDb::new().await;
    let sequence = Sequence::new(&test.db, "tickets").start(1);
    let tasks = (0..64).map(|_| {
        let sequence = sequence.clone();
        tokio::spawn(async move { sequence.next_value().await.unwrap() })
    });
    let numbers: BTreeSet<i64> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(numbers, (1..=64).collect());
    assert_eq!(test.counters().count_documents(mongodb::bson::doc! {}).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_insert_by_64_tasks_at_once() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let tasks = (0..64).map(|_| {
        let orders = orders.clone();
        tokio::spawn(async move {
            let mut order = order();
            order.insert_with_seq(&orders).await.unwrap();
            order.id
        })
    });
    let numbers: BTreeSet<i64> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(numbers, (1..=64).collect());
    assert_eq!(test.ids().await, numbers);
    assert_eq!(test.counters().count_documents(mongodb::bson::doc! {}).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_clients_after_the_counters_were_dropped() {
    let test = TestDb::new().await;
    let (_client, other_db) = test.another_client();
    let here = Sequence::new(&test.db, "tickets").start(1);
    let there = Sequence::new(&other_db, "tickets").start(1);
    for round in 0..200 {
        test.counters().drop().await.unwrap();
        let (a, b) = tokio::join!(here.next_value(), there.next_value());
        let numbers = BTreeSet::from([a.unwrap(), b.unwrap()]);
        assert_eq!(numbers, BTreeSet::from([1, 2]), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_tasks_compete_through_and_run2() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let runs = Arc::new(AtomicUsize::new(0));
    let tasks = (0..8).map(|_| {
        let (client, orders, runs) = (test.client.clone(), orders.clone(), runs.clone());
        tokio::spawn(async move {
            let mut session = client.start_session().await?;
            session
                .start_transaction()
                .and_run2(async move |session| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    let mut order = order();
                    order.insert_with_seq(&orders).session(session).gapless().await?;
                    Ok(order.id)
                })
                .await
        })
    });
    let numbers: BTreeSet<i64> = join_all(tasks).await.into_iter().map(|task| task.unwrap().unwrap()).collect();
    assert_eq!(numbers, (1..=8).collect());
    assert_eq!(test.ids().await, numbers);
    assert!(runs.load(Ordering::Relaxed) >= 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_tasks_compete_through_and_run() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let tasks = (0..8).map(|_| {
        let (client, orders) = (test.client.clone(), orders.clone());
        tokio::spawn(async move {
            let mut session = client.start_session().await?;
            let mut order = order();
            session
                .start_transaction()
                .and_run((&orders, &mut order), |session, (orders, order)| {
                    async move {
                        order.insert_with_seq(orders).session(session).gapless().await?;
                        Ok(())
                    }
                    .boxed()
                })
                .await?;
            mongodb::error::Result::Ok(order.id)
        })
    });
    let numbers: BTreeSet<i64> = join_all(tasks).await.into_iter().map(|task| task.unwrap().unwrap()).collect();
    assert_eq!(numbers, (1..=8).collect());
    assert_eq!(test.ids().await, numbers);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn library_owned_transactions_of_16_tasks_leave_no_gap() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let tasks = (0..16).map(|_| {
        let orders = orders.clone();
        tokio::spawn(async move {
            let mut numbers = Vec::new();
            for _ in 0..3 {
                let mut order = order();
                order.insert_with_seq(&orders).gapless().await.unwrap();
                numbers.push(order.id);
            }
            numbers
        })
    });
    let numbers: Vec<i64> = join_all(tasks).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(numbers.len(), 48);
    assert_eq!(numbers.into_iter().collect::<BTreeSet<_>>(), (1..=48).collect());
    assert_eq!(test.ids().await, (1..=48).collect());
    assert_eq!(test.value("orders._id").await, Some(48));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reservations_of_many_tasks_are_disjoint_and_complete() {
    let test = TestDb::new().await;
    let sequence = Sequence::new(&test.db, "tickets").start(1);
    let tasks = (0..16).map(|_| {
        let sequence = sequence.clone();
        tokio::spawn(async move {
            let mut numbers = Vec::new();
            for _ in 0..5 {
                numbers.extend(sequence.reserve(7).await.unwrap());
            }
            numbers
        })
    });
    let numbers: Vec<i64> = join_all(tasks).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(numbers.len(), 16 * 5 * 7);
    assert_eq!(numbers.into_iter().collect::<BTreeSet<_>>(), (1..=560).collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_that_is_removed_under_load_makes_no_duplicate_and_no_error() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let tasks = (0..6).map(|task| {
        let orders = orders.clone();
        tokio::spawn(async move {
            for _ in 0..10 {
                let mut order = order();
                let insert = order.insert_with_seq(&orders);
                if task % 2 == 0 { insert.gapless() } else { insert }.await.unwrap();
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    // at least 60 inserts are sent; each removal lets one of them through, since a call gives up after eight of them
    for inserts in (1..60).step_by(2) {
        test.sent.until("insert", inserts).await;
        test.counters().delete_one(mongodb::bson::doc! { "_id": "orders._id" }).await.unwrap();
    }
    for task in join_all(tasks).await {
        task.unwrap();
    }
    assert_eq!(test.ids().await.len(), 60); // `_id` is unique, so these are 60 different numbers
}

/// Groups of several processes, here clients, compete for one counter: each gets its share, and a conflict costs its group
/// a pause and nobody much work. By hand, such transactions send several times as many commands as they store documents.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gapless_groups_of_four_clients_share_a_counter_fairly() {
    const DOCUMENTS: usize = 3_200;
    let test = TestDb::new().await;
    order().insert_with_seq(&test.db.collection("orders")).gapless().await.unwrap();
    test.sent.clear();
    let begun = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..4).map(|_| test.another_client()).collect();
    let shares = clients.iter().map(|(_, db)| {
        let orders = SequencedCollection::new(db.collection::<Order>("orders"));
        let callers = (0..16).map(|_| {
            let (orders, begun) = (orders.clone(), Arc::clone(&begun));
            tokio::spawn(async move {
                let mut stored = 0;
                while begun.fetch_add(1, Ordering::Relaxed) < DOCUMENTS {
                    order().insert_with_seq(&orders).gapless().await.unwrap();
                    stored += 1;
                }
                stored
            })
        });
        let callers: Vec<_> = callers.collect();
        async { join_all(callers).await.into_iter().map(Result::unwrap).sum::<usize>() }
    });
    let shares = join_all(shares).await;
    assert_eq!(test.ids().await, (1..=1 + i64::try_from(DOCUMENTS).unwrap()).collect());
    assert!(shares.iter().all(|&share| share >= DOCUMENTS / 20), "{shares:?}");
    let moves = test.sent.named("findAndModify").len();
    assert!(moves < DOCUMENTS / 4, "{moves} commands at the counter");
}
