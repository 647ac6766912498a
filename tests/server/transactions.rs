//! Sessions and transactions of the caller's.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use mongo_sequence::{AutoIncrement, Error, ErrorKind, Sequence};
use mongodb::{
    Collection,
    bson::{Document, doc},
    error::TRANSIENT_TRANSACTION_ERROR,
};

use crate::{
    models::{Invoice, Order, Page, invoice, order},
    support::TestDb,
};

/// Makes the first run of a transaction fail at this command, after its number was taken.
async fn fail_once(test: &TestDb, command: &str) {
    let how = doc! { "errorCode": 112, "errorLabels": [TRANSIENT_TRANSACTION_ERROR] };
    test.fail(&[command], doc! { "times": 1 }, how).await;
}

#[tokio::test]
async fn a_closure_that_runs_twice_takes_a_fresh_number_each_time() {
    let test = TestDb::with_faults().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let notes = test.db.collection::<Document>("notes");
    notes.insert_one(doc! { "_id": 1 }).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    for (gapless, seen) in [(false, [1, 2]), (true, [3, 3])] {
        fail_once(&test, "update").await;
        let numbers = Arc::new(Mutex::new(Vec::new()));
        let mut order = order();
        let counted = numbers.clone();
        session
            .start_transaction()
            .and_run2(async |session| {
                let insert = order.insert_with_seq(&orders).session(&mut *session);
                if gapless { insert.gapless() } else { insert }.await?;
                counted.lock().unwrap().push(order.id);
                notes.update_one(doc! { "_id": 1 }, doc! { "$inc": { "n": 1 } }).session(session).await?;
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!(*numbers.lock().unwrap(), seen);
    }
    assert_eq!(test.ids().await, BTreeSet::from([2, 3]));
}

#[tokio::test]
async fn gapless_needs_a_transaction_in_progress() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut session = test.client.start_session().await.unwrap();
    let mut refused = order();
    let error = refused.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoTransaction), "{error:?}");
    assert!(error.to_string().contains("start_transaction()"), "{error}");
    let error = Sequence::new(&test.db, "tickets").start(1).next_value().session(&mut session).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoTransaction), "{error:?}");
    assert_eq!(refused, order());
    assert!(test.db.list_collection_names().await.unwrap().is_empty());
    // The session can be used as before.
    session.start_transaction().await.unwrap();
    refused.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    session.commit_transaction().await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1]));
}

#[tokio::test]
async fn sessions_that_cannot_have_this_transaction_are_refused_and_nothing_is_written() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut snapshot = test.client.start_session().snapshot(true).await.unwrap();
    let error = order().insert_with_seq(&orders).session(&mut snapshot).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoTransaction), "{error:?}");
    let (other, _) = test.another_client();
    let mut foreign = other.start_session().await.unwrap();
    foreign.start_transaction().await.unwrap();
    let error = order().insert_with_seq(&orders).session(&mut foreign).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Driver), "{error:?}");
    foreign.commit_transaction().await.unwrap();
    assert!(test.ids().await.is_empty());
    let before_the_first = test.value("orders._id").await;
    assert_eq!(before_the_first, Some(0)); // the counter was looked for, and made, outside
}

#[tokio::test]
async fn a_session_without_a_transaction_is_fine_with_the_counter_outside() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut session = test.client.start_session().await.unwrap();
    order().insert_with_seq(&orders).session(&mut session).await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1]));
}

#[tokio::test]
async fn a_rollback_gives_numbers_back() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    assert_eq!(tickets.next_value().session(&mut session).await.unwrap(), 1);
    let reserved = tickets.reserve(3).session(&mut session).await.unwrap();
    assert_eq!(reserved.collect::<Vec<_>>(), [2, 3, 4]);
    session.abort_transaction().await.unwrap();
    assert_eq!(tickets.next_value().await.unwrap(), 1);
}

/// What cannot be serialized at all, and what MongoDB would refuse.
#[derive(serde::Serialize, AutoIncrement)]
struct Blob {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
    #[serde(serialize_with = "unless_broken")]
    content: String,
}

fn unless_broken<S: serde::Serializer>(content: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if content.is_empty() {
        return Err(serde::ser::Error::custom("this blob is broken"));
    }
    serializer.serialize_str(content)
}

#[tokio::test]
async fn failures_of_the_client_leave_no_hole_in_a_transaction_that_is_committed() {
    let test = TestDb::new().await;
    let blobs: Collection<Blob> = test.db.collection("blobs");
    let mut session = test.client.start_session().await.unwrap();
    Blob { id: 0, content: "x".to_owned() }.insert_with_seq(&blobs).gapless().await.unwrap();
    session.start_transaction().await.unwrap();

    let mut broken = Blob { id: 7, content: String::new() };
    let error = broken.insert_with_seq(&blobs).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Serialization { .. }), "{error:?}");
    assert!(error.to_string().contains("this blob is broken"), "{error}");

    let mut large = Blob { id: 7, content: "x".repeat(17 * 1024 * 1024) };
    let error = large.insert_with_seq(&blobs).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::DocumentTooLarge { limit: 16_777_216, .. }), "{error:?}");

    session.commit_transaction().await.unwrap();
    assert_eq!((broken.id, large.id), (7, 7));
    assert_eq!(test.value("blobs._id").await, Some(1));
    // The same for every other way to insert.
    for model in [&mut broken, &mut large] {
        model.insert_with_seq(&blobs).await.unwrap_err();
        model.insert_with_seq(&blobs).gapless().await.unwrap_err();
        assert_eq!(model.id, 7);
    }
    assert_eq!(test.value("blobs._id").await, Some(1));
}

#[tokio::test]
async fn a_failure_behind_the_counter_makes_the_commit_fail() {
    let test = TestDb::new().await;
    let pages: Collection<Page> = test.db.collection("pages");
    test.set_counter("pages.id", 4_i64).await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut page = Page { id: 0 };
    let error = page.insert_with_seq(&pages).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Serialization { .. }), "{error:?}");
    session.commit_transaction().await.unwrap_err();
    assert_eq!((page.id, test.value("pages.id").await), (0, Some(4)));
}

#[tokio::test]
async fn a_second_counter_that_refuses_takes_the_first_one_back() {
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    test.set_counter("invoices._id", 1000_i64).await;
    test.set_counter("invoices.serialNumber", i64::from(u32::MAX)).await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let error = invoice().insert_with_seq(&invoices).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { .. }), "{error:?}");
    session.commit_transaction().await.unwrap_err();
    assert_eq!(test.value("invoices._id").await, Some(1000));
}

#[tokio::test]
async fn an_error_of_our_own_ends_the_transaction_and_comes_back_whole() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    test.set_counter("orders._id", "five").await;
    let mut session = test.client.start_session().await.unwrap();
    let mut runs = 0;
    let error = session
        .start_transaction()
        .and_run2(async |session| {
            runs += 1;
            order().insert_with_seq(&orders).session(session).gapless().await?;
            Ok(())
        })
        .await
        .unwrap_err();
    let error = Error::from(error);
    assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
    assert_eq!(runs, 1);
}

#[tokio::test]
async fn after_a_conflict_nothing_more_is_sent_in_the_callers_session() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    let mut first = test.client.start_session().await.unwrap();
    let mut second = test.client.start_session().await.unwrap();
    first.start_transaction().await.unwrap();
    second.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut first).gapless().await.unwrap();
    test.sent.clear();
    order().insert_with_seq(&orders).session(&mut second).gapless().await.unwrap_err();
    assert_eq!(test.sent.names(), ["find", "findAndModify"]); // the look outside, the one attempt inside
}

#[tokio::test]
async fn numbers_taken_outside_may_be_stored_in_another_order() {
    let test = TestDb::new().await;
    test.db.create_collection("orders").await.unwrap(); // two transactions that create it would conflict
    let orders: Collection<Order> = test.db.collection("orders");
    let mut first = test.client.start_session().await.unwrap();
    let mut second = test.client.start_session().await.unwrap();
    first.start_transaction().await.unwrap();
    second.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut first).await.unwrap();
    order().insert_with_seq(&orders).session(&mut second).await.unwrap();
    second.commit_transaction().await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([2]));
    first.commit_transaction().await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1, 2]));
}

/// A holds X and asks for Y, B holds Y and asks for X. Neither waits for the other: one of them is told at once.
#[tokio::test]
async fn two_transactions_that_hold_what_the_other_wants_do_not_wait() {
    let test = TestDb::new().await;
    let (x, y) = (Sequence::new(&test.db, "x").start(1), Sequence::new(&test.db, "y").start(1));
    for sequence in [&x, &y] {
        sequence.next_value().await.unwrap();
    }
    let (mut a, mut b) = (test.client.start_session().await.unwrap(), test.client.start_session().await.unwrap());
    a.start_transaction().await.unwrap();
    b.start_transaction().await.unwrap();
    assert_eq!(x.next_value().session(&mut a).await.unwrap(), 2);
    assert_eq!(y.next_value().session(&mut b).await.unwrap(), 2);
    let error = y.next_value().session(&mut a).await.unwrap_err();
    assert!(error.contains_label(TRANSIENT_TRANSACTION_ERROR), "{error:?}");
    a.abort_transaction().await.unwrap();
    assert_eq!(x.next_value().session(&mut b).await.unwrap(), 2);
    b.commit_transaction().await.unwrap();
    assert_eq!((test.value("x").await, test.value("y").await), (Some(2), Some(2)));
}
