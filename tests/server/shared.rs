//! `SharedSequence`: callers of one counter that wait at the same time share its commands, and blocks of its numbers.

mod blocks;
mod edges;
mod faults;
pub(crate) mod runtimes;

use std::{
    collections::BTreeSet,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use futures_util::future::join_all;
use mongo_sequence::{Error, ErrorKind, Sequence, SharedSequence};
use mongodb::bson::doc;

use crate::support::TestDb;

pub(crate) fn tickets(test: &TestDb) -> Sequence {
    Sequence::new(&test.db, "tickets").start(1)
}

/// Asks for so many numbers, all at once.
async fn take_all(shared: &SharedSequence, n: usize) -> Vec<Result<i64, Error>> {
    join_all((0..n).map(|_| async { shared.next_value().await })).await
}

fn distinct(numbers: Vec<Result<i64, Error>>) -> BTreeSet<i64> {
    let n = numbers.len();
    let distinct: BTreeSet<i64> = numbers.into_iter().map(Result::unwrap).collect();
    assert_eq!(distinct.len(), n);
    distinct
}

#[tokio::test]
async fn those_who_wait_share_a_command_and_a_lone_caller_sends_its_own() {
    let test = TestDb::new().await;
    let shared = SharedSequence::new(tickets(&test));
    assert_eq!(shared.next_value().await.unwrap(), 1);
    test.sent.clear();
    assert_eq!(distinct(take_all(&shared, 200).await), (2..=201).collect());
    assert_eq!(test.sent.names(), ["findAndModify"]);
    test.sent.clear();
    assert_eq!(shared.next_value().await.unwrap(), 202);
    assert_eq!(test.sent.names(), ["findAndModify"]);
    // nothing is reserved that nobody asked for, and nothing says so
    assert_eq!(test.counter("tickets").await, Some(doc! { "_id": "tickets", "seq": 202_i64 }));
}

#[tokio::test]
async fn reservations_share_commands_with_single_numbers() {
    let test = TestDb::new().await;
    let shared = SharedSequence::new(tickets(&test).step(10));
    let (one, many, none) = tokio::join!(shared.next_value(), shared.reserve(3), shared.reserve(0));
    assert_eq!(one.unwrap(), 1);
    assert_eq!(many.unwrap().collect::<Vec<_>>(), [11, 21, 31]);
    assert_eq!(none.unwrap().len(), 0);
    assert_eq!(test.value("tickets").await, Some(31));
}

#[tokio::test]
async fn where_too_few_numbers_are_left_the_first_callers_get_them() {
    for (step, from, limit) in [(1, 950, 1000), (-1, -950, -1000)] {
        for block in [0, 100] {
            let test = TestDb::new().await;
            test.set_counter("tickets", from).await;
            let sequence = Sequence::new(&test.db, "tickets").step(step).max(limit.max(from)).min(limit.min(from));
            let shared = SharedSequence::builder(sequence).block_size(block).build();
            let mut numbers = take_all(&shared, 64).await;
            let refused = numbers.split_off(50);
            let expected: Vec<i64> = (1..=50).map(|n| from + step * n).collect();
            assert_eq!(numbers.into_iter().map(Result::unwrap).collect::<Vec<_>>(), expected);
            for error in refused.into_iter().map(Result::unwrap_err) {
                assert!(matches!(error.kind(), ErrorKind::Exhausted { remaining: 0, value, .. } if *value == limit));
            }
            assert_eq!(test.value("tickets").await, Some(limit));
        }
    }
}

#[tokio::test]
async fn a_reservation_gets_all_of_its_numbers_or_none() {
    let test = TestDb::new().await;
    let shared = SharedSequence::new(tickets(&test).max(10));
    let (first, whole, last) = tokio::join!(shared.reserve(4), shared.reserve(7), shared.reserve(6));
    assert_eq!(first.unwrap().collect::<Vec<_>>(), (1..=4).collect::<Vec<_>>());
    assert!(matches!(whole.unwrap_err().kind(), ErrorKind::Exhausted { .. }));
    assert_eq!(last.unwrap().collect::<Vec<_>>(), (5..=10).collect::<Vec<_>>());
    let error = shared.reserve(u64::MAX).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { remaining: 0, .. }));
}

#[tokio::test]
async fn what_is_wrong_with_the_sequence_is_said_by_every_call() {
    let test = TestDb::new().await;
    let shared = SharedSequence::new(tickets(&test).step(0));
    for _ in 0..2 {
        assert!(matches!(shared.next_value().await.unwrap_err().kind(), ErrorKind::InvalidSequence { .. }));
        assert!(matches!(shared.reserve(2).await.unwrap_err().kind(), ErrorKind::InvalidSequence { .. }));
    }
    let missing = SharedSequence::new(Sequence::new(&test.db, "tickets"));
    for error in take_all(&missing, 3).await {
        assert!(matches!(error.unwrap_err().kind(), ErrorKind::CounterMissing { .. }));
    }
    assert_eq!(test.counter("tickets").await, None);
}

#[tokio::test]
async fn a_handle_outlives_the_runtime_of_its_first_caller() {
    let test = TestDb::with_faults().await;
    let shared = SharedSequence::builder(tickets(&test)).block_size(4).build();
    let held = doc! { "blockConnection": true, "blockTimeMS": 1000 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, held).await;
    let (sent, first) = (test.sent.clone(), shared.clone());
    let other_runtime = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let call = tokio::spawn(async move { first.next_value().await });
            sent.until("findAndModify", 1).await;
            call.abort();
        });
    });
    let number = {
        test.sent.until("findAndModify", 1).await;
        shared.next_value().await.unwrap() // waits for a task that ends with the other runtime
    };
    other_runtime.join().unwrap();
    assert!(number <= 5, "{number}");
    let more = distinct(take_all(&shared, 20).await);
    assert!(more.first() > Some(&number));
}

#[test]
fn without_a_runtime_it_is_an_error_and_what_is_reserved_is_handed_out() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_test, shared) = runtime.block_on(async {
        let test = TestDb::new().await;
        let shared = SharedSequence::builder(tickets(&test)).block_size(1).build();
        assert_eq!(shared.next_value().await.unwrap(), 1);
        (test, shared)
    });
    let now = || {
        let mut context = Context::from_waker(Waker::noop());
        Pin::new(&mut shared.next_value()).poll(&mut context)
    };
    assert!(matches!(now(), Poll::Ready(Ok(2))));
    match now() {
        Poll::Ready(Err(error)) => assert!(matches!(error.kind(), ErrorKind::ShutDown), "{error}"),
        other => panic!("{other:?}"),
    }
}
