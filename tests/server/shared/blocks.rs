//! Numbers that are reserved ahead.

use std::collections::BTreeSet;

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence, SequencedCollection, SharedSequence, SharedSequenceBuilder};
use mongodb::bson::doc;

use super::{distinct, take_all, tickets};
use crate::{
    models::{Order, order},
    support::TestDb,
};

fn blocks(sequence: Sequence) -> SharedSequenceBuilder {
    SharedSequence::builder(sequence)
}

/// Orders that are numbered from blocks of 100.
fn orders(test: &TestDb) -> SequencedCollection<Order> {
    SequencedCollection::builder(test.db.collection("orders")).block_size(100).build()
}

async fn insert(orders: &SequencedCollection<Order>) -> i64 {
    let mut order = order();
    order.insert_with_seq(orders).await.unwrap();
    order.id
}

#[tokio::test]
async fn a_block_is_handed_out_without_a_command_and_the_next_one_is_fetched_when_half_of_it_is_left() {
    let test = TestDb::new().await;
    let shared = blocks(tickets(&test)).block_size(100).build();
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.sent.clear();
    for expected in 2..=51 {
        assert_eq!(shared.next_value().await.unwrap(), expected);
    }
    assert_eq!(test.sent.names(), [] as [&str; 0]);
    assert_eq!(shared.next_value().await.unwrap(), 52);
    test.sent.until("findAndModify", 1).await;
    for expected in 53..=101 {
        assert_eq!(shared.next_value().await.unwrap(), expected);
    }
    assert_eq!(test.sent.names(), ["findAndModify"]);
    // what the counter says of it is there from the first block on
    let counter = test.counter("tickets").await.unwrap();
    assert!(counter.get_bool("blocks").unwrap());
}

#[tokio::test]
async fn numbers_increase_within_a_handle_and_differ_between_handles() {
    let test = TestDb::new().await;
    let handles = [blocks(tickets(&test)).block_size(10).build(), blocks(tickets(&test)).block_size(7).build()];
    let tasks: Vec<_> = (0..8_u64)
        .map(|task| {
            let shared = handles[usize::try_from(task).unwrap() % 2].clone();
            tokio::spawn(async move {
                let (mut own, mut last) = (Vec::new(), 0);
                for round in 0..100 {
                    let numbers: Vec<i64> = if (round + task) % 5 == 0 {
                        shared.reserve(1 + (round + task) % 23).await.unwrap().collect()
                    } else {
                        vec![shared.next_value().await.unwrap()]
                    };
                    for number in numbers {
                        assert!(number > last, "{number} after {last}");
                        last = number;
                        own.push(number);
                    }
                }
                own
            })
        })
        .collect();
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.unwrap());
    }
    let distinct: BTreeSet<i64> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
    assert!(test.value("tickets").await >= distinct.last().copied());
}

#[tokio::test]
async fn a_reservation_larger_than_the_block_enlarges_the_next_one() {
    let test = TestDb::new().await;
    let shared = blocks(tickets(&test)).block_size(10).build();
    assert_eq!(shared.next_value().await.unwrap(), 1); // and 10 ahead
    test.sent.clear();
    let numbers: Vec<i64> = shared.reserve(250).await.unwrap().collect();
    assert_eq!(numbers, (2..=251).collect::<Vec<_>>());
    assert_eq!(test.sent.names(), ["findAndModify"]);
    assert_eq!(shared.next_value().await.unwrap(), 252);
    assert_eq!(test.sent.names(), ["findAndModify"]);
}

#[tokio::test]
async fn an_adaptive_size_grows_with_demand() {
    let test = TestDb::new().await;
    let shared = blocks(tickets(&test)).adaptive_block_size(1..=100_000).build();
    let mut commands = Vec::new();
    for _ in 0..20 {
        test.sent.clear();
        for _ in 0..500 {
            shared.next_value().await.unwrap();
        }
        commands.push(test.sent.named("findAndModify").len());
    }
    // 10,000 numbers, far faster than one command for each block of one would be
    assert!(commands[0] > commands[19], "{commands:?}");
    assert!(commands.iter().sum::<usize>() < 1_000, "{commands:?}");
}

#[tokio::test]
async fn a_document_with_a_number_from_the_block_gives_the_block_up() {
    let test = TestDb::new().await;
    let orders = orders(&test);
    assert_eq!(insert(&orders).await, 1);
    test.import("_id", 5_i64..=40).await;
    for expected in 2..=4 {
        assert_eq!(insert(&orders).await, expected);
    }
    test.sent.clear();
    let number = insert(&orders).await;
    // one refusal, whoever reads the message of it, and a new block behind the old one
    assert!(number > 100, "{number}");
    assert_eq!(test.sent.named("insert").len(), 2);
    assert_eq!(insert(&orders).await, number + 1);
}

#[tokio::test]
async fn a_lost_counter_gives_the_block_up() {
    let test = TestDb::new().await;
    let orders = orders(&test);
    for expected in 1..=30 {
        assert_eq!(insert(&orders).await, expected);
    }
    test.counters().delete_one(doc! {}).await.unwrap();
    let mut numbers = BTreeSet::new();
    for _ in 0..200 {
        assert!(numbers.insert(insert(&orders).await));
    }
    // found out at the latest when the next block was fetched: what lies behind follows the data
    assert_eq!(test.ids().await.len(), 230);
    assert!(numbers.last() < Some(&400), "{numbers:?}");
}

#[tokio::test]
async fn a_lost_counter_is_found_out_before_it_is_made_again() {
    let test = TestDb::new().await;
    let shared = blocks(tickets(&test)).block_size(100).build();
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.counters().delete_one(doc! {}).await.unwrap();
    test.sent.clear();
    for expected in 2..=52 {
        assert_eq!(shared.next_value().await.unwrap(), expected);
    }
    // the next block finds nothing and makes the counter: from then on 53 may be a number of somebody else's
    test.sent.until("findAndModify", 2).await;
    assert_eq!(shared.next_value().await.unwrap(), 1);
}

#[tokio::test]
async fn after_raise_to_the_handle_hands_out_nothing_that_lies_before() {
    let test = TestDb::new().await;
    let shared = blocks(tickets(&test)).block_size(100).build();
    assert_eq!(shared.next_value().await.unwrap(), 1);
    assert_eq!(shared.raise_to(5_000).await.unwrap(), 5_000);
    assert_eq!(shared.next_value().await.unwrap(), 5_001);
    assert!(matches!(
        blocks(tickets(&test).max(10)).build().raise_to(11).await.unwrap_err().kind(),
        ErrorKind::InvalidSequence { .. }
    ));
}

#[tokio::test]
async fn a_sequence_with_blocks_goes_back_only_if_all_who_use_it_have_stopped() {
    let test = TestDb::new().await;
    let other_process = blocks(tickets(&test)).block_size(100).build();
    assert_eq!(other_process.next_value().await.unwrap(), 1);
    let sequence = tickets(&test);
    let error = sequence.restart(1).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BlocksReserved { next: 1, .. }), "{error}");
    assert!(error.to_string().contains("assume_stopped"), "{error}");
    assert_eq!(test.value("tickets").await, Some(101));
    sequence.restart(500).await.unwrap(); // forward is no danger
    sequence.restart(1).assume_stopped().await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 1);
}

#[tokio::test]
async fn numbers_in_the_data_are_refused_whatever_has_stopped() {
    let test = TestDb::new().await;
    let orders = orders(&test);
    insert(&orders).await;
    let sequence = Order::sequence(&orders, "id").unwrap();
    let error = sequence.restart(1).assume_stopped().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::RestartRefused { stored: 1, .. }), "{error}");
}

#[tokio::test]
async fn a_counter_whose_value_is_where_the_mark_would_be_is_refused() {
    let test = TestDb::new().await;
    test.counters().insert_one(doc! { "_id": "tickets", "blocks": 7_i64 }).await.unwrap();
    let sequence = tickets(&test).value_field("blocks");
    let shared = blocks(sequence.clone()).block_size(10).build();
    assert!(matches!(shared.next_value().await.unwrap_err().kind(), ErrorKind::InvalidSequence { .. }));
    assert_eq!(SharedSequence::new(sequence.clone()).next_value().await.unwrap(), 8);
    sequence.restart(3).await.unwrap();
    assert_eq!(test.counter("tickets").await, Some(doc! { "_id": "tickets", "blocks": 2_i64 }));
}

#[tokio::test]
async fn whole_batches_and_callers_sessions_take_numbers_from_the_block() {
    let test = TestDb::new().await;
    let orders = orders(&test);
    assert_eq!(insert(&orders).await, 1);
    test.sent.clear();
    let mut batch = vec![order(); 20];
    Order::insert_many_with_seq(&mut batch, &orders).await.unwrap();
    assert_eq!(batch.iter().map(|order| order.id).collect::<Vec<_>>(), (2..=21).collect::<Vec<_>>());
    assert_eq!(test.sent.names(), ["insert"]);

    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut inside = order();
    inside.insert_with_seq(&orders).session(&mut session).await.unwrap();
    assert_eq!(inside.id, 22);
    session.abort_transaction().await.unwrap();
    assert_eq!(test.sent.names(), ["insert", "insert", "abortTransaction"]);
    assert_eq!(insert(&orders).await, 23); // the rollback has left a gap

    let mut commented = order();
    commented.insert_with_seq(&orders).comment("imported").await.unwrap();
    assert_eq!(commented.id, 24);
    let mut found = order();
    found.get_or_insert_with_seq(&orders, doc! { "item": "coffee" }).await.unwrap();
    assert_eq!(found.id, 25);
}

#[tokio::test]
async fn gapless_calls_leave_the_block_alone_and_callers_sessions_never_share_them() {
    let test = TestDb::new().await;
    let orders = orders(&test);
    assert_eq!(insert(&orders).await, 1);
    let mut gapless = order();
    gapless.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(gapless.id, 102);
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    test.sent.clear();
    let mut inside = order();
    inside.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    let sent = test.sent.named("findAndModify");
    assert!(sent.iter().all(|command| command.get("txnNumber").is_some()), "{sent:?}");
    session.abort_transaction().await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(102));
    assert_eq!(insert(&orders).await, 2);
}

#[tokio::test]
async fn callers_sessions_without_blocks_share_the_counters_that_may_have_gaps() {
    let test = TestDb::new().await;
    let orders = SequencedCollection::new(test.db.collection::<Order>("orders"));
    insert(&orders).await;
    test.sent.clear();
    let calls = (0..20).map(|_| {
        let (client, orders) = (test.client.clone(), orders.clone());
        async move {
            let mut session = client.start_session().await.unwrap();
            let mut order = order();
            order.insert_with_seq(&orders).session(&mut session).await.unwrap();
            order.id
        }
    });
    let numbers: BTreeSet<i64> = futures_util::future::join_all(calls).await.into_iter().collect();
    assert_eq!(numbers, (2..=21).collect());
    assert!(test.sent.named("findAndModify").len() <= 4);
}

#[tokio::test]
async fn shutdown_says_what_it_waited_for_and_how_many_numbers_are_left_over() {
    let test = TestDb::new().await;
    let orders = orders(&test);
    assert_eq!(insert(&orders).await, 1);
    let shutdown = orders.shutdown().await;
    assert_eq!((shutdown.documents, shutdown.unused_numbers), (0, 100));
    let mut late = order();
    assert!(matches!(late.insert_with_seq(&orders).await.unwrap_err().kind(), ErrorKind::ShutDown));
    assert_eq!(test.ids().await, BTreeSet::from([1]));
}

#[tokio::test]
async fn two_processes_with_blocks_never_meet() {
    let test = TestDb::new().await;
    let (_client, db) = test.another_client();
    let here = blocks(tickets(&test)).block_size(16).build();
    let there = blocks(Sequence::new(&db, "tickets").start(1)).adaptive_block_size(4..=64).build();
    let (mine, theirs) = tokio::join!(take_all(&here, 500), take_all(&there, 500));
    assert!(distinct(mine).is_disjoint(&distinct(theirs)));
}
