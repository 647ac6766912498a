//! Reservations that fail, are late, or are not confirmed.

use std::time::Duration;

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, ErrorKind, SequencedCollection, SharedSequence};
use mongodb::bson::{Document, doc};

use super::{distinct, take_all, tickets};
use crate::{
    models::{Order, order},
    support::TestDb,
};

fn unconfirmed() -> Document {
    doc! { "writeConcernError": { "code": 64, "errmsg": "injected" } }
}

#[tokio::test]
async fn while_reservations_are_not_confirmed_each_burns_as_little_as_it_can() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::builder(tickets(&test)).block_size(10_000).build();
    assert_eq!(shared.next_value().await.unwrap(), 1);
    shared.raise_to(20_000).await.unwrap(); // which gives the block up
    test.fail(&["findAndModify"], doc! { "times": 4 }, unconfirmed()).await;
    let mut burnt = Vec::new();
    for _ in 0..4 {
        let error = shared.next_value().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unconfirmed { .. }), "{error:?}");
        burnt.push(error.number().unwrap());
    }
    assert_eq!(burnt, [20_001, 30_002, 30_003, 30_004]);
    // one that is confirmed, and the block is back behind it
    assert_eq!(shared.next_value().await.unwrap(), 30_005);
    assert_eq!(shared.next_value().await.unwrap(), 30_006);
    assert_eq!(test.value("tickets").await, Some(40_006));
}

#[tokio::test]
async fn each_of_those_who_wait_hears_of_its_own_number() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::new(tickets(&test));
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.fail(&["findAndModify"], doc! { "times": 1 }, unconfirmed()).await;
    let (one, many, other) = tokio::join!(shared.next_value(), shared.reserve(5), shared.next_value());
    let numbers = [one.err(), many.err(), other.err()].map(|error| error.unwrap().number());
    assert_eq!(numbers, [Some(2), Some(7), Some(8)]);
    assert_eq!(shared.next_value().await.unwrap(), 9);

    let orders = SequencedCollection::new(test.db.collection::<Order>("orders"));
    let mut first = order();
    first.insert_with_seq(&orders).await.unwrap();
    test.fail(&["findAndModify"], doc! { "times": 1 }, unconfirmed()).await;
    let calls = (0..3).map(|_| async {
        let mut order = order();
        order.insert_with_seq(&orders).await.unwrap_err().number()
    });
    assert_eq!(join_all(calls).await, [Some(2), Some(3), Some(4)]);
}

#[tokio::test]
async fn those_who_come_while_nothing_is_confirmed_share_the_error_and_no_number() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::new(tickets(&test));
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.fail(&["findAndModify"], doc! { "times": 2 }, unconfirmed()).await;
    assert_eq!(shared.next_value().await.unwrap_err().number(), Some(2));
    let errors: Vec<_> = take_all(&shared, 50).await.into_iter().map(Result::unwrap_err).collect();
    assert_eq!(errors.iter().filter_map(mongo_sequence::Error::number).collect::<Vec<_>>(), [3]);
    assert!(errors.iter().all(|error| matches!(error.kind(), ErrorKind::Unconfirmed { .. })));
    assert_eq!(test.value("tickets").await, Some(3));
    // after the one that is confirmed, the others share again
    test.sent.clear();
    assert_eq!(distinct(take_all(&shared, 50).await), (4..=53).collect());
    assert_eq!(test.sent.names(), ["findAndModify", "findAndModify"]);
}

#[tokio::test]
async fn a_block_that_cannot_be_fetched_is_nobodys_error_while_there_are_numbers() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::builder(tickets(&test)).block_size(100).build();
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.sent.clear();
    test.fail(&["findAndModify"], doc! { "times": 3 }, unconfirmed()).await;
    for expected in 2..=80 {
        assert_eq!(shared.next_value().await.unwrap(), expected);
    }
    // it is asked for again: three times in vain, for a block and twice for one number, then that number
    test.sent.until("findAndModify", 4).await;
    for expected in 81..=101 {
        assert_eq!(shared.next_value().await.unwrap(), expected);
    }
    assert_eq!(shared.next_value().await.unwrap(), 204);
    assert_eq!(shared.next_value().await.unwrap(), 205);
}

#[tokio::test]
async fn a_late_block_makes_callers_wait_no_longer_than_their_limit() {
    let test = TestDb::with_faults().await;
    let orders = SequencedCollection::builder(test.db.collection::<Order>("orders")).block_size(100).build();
    let mut first = order();
    first.insert_with_seq(&orders).await.unwrap();
    let late = doc! { "blockConnection": true, "blockTimeMS": 2000 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, late).await;
    // takes what is left of the block, and waits for the rest
    let mut batch = vec![order(); 150];
    let limit = Duration::from_millis(50);
    let error = Order::insert_many_with_seq(&mut batch, &orders).time_limit(limit).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Deadline { limit: found, .. } if *found == limit), "{error:?}");
    assert_eq!(error.number(), Some(2));
    assert!(batch.iter().all(|order| order.id == 0));
    let mut patient = order();
    patient.insert_with_seq(&orders).await.unwrap();
    assert!(patient.id > 101, "{}", patient.id);
    assert_eq!(test.ids().await, [1, patient.id].into());
}

#[tokio::test]
async fn callers_that_are_gone_take_no_numbers_and_hold_nobody_up() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::new(tickets(&test));
    assert_eq!(shared.next_value().await.unwrap(), 1);
    let late = doc! { "blockConnection": true, "blockTimeMS": 300 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, late).await;
    test.sent.clear();
    let first = tokio::spawn({
        let shared = shared.clone();
        async move { shared.next_value().await }
    });
    test.sent.until("findAndModify", 1).await;
    {
        let mut gone: Vec<_> = (0..40).map(|_| Box::pin(shared.next_value())).collect();
        for call in &mut gone {
            assert!(futures_util::poll!(call).is_pending());
        }
    }
    let behind = shared.next_value().await.unwrap();
    assert_eq!((first.await.unwrap().unwrap(), behind), (2, 3));
}

#[tokio::test]
async fn too_many_callers_are_refused() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::new(tickets(&test));
    assert_eq!(shared.next_value().await.unwrap(), 1);
    let late = doc! { "blockConnection": true, "blockTimeMS": 500 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, late).await;
    let outcomes = take_all(&shared, 10_100).await;
    let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    assert!(refused.clone().count() > 0);
    for error in refused {
        assert!(matches!(error.kind(), ErrorKind::Overloaded { limit: 10_000, .. }), "{error}");
    }
    assert_eq!(outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).max(), test.value("tickets").await.as_ref());
}

/// What callers leave in a queue when they go has no place in it.
#[tokio::test]
async fn a_queue_of_callers_that_are_gone_is_not_full() {
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let orders = SequencedCollection::new(test.db.collection::<Order>("orders"));
        let mut models: Vec<_> = (0..10_001).map(|_| order()).collect();
        let mut calls: Vec<_> = models
            .iter_mut()
            .map(|order| {
                let insert = order.insert_with_seq(&orders);
                if gapless { insert.gapless() } else { insert }.into_future()
            })
            .collect();
        let last = calls.pop().unwrap();
        for call in &mut calls {
            assert!(futures_util::poll!(call).is_pending());
        }
        let refused = last.await.unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Overloaded { limit: 10_000, .. }), "{refused}");
        drop(calls);
        let mut there = order();
        let insert = there.insert_with_seq(&orders);
        if gapless { insert.gapless() } else { insert }.await.unwrap();
        assert_eq!(test.ids().await, [1].into());
    }
}
