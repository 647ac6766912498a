//! What callers share, where it comes to an end: numbers that run out, counters that are lost, all ways at once.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, Error, ErrorKind, Sequence, SequencedCollection, SharedSequence};
use mongodb::{
    bson::{Bson, doc},
    event::{EventHandler, command::CommandEvent},
};
use serde::{Deserialize, Serialize};

use super::runtimes::{PATIENCE, soon};
use crate::{
    models::{Order, order},
    support::{TestDb, server},
};

fn tickets(test: &TestDb) -> Sequence {
    Sequence::new(&test.db, "tickets").start(1)
}

#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
struct Seat {
    room: i32,
    #[auto_increment(scope(room), max = 5)]
    number: i64,
}

/// Seats whose counters stand at 0 while these are taken.
async fn seats(taken: &[(i32, i64)]) -> (TestDb, SequencedCollection<Seat>) {
    let test = TestDb::new().await;
    let seats = SequencedCollection::new(test.db.collection::<Seat>("seats"));
    Seat::ensure_sequences(&seats).await.unwrap();
    let rooms: BTreeSet<i32> = taken.iter().map(|(room, _)| *room).collect();
    for room in rooms {
        let counter = doc! { "_id": { "seq": "seats.number", "room": i64::from(room) }, "seq": 0_i64 };
        test.counters().insert_one(counter).await.unwrap();
    }
    let taken = taken.iter().map(|&(room, number)| Seat { room, number });
    seats.insert_many(taken).await.unwrap();
    test.sent.clear();
    (test, seats)
}

async fn sit(seats: &SequencedCollection<Seat>, rooms: &[i32], gapless: bool) -> Vec<Result<i64, Error>> {
    join_all(rooms.iter().map(|&room| async move {
        let mut seat = Seat { room, number: 0 };
        let insert = seat.insert_with_seq(seats);
        if gapless { insert.gapless() } else { insert }.await.map(|_| seat.number)
    }))
    .await
}

#[tokio::test]
async fn a_counter_that_has_no_number_behind_the_data_fails_its_own_callers_only() {
    for gapless in [false, true] {
        let full = [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2)];
        let (test, seats) = seats(&full).await;
        let [one, two] = sit(&seats, &[1, 2], gapless).await.try_into().unwrap();
        let error = one.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exhausted { .. }), "{error:?}");
        assert_eq!(two.unwrap(), 3, "gapless: {gapless}");
        drop(test);
    }
}

#[tokio::test]
async fn where_too_few_numbers_are_left_behind_the_data_the_first_callers_get_them() {
    for (taken, free) in [(vec![1, 2, 3, 4], vec![5]), (vec![1, 2], vec![3, 4, 5]), (vec![2], vec![1, 3, 4, 5])] {
        for gapless in [false, true] {
            let rows: Vec<(i32, i64)> = taken.iter().map(|&number| (1, number)).collect();
            let (test, seats) = seats(&rows).await;
            let outcomes = sit(&seats, &[1; 5], gapless).await;
            let told: Vec<i64> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok().copied()).collect();
            for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
                assert!(matches!(error.kind(), ErrorKind::Exhausted { .. }), "{error:?}");
            }
            if gapless {
                assert_eq!(told, free, "taken: {taken:?}");
            } else {
                assert!(told.contains(&5), "{told:?}, taken: {taken:?}");
            }
            drop(test);
        }
    }
}

/// Both get a number that is taken, and one is left for them.
#[tokio::test]
async fn the_last_number_behind_the_data_goes_to_one_of_those_who_collide() {
    let (_test, seats) = seats(&[(1, 1), (1, 2), (1, 3), (1, 4)]).await;
    let [first, second] = sit(&seats, &[1; 2], false).await.try_into().unwrap();
    assert_eq!(first.unwrap(), 5);
    let error = second.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { remaining: 0, .. }), "{error:?}");
    assert_eq!(error.number(), Some(2));
}

#[tokio::test]
async fn one_reservation_never_holds_a_number_twice_whatever_becomes_of_the_counter() {
    let test = TestDb::new().await;
    let shared = SharedSequence::builder(tickets(&test)).block_size(100).build();
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.counters().delete_one(doc! {}).await.unwrap();
    // takes what is left of the block, and finds out that the counter is lost
    let numbers: Vec<i64> = shared.reserve(150).await.unwrap().collect();
    let distinct: BTreeSet<i64> = numbers.iter().copied().collect();
    assert_eq!(distinct.len(), 150, "{numbers:?}");
}

#[tokio::test]
async fn a_batch_that_finds_the_counter_lost_is_stored_at_the_first_try() {
    let test = TestDb::new().await;
    let orders = SequencedCollection::builder(test.db.collection::<Order>("orders")).block_size(100).build();
    order().insert_with_seq(&orders).await.unwrap();
    test.counters().delete_one(doc! {}).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut batch = vec![order(); 150];
    Order::insert_many_with_seq(&mut batch, &orders).session(&mut session).await.unwrap();
    session.commit_transaction().await.unwrap();
    assert_eq!(test.ids().await.len(), 151);
}

/// The reservation is made, and its reply is not read yet, when the blocks are thrown away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_under_way_when_blocks_are_thrown_away_is_thrown_away_too() {
    let (answered, second) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let held = Mutex::new(Some((answered, released)));
    let replies = AtomicUsize::new(0);
    let test = TestDb::on(server().await, |options| {
        options.command_event_handler = Some(EventHandler::callback(move |event| {
            let is_reply = matches!(&event, CommandEvent::Succeeded(done) if done.command_name == "findAndModify");
            // the counter is missing, is made, gives a block, and gives the second
            if is_reply && replies.fetch_add(1, Ordering::Relaxed) == 3 {
                let (answered, released) = held.lock().unwrap().take().unwrap();
                answered.send(()).unwrap();
                let _released_or_failed = tokio::task::block_in_place(|| released.recv_timeout(PATIENCE));
            }
        }));
    })
    .await;
    let shared = SharedSequence::builder(tickets(&test)).block_size(100).build();
    for expected in 1..=52 {
        assert_eq!(shared.next_value().await.unwrap(), expected); // the last one sends for the next block
    }
    soon(second).await.unwrap();
    assert_eq!(soon(shared.raise_to(5_000)).await.unwrap(), 5_000);
    release.send(()).unwrap();
    assert_eq!(soon(shared.next_value()).await.unwrap(), 5_001);
}

#[tokio::test]
async fn counters_of_every_type_give_blocks_up_to_their_limit() {
    for step in [1_i64, 3, -1, -3] {
        for (kind, value) in [Bson::Int32(0), Bson::Int64(0), Bson::Double(0.0)].into_iter().enumerate() {
            let test = TestDb::new().await;
            test.set_counter("tickets", value).await;
            let limit = step * 50;
            let sequence = Sequence::new(&test.db, "tickets").step(step).max(limit.max(0)).min(limit.min(0));
            let shared = SharedSequence::builder(sequence).block_size(16).build();
            let (singles, many) = tokio::join!(join_all((0..30).map(|_| shared.next_value())), shared.reserve(15));
            let mut told: Vec<i64> = singles.into_iter().map(Result::unwrap).collect();
            told.extend(many.unwrap());
            while let Ok(number) = shared.next_value().await {
                told.push(number);
            }
            let expected: BTreeSet<i64> = (1..=50).map(|n| n * step).collect();
            assert_eq!(told.len(), 50, "step {step}, kind {kind}");
            assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), expected, "step {step}, kind {kind}");
        }
    }
}

/// How often a server rounds the sum of a Double and a step that no Double holds depends on its version: it is refused.
#[tokio::test]
async fn a_double_is_not_moved_by_a_step_that_no_double_holds() {
    let test = TestDb::new().await;
    test.set_counter("tickets", Bson::Double(1.0)).await;
    let error = Sequence::new(&test.db, "tickets").step((1 << 53) + 1).next_value().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
    assert_eq!(test.counter("tickets").await, Some(doc! { "_id": "tickets", "seq": 1.0 }));
}

/// Every way of taking numbers at once, from one counter, over two clients: told numbers are told once, and stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_at_once_tells_no_number_twice() {
    // with the driver's 10, those who wait for the counter can have all connections, and the transaction that holds it none
    let test = TestDb::on(server().await, |options| options.max_pool_size = Some(200)).await;
    let (_other_client, other) = test.another_client();
    let handles = [
        SequencedCollection::builder(test.db.collection::<Order>("orders")).block_size(7).build(),
        SequencedCollection::builder(other.collection::<Order>("orders")).adaptive_block_size(1..=50).build(),
        SequencedCollection::new(test.db.collection::<Order>("orders")),
    ];
    test.db.create_collection("orders").await.unwrap(); // by two transactions at once it would be a conflict
    let tasks: Vec<_> = (0..90)
        .map(|n| {
            let orders = handles[n % 3].clone();
            tokio::spawn(async move {
                let mut told = Vec::new();
                for round in 0..3 {
                    match (n / 3 + round) % 6 {
                        0 | 1 => {
                            let mut order = order();
                            order.insert_with_seq(&orders).await.unwrap();
                            told.push(order.id);
                        }
                        2 => {
                            let mut order = order();
                            order.insert_with_seq(&orders).gapless().await.unwrap();
                            told.push(order.id);
                        }
                        3 => {
                            let mut batch = vec![order(); 1 + n % 9];
                            Order::insert_many_with_seq(&mut batch, &orders).await.unwrap();
                            told.extend(batch.iter().map(|order| order.id));
                        }
                        4 => {
                            let mut session = orders.client().start_session().await.unwrap();
                            session.start_transaction().await.unwrap();
                            let mut order = order();
                            order.insert_with_seq(&orders).session(&mut session).await.unwrap();
                            session.commit_transaction().await.unwrap();
                            told.push(order.id);
                        }
                        _ => {
                            let sequence = Order::sequence(&orders, "id").unwrap();
                            let behind = sequence.current_value().await.unwrap().unwrap_or(0) + 5;
                            sequence.raise_to(behind).await.unwrap();
                        }
                    }
                }
                told
            })
        })
        .collect();
    let mut all = Vec::new();
    for told in join_all(tasks).await {
        all.extend(told.unwrap());
    }
    let distinct: BTreeSet<i64> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
    assert_eq!(test.ids().await, distinct);
    assert!(test.value("orders._id").await >= distinct.last().copied());
}

/// Without gaps, downwards, with refused and cancelled calls on two clients: the counter is the number of documents.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn downwards_without_gaps_the_counter_is_the_number_of_documents() {
    #[derive(Serialize, AutoIncrement)]
    struct Step {
        text: String,
        #[auto_increment(start = -3, step = -3, gapless)]
        number: i64,
    }
    let test = TestDb::new().await;
    let (_other_client, other) = test.another_client();
    let handles = [&test.db, &other].map(|db| SequencedCollection::new(db.collection::<Step>("steps")));
    Step::ensure_sequences(&handles[0]).await.unwrap();
    test.unique_index_named("steps", doc! { "text": 1 }, "text").await;
    let tasks: Vec<_> = (0..200)
        .map(|n: usize| {
            let steps = handles[n % 2].clone();
            tokio::spawn(async move {
                let mut step = Step { text: (n / 2 % 80).to_string(), number: 0 };
                step.insert_with_seq(&steps).await.map(|_| step.number)
            })
        })
        .collect();
    for (n, task) in tasks.iter().enumerate() {
        if n % 7 == 0 {
            task.abort();
        }
        tokio::task::yield_now().await;
    }
    let mut told = BTreeSet::new();
    for task in tasks {
        match task.await {
            Ok(Ok(number)) => assert!(told.insert(number), "{number} twice"),
            Ok(Err(error)) => assert!(error.is_duplicate_key() && error.number().is_none(), "{error:?}"),
            Err(_cancelled) => {}
        }
    }
    for handle in &handles {
        handle.shutdown().await;
    }
    let stored = test.numbers("steps", "number").await;
    let n = i64::try_from(stored.len()).unwrap();
    assert_eq!(stored, (1..=n).map(|n| -3 * n).collect());
    assert!(told.is_subset(&stored));
    assert_eq!(test.value("steps.number").await, Some(-3 * n));
}
