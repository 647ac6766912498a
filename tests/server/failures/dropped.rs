//! Calls that are dropped before they are done.

use std::{collections::BTreeSet, future::IntoFuture};

use futures_util::poll;
use mongo_sequence::{AutoIncrement, Sequence};
use mongodb::{Collection, bson::doc};

use super::orders;
use crate::{
    models::{Page, order},
    support::TestDb,
};

/// Dropped while the counter command of its transaction is on its way. Left to the driver, that locks the counter for
/// a minute.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_gapless_call_ends_its_transaction() {
    let (test, orders) = orders().await;
    let slow = doc! { "blockConnection": true, "blockTimeMS": 200 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, slow).await;
    let mut dropped = order();
    {
        let mut call = Box::pin(dropped.insert_with_seq(&orders).gapless().into_future());
        assert!(poll!(call.as_mut()).is_pending());
        test.sent.until("findAndModify", 1).await;
    }
    test.sent.until("abortTransaction", 1).await;
    for expected in 2..=3 {
        let mut next = order();
        next.insert_with_seq(&orders).gapless().await.unwrap();
        assert_eq!(next.id, expected);
    }
    assert_eq!(dropped, order());
    assert_eq!(test.ids().await, BTreeSet::from([1, 2, 3]));
}

/// Dropped while the commit is on its way: carried to its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_dropped_at_its_commit_is_stored() {
    let (test, orders) = orders().await;
    let slow = doc! { "blockConnection": true, "blockTimeMS": 200 };
    test.fail(&["commitTransaction"], doc! { "times": 1 }, slow).await;
    {
        let mut dropped = order();
        let mut call = Box::pin(dropped.insert_with_seq(&orders).gapless().into_future());
        tokio::select! {
            () = test.sent.until("commitTransaction", 1) => {}
            done = call.as_mut() => panic!("{done:?}"),
        }
    }
    let mut next = order();
    next.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!((next.id, test.ids().await), (3, BTreeSet::from([1, 2, 3])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_whose_document_was_still_to_be_made_frees_the_counter() {
    let test = TestDb::with_faults().await;
    let pages: Collection<Page> = test.db.collection("pages");
    Page { id: 0 }.insert_with_seq(&pages).await.unwrap();
    test.sent.clear();
    let slow = doc! { "blockConnection": true, "blockTimeMS": 200 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, slow).await;
    {
        let mut dropped = Page { id: 0 };
        let mut call = Box::pin(dropped.insert_with_seq(&pages).gapless().into_future());
        assert!(poll!(call.as_mut()).is_pending());
        test.sent.until("findAndModify", 1).await;
    }
    test.sent.until("abortTransaction", 1).await;
    let mut next = Page { id: 0 };
    next.insert_with_seq(&pages).gapless().await.unwrap();
    assert_eq!(next.id, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_plain_call_leaves_a_gap_at_most() {
    let (test, orders) = orders().await;
    let slow = doc! { "blockConnection": true, "blockTimeMS": 200 };
    test.fail(&["findAndModify"], doc! { "times": 1 }, slow).await;
    {
        let mut dropped = order();
        let mut call = Box::pin(dropped.insert_with_seq(&orders).into_future());
        assert!(poll!(call.as_mut()).is_pending());
        tokio::select! {
            () = test.sent.until("findAndModify", 1) => {}
            done = call.as_mut() => panic!("{done:?}"),
        }
    }
    let mut next = order();
    next.insert_with_seq(&orders).await.unwrap();
    assert!((2..=3).contains(&next.id), "{}", next.id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_dropped_calls_make_no_duplicate() {
    let test = TestDb::with_faults().await;
    let sequence = Sequence::new(&test.db, "tickets").start(1);
    let mut told = BTreeSet::new();
    for round in 0..1000_u32 {
        let mut call = Box::pin(sequence.next_value().into_future());
        for _ in 0..round % 7 {
            if poll!(call.as_mut()).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(call);
        if round % 50 == 0 {
            assert!(told.insert(sequence.next_value().await.unwrap()), "told twice");
        }
    }
    let last = sequence.next_value().await.unwrap();
    assert!(told.iter().all(|number| *number < last));
}
