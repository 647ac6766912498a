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
