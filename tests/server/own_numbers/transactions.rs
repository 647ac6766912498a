//! Numbers of ones own in transactions, of the caller's or of the library's.

use std::time::Duration;

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{Collection, bson::doc};
use serde::Serialize;

use super::{Item, item, items};
use crate::support::TestDb;

/// A gapless call raises in its transaction, so that it cannot wait for itself.
#[tokio::test]
async fn in_a_transaction_a_number_of_ones_own_raises_with_it() {
    let (test, items) = items().await;
    let mut session = test.client.start_session().await.unwrap();
    for commit in [false, true] {
        session.start_transaction().await.unwrap();
        let (mut first, mut own, mut last) = (item(None), item(500), item(None));
        for item in [&mut first, &mut own, &mut last] {
            item.insert_with_seq(&items).session(&mut session).gapless().await.unwrap();
        }
        assert_eq!((first.id, own.id, last.id), (Some(1), Some(500), Some(501)));
        if commit {
            session.commit_transaction().await.unwrap();
        } else {
            session.abort_transaction().await.unwrap();
        }
    }
    assert_eq!(test.value("orders._id").await, Some(501));
    let mut owned = item(600);
    owned.insert_with_seq(&items).gapless().await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(600));
}

/// With the counter outside, the caller's transaction may still be rolled back.
#[tokio::test]
async fn with_the_counter_outside_it_is_raised_outside() {
    let (test, items) = items().await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    item(500).insert_with_seq(&items).session(&mut session).await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(500));
    session.abort_transaction().await.unwrap();
    let mut next = item(None);
    next.insert_with_seq(&items).await.unwrap();
    assert_eq!(next.id, Some(501), "a gap, as always outside");
}

/// What the first run has put into the field counts as brought along by the second, unless the closure makes the model.
#[tokio::test]
async fn a_closure_that_runs_again_makes_its_model_or_keeps_the_number() {
    for (fresh, expected) in [(false, 1), (true, 2)] {
        let test = TestDb::with_faults().await;
        let items: Collection<Item> = test.db.collection("orders");
        let mut session = test.client.start_session().await.unwrap();
        let mut kept = item(None);
        let mut runs = 0;
        session
            .start_transaction()
            .and_run2(async |session| {
                runs += 1;
                if fresh {
                    kept = item(None);
                }
                kept.insert_with_seq(&items).session(&mut *session).await?;
                if runs == 1 {
                    test.fail(
                        &["find"],
                        doc! { "times": 1 },
                        doc! { "errorCode": 251, "errorLabels": ["TransientTransactionError"] },
                    )
                    .await;
                }
                items.find_one(doc! {}).session(session).await?;
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!((runs, kept.id, test.ids().await), (2, Some(expected), [expected].into()));
    }
}

/// A counter that the transaction cannot see is not passed over: running it again sees it.
#[tokio::test]
async fn a_counter_that_is_invisible_in_the_transaction_is_raised_in_the_next_run() {
    let (test, items) = items().await;
    test.db.create_collection("orders").await.unwrap();
    test.counters().insert_one(doc! { "_id": "other", "seq": 1_i64 }).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    let mut runs = 0;
    session
        .start_transaction()
        .and_run2(async |session| {
            runs += 1;
            items.find_one(doc! {}).session(&mut *session).await?; // from here on nothing new is seen
            item(3).insert_with_seq(&items).session(session).gapless().await?;
            Ok(())
        })
        .await
        .unwrap();
    let mut next = item(None);
    next.insert_with_seq(&items).await.unwrap();
    assert_eq!((runs, next.id), (2, Some(4)));
}

/// In the library's transaction too, whoever creates the counter meanwhile.
#[tokio::test]
async fn the_librarys_transaction_raises_a_counter_that_is_missing_or_is_none() {
    let (test, items) = items().await;
    item(3).insert_with_seq(&items).gapless().await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(3));

    test.set_counter("orders._id", "no number").await;
    let error = item(500).insert_with_seq(&items).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
    assert_eq!(test.ids().await, [3].into(), "and nothing is stored");
}

/// What is committed is stored, whatever becomes of the counter of another field.
#[tokio::test]
async fn a_counter_that_is_not_raised_in_time_does_not_make_a_commit_unknown() {
    #[derive(Serialize, AutoIncrement)]
    struct Invoice {
        #[serde(rename = "_id")]
        #[auto_increment(gapless)]
        id: i64,
        #[auto_increment(by_default)]
        ledger: Option<i64>,
    }
    let test = TestDb::with_faults().await;
    let invoices: Collection<Invoice> = test.db.collection("orders");
    Invoice { id: 0, ledger: None }.insert_with_seq(&invoices).await.unwrap();
    let six_seconds = doc! { "blockConnection": true, "blockTimeMS": 6_000 };
    test.fail(&["findAndModify"], doc! { "skip": 1 }, six_seconds).await;
    let mut invoice = Invoice { id: 0, ledger: Some(500) };
    let error = invoice.insert_with_seq(&invoices).time_limit(Duration::from_millis(10)).await.unwrap_err();
    test.fail(&["findAndModify"], "off", doc! {}).await;
    assert!(matches!(error.kind(), ErrorKind::NotRaised { number: 500, .. }), "{error:?}");
    assert_eq!((invoice.id, test.ids().await), (2, [1, 2].into()));
}
