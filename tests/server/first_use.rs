//! The first number of a counter, inside a transaction of the caller's.

use std::collections::BTreeSet;

use mongo_sequence::AutoIncrement;
use mongodb::{
    Collection,
    bson::{Document, doc},
    error::TRANSIENT_TRANSACTION_ERROR,
};

use crate::{
    models::{Order, order},
    support::TestDb,
};

/// Whether the counter collection was there before makes a difference to the server.
async fn with_counters(existing: bool) -> TestDb {
    let test = TestDb::new().await;
    if existing {
        test.set_counter("another", 1_i64).await;
    }
    test
}

#[tokio::test]
async fn without_and_run_the_first_number_is_1() {
    for existing in [false, true] {
        let test = with_counters(existing).await;
        let orders: Collection<Order> = test.db.collection("orders");
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let mut order = order();
        order.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
        session.commit_transaction().await.unwrap();
        assert_eq!(order.id, 1, "counters existing: {existing}");
        assert_eq!(test.value("orders._id").await, Some(1));
    }
}

#[tokio::test]
async fn after_an_earlier_read_there_is_exactly_one_transient_error() {
    for existing in [false, true] {
        let test = with_counters(existing).await;
        let orders: Collection<Order> = test.db.collection("orders");
        let notes = test.db.collection::<Document>("notes");
        notes.insert_one(doc! { "_id": 1 }).await.unwrap();
        let mut session = test.client.start_session().await.unwrap();
        let mut order = order();
        let mut errors = Vec::new();
        session
            .start_transaction()
            .and_run2(async |session| {
                notes.find_one(doc! {}).session(&mut *session).await?;
                let inserted = order.insert_with_seq(&orders).session(session).gapless().await;
                if let Err(error) = &inserted {
                    errors.push(error.contains_label(TRANSIENT_TRANSACTION_ERROR));
                }
                inserted?;
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!(errors, [true], "counters existing: {existing}");
        assert_eq!(order.id, 1);
        assert_eq!(test.ids().await, BTreeSet::from([1]));
        assert_eq!(test.value("orders._id").await, Some(1));
    }
}

#[tokio::test]
async fn existing_documents_are_continued_from_inside_a_transaction_too() {
    let test = TestDb::new().await;
    test.import("_id", 1..=279).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut order = order();
    order.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    session.commit_transaction().await.unwrap();
    assert_eq!(order.id, 280);
}

/// The counter goes, or all of them, after the transaction has begun to see one moment: an error that asks for another run,
/// and the next transaction goes on behind the data.
#[tokio::test]
async fn a_counter_that_goes_after_the_snapshot_ends_the_transaction() {
    for all in [false, true] {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        for _ in 0..3 {
            order().insert_with_seq(&orders).await.unwrap();
        }
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        orders.find_one(doc! {}).session(&mut session).await.unwrap();
        if all {
            test.counters().drop().await.unwrap();
        } else {
            test.counters().delete_one(doc! { "_id": "orders._id" }).await.unwrap();
        }
        let mut late = order();
        let error = late.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err();
        assert!(error.contains_label(TRANSIENT_TRANSACTION_ERROR), "all: {all}, {error:?}");
        assert_eq!(late.id, 0);
        let _ended = session.abort_transaction().await;
        session.start_transaction().await.unwrap();
        late.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
        session.commit_transaction().await.unwrap();
        assert_eq!((late.id, test.value("orders._id").await), (4, Some(4)));
    }
}

/// A counter that is lost while documents with its numbers are in an open transaction, which nobody can see: the numbers are
/// taken again, and no two documents with one of them are stored.
#[tokio::test]
async fn a_counter_that_is_lost_under_an_open_transaction_makes_no_duplicate() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut unseen = order();
    unseen.insert_with_seq(&orders).session(&mut session).await.unwrap();
    test.counters().drop().await.unwrap();
    test.sent.clear();
    let racing = tokio::spawn({
        let orders = orders.clone();
        async move {
            let mut racing = order();
            racing.insert_with_seq(&orders).await.unwrap();
            racing.id
        }
    });
    test.sent.until("insert", 1).await; // of 2, which waits for the transaction
    session.commit_transaction().await.unwrap();
    assert_eq!((unseen.id, racing.await.unwrap()), (2, 3));
    assert_eq!((test.ids().await, test.value("orders._id").await), ([1, 2, 3].into(), Some(3)));
}
