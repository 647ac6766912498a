//! Faults of the network and the server, injected by fail points, and callers that go away.

mod dropped;

use std::{collections::BTreeSet, time::Duration};

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence};
use mongodb::{
    Collection,
    bson::{Bson, doc},
    error::{TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT},
};

use crate::{
    models::{Order, order},
    support::{TestDb, code},
};

async fn orders() -> (TestDb, Collection<Order>) {
    let test = TestDb::with_faults().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    test.sent.clear();
    (test, orders)
}

/// Outside a transaction a conflict at the counter is repeated: nothing was carried out. In the caller's it is not.
#[tokio::test]
async fn a_conflict_at_the_counter_is_nobodys_error_outside_transactions() {
    let (test, orders) = orders().await;
    let sequence = Order::sequence(&orders, "id").unwrap();
    let conflict = doc! { "errorCode": 112 };
    test.fail(&["findAndModify"], doc! { "times": 3 }, conflict.clone()).await;
    let mut model = order();
    model.insert_with_seq(&orders).await.unwrap();
    assert_eq!(model.id, 2);
    assert_eq!(test.sent.names(), ["findAndModify", "findAndModify", "findAndModify", "findAndModify", "insert"]);
    test.fail(&["findAndModify"], doc! { "times": 2 }, conflict.clone()).await;
    assert_eq!(sequence.raise_to(10).await.unwrap(), 10);
    test.fail(&["findAndModify"], doc! { "times": 2 }, conflict.clone()).await;
    sequence.restart(5).await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(4));
    test.fail(&["findAndModify"], "alwaysOn", conflict).await;
    let error = sequence.next_value().await.unwrap_err();
    assert_eq!(code(&error), Some(112), "{error:?}");
    test.fail(&["findAndModify"], "off", doc! {}).await;
}

/// Two who create a counter at once: where the server does not repeat the upsert of the second, that one has lost nothing.
#[tokio::test]
async fn a_counter_that_another_has_created_first_is_nobodys_error() {
    let test = TestDb::with_faults().await;
    let details = doc! { "keyPattern": { "_id": 1 }, "keyValue": { "_id": "tickets" } };
    let duplicate = doc! { "errorCode": 11000, "errorExtraInfo": details };
    test.fail(&["findAndModify"], doc! { "times": 1 }, duplicate).await;
    Sequence::new(&test.db, "tickets").start(1).restart(5).await.unwrap();
    assert_eq!(test.value("tickets").await, Some(4));
    // it is looked for, and here it has to be created again
    assert_eq!(test.sent.named("findAndModify").len(), 3);
}

#[tokio::test]
async fn an_increment_that_is_not_confirmed_burns_its_number() {
    let (test, orders) = orders().await;
    for write_concern_code in [64, 91, 100] {
        let before = test.value("orders._id").await.unwrap();
        let unconfirmed = doc! { "writeConcernError": { "code": write_concern_code, "errmsg": "injected" } };
        let labels = doc! { "errorLabels": [] };
        test.fail(&["findAndModify"], doc! { "times": 1 }, unconfirmed.into_iter().chain(labels).collect()).await;
        let mut model = order();
        let error = model.insert_with_seq(&orders).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unconfirmed { .. }), "{error:?}");
        assert_eq!((error.number(), model.id), (Some(before + 1), 0));
        model.insert_with_seq(&orders).await.unwrap();
        assert_eq!(model.id, before + 2);
    }
}

/// What is no Int64 is moved by the second command; the first one has none to burn.
#[tokio::test]
async fn of_the_two_commands_for_another_type_the_second_alone_burns_a_number() {
    for found in [Bson::Int32(41), Bson::Double(41.0)] {
        let (test, orders) = orders().await;
        test.set_counter("orders._id", found.clone()).await;
        let unconfirmed = || doc! { "writeConcernError": { "code": 64, "errmsg": "injected" }, "errorLabels": [] };
        test.fail(&["findAndModify"], doc! { "times": 1 }, unconfirmed()).await;
        let error = order().insert_with_seq(&orders).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Driver), "{found:?}: {error:?}");
        assert_eq!(error.number(), None, "{found:?}");
        assert_eq!(test.counter("orders._id").await.unwrap().get("seq"), Some(&found));

        test.fail(&["findAndModify"], doc! { "skip": 1 }, unconfirmed()).await;
        let error = order().insert_with_seq(&orders).await.unwrap_err();
        test.fail(&["findAndModify"], "off", doc! {}).await;
        assert!(matches!(error.kind(), ErrorKind::Unconfirmed { .. }), "{found:?}: {error:?}");
        assert_eq!(error.number(), Some(42), "{found:?}");
        let mut model = order();
        model.insert_with_seq(&orders).await.unwrap();
        assert_eq!(model.id, 43, "{found:?}");
    }
}

#[tokio::test]
async fn a_lost_connection_is_survived_once_and_reported_then() {
    let (test, orders) = orders().await;
    test.fail(&["findAndModify"], doc! { "times": 1 }, doc! { "closeConnection": true }).await;
    let mut model = order();
    model.insert_with_seq(&orders).await.unwrap();
    assert_eq!(model.id, 2);
    test.fail(&["findAndModify"], doc! { "times": 2 }, doc! { "closeConnection": true }).await;
    let error = model.insert_with_seq(&orders).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Driver), "{error:?}");
    assert_eq!((model.id, test.value("orders._id").await), (2, Some(2)));
}

/// Nobody knows whether the document is stored: it is not sent again under another number, and the error tells which it has.
#[tokio::test]
async fn an_insert_whose_reply_is_lost_keeps_its_number() {
    let (test, orders) = orders().await;
    test.fail(&["insert"], doc! { "times": 2 }, doc! { "closeConnection": true }).await;
    let mut model = order();
    let error = model.insert_with_seq(&orders).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Driver), "{error:?}");
    assert_eq!((error.number(), model.id), (Some(2), 0));
    let sent = test.sent.named("insert");
    let ids: Vec<_> =
        sent.iter().map(|sent| sent.get_array("documents").unwrap()[0].as_document().unwrap().get_i64("_id")).collect();
    assert!(ids.len() == 2 && ids.iter().all(|id| id.as_ref().is_ok_and(|id| *id == 2)), "{ids:?}");
    model.insert_with_seq(&orders).await.unwrap();
    assert_eq!(model.id, 3);
}

#[tokio::test]
async fn a_failed_plain_insert_burns_its_number_and_says_which() {
    let (test, orders) = orders().await;
    test.fail(&["insert"], doc! { "times": 1 }, doc! { "errorCode": 8000 }).await;
    let error = order().insert_with_seq(&orders).await.unwrap_err();
    assert_eq!((code(&error), error.number()), (Some(8000), Some(2)));
    order().insert_with_seq(&orders).await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1, 3]));
}

#[tokio::test]
async fn a_failed_gapless_insert_leaves_no_gap() {
    let (test, orders) = orders().await;
    test.fail(&["insert"], doc! { "times": 1 }, doc! { "errorCode": 8000 }).await;
    let error = order().insert_with_seq(&orders).gapless().await.unwrap_err();
    assert_eq!((code(&error), error.number()), (Some(8000), None));
    order().insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1, 2]));
}

#[tokio::test]
async fn the_librarys_transaction_is_repeated_whole_after_a_transient_error() {
    for command in ["findAndModify", "insert", "commitTransaction"] {
        let (test, orders) = orders().await;
        let transient = doc! { "errorCode": 251, "errorLabels": [TRANSIENT_TRANSACTION_ERROR] };
        test.fail(&[command], doc! { "times": 3 }, transient).await;
        let mut model = order();
        model.insert_with_seq(&orders).gapless().await.unwrap();
        assert_eq!(model.id, 2, "{command}");
        assert_eq!(test.sent.named("findAndModify").len(), 4, "{command}");
        assert_eq!(test.ids().await, BTreeSet::from([1, 2]));
    }
}

#[tokio::test]
async fn a_connection_lost_at_any_command_of_the_librarys_transaction_is_survived() {
    for command in ["findAndModify", "insert", "commitTransaction", "abortTransaction"] {
        let (test, orders) = orders().await;
        if command == "abortTransaction" {
            let transient = doc! { "errorCode": 251, "errorLabels": [TRANSIENT_TRANSACTION_ERROR] };
            test.fail(&["insert"], doc! { "times": 1 }, transient).await;
        }
        test.fail(&[command], doc! { "times": 1 }, doc! { "closeConnection": true }).await;
        for expected in 2..=3 {
            let mut model = order();
            model.insert_with_seq(&orders).gapless().await.unwrap();
            assert_eq!(model.id, expected, "{command}");
        }
        assert_eq!(test.ids().await, BTreeSet::from([1, 2, 3]), "{command}");
    }
}

#[tokio::test]
async fn an_unknown_commit_repeats_the_commit_only() {
    let (test, orders) = orders().await;
    let unknown = doc! { "writeConcernError": { "code": 64, "errmsg": "injected" } };
    test.fail(&["commitTransaction"], doc! { "times": 3 }, unknown).await;
    let mut model = order();
    model.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(model.id, 2);
    assert_eq!(test.sent.named("insert").len(), 1);
    assert_eq!(test.sent.named("commitTransaction").len(), 4);
}

#[tokio::test]
async fn a_commit_that_stays_unknown_carries_the_number() {
    let (test, orders) = orders().await;
    let unknown = doc! { "writeConcernError": { "code": 64, "errmsg": "injected" } };
    test.fail(&["commitTransaction"], "alwaysOn", unknown).await;
    let limit = Duration::from_millis(300);
    let mut model = order();
    let error = model.insert_with_seq(&orders).gapless().time_limit(limit).await.unwrap_err();
    test.fail(&["commitTransaction"], "off", doc! {}).await;
    assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
    assert_eq!((error.number(), model.id), (Some(2), 0));
    assert!(!error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT));
    assert_eq!(test.ids().await, BTreeSet::from([1, 2])); // it was stored
}

/// Codes that get no label: the commit was carried out all the same.
#[tokio::test]
async fn a_commit_that_is_carried_out_but_not_confirmed_is_no_ordinary_failure() {
    let (test, orders) = orders().await;
    let unconfirmed = doc! { "writeConcernError": { "code": 79, "errmsg": "injected" } };
    test.fail(&["commitTransaction"], doc! { "times": 1 }, unconfirmed).await;
    let error = order().insert_with_seq(&orders).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
    assert_eq!(error.number(), Some(2));
    assert_eq!(test.ids().await, BTreeSet::from([1, 2]));
}

/// An answer that came before the server looked at the transaction has not aborted it.
#[tokio::test]
async fn a_refused_insert_makes_the_commit_fail_whatever_refused_it() {
    for refusal in [13, 8000] {
        let (test, orders) = orders().await;
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        test.fail(&["insert"], doc! { "times": 1 }, doc! { "errorCode": refusal }).await;
        let error = order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err();
        assert_eq!(code(&error), Some(refusal));
        session.commit_transaction().await.unwrap_err();
        assert_eq!(test.value("orders._id").await, Some(1), "{refusal}");
    }
}

#[tokio::test]
async fn after_the_deadline_no_label_asks_for_another_run() {
    let (test, orders) = orders().await;
    let conflict = doc! { "errorCode": 112, "errorLabels": [TRANSIENT_TRANSACTION_ERROR] };
    test.fail(&["findAndModify"], "alwaysOn", conflict).await;
    let limit = Duration::from_millis(300);
    let error = order().insert_with_seq(&orders).gapless().time_limit(limit).await.unwrap_err();
    test.fail(&["findAndModify"], "off", doc! {}).await;
    match error.kind() {
        ErrorKind::Deadline { limit: stated, .. } => assert_eq!(*stated, limit),
        other => panic!("{other:?}"),
    }
    assert!(std::error::Error::source(&error).is_some(), "the last conflict is behind it");
    assert!(!error.contains_label(TRANSIENT_TRANSACTION_ERROR));
    assert!(!mongodb::error::Error::from(error).contains_label(TRANSIENT_TRANSACTION_ERROR));
}

#[tokio::test]
async fn a_plain_call_behind_the_callers_own_transaction_gives_up_in_time() {
    let (test, orders) = orders().await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    let limit = Duration::from_millis(300);
    let error = order().insert_with_seq(&orders).time_limit(limit).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterHeld { .. }), "{error:?}");
    assert_eq!(error.number(), None);
    session.commit_transaction().await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(2));
}

#[tokio::test]
async fn a_gapless_call_behind_the_callers_own_transaction_is_told_so() {
    let (test, orders) = orders().await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    let error = order().insert_with_seq(&orders).gapless().await.unwrap_err();
    match error.kind() {
        ErrorKind::CounterHeld { sequence, waited, .. } => {
            assert_eq!(sequence, "orders._id");
            assert!(*waited >= Duration::from_secs(10));
        }
        other => panic!("{other:?}"),
    }
    session.commit_transaction().await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1, 2]));
}

/// An index of the user's own may refuse counters; that is not another who was first.
#[tokio::test]
async fn a_counter_that_an_index_refuses_is_told_at_once() {
    let (test, orders) = orders().await;
    let unique = mongodb::options::IndexOptions::builder().unique(true).build();
    let index = mongodb::IndexModel::builder().keys(doc! { "owner": 1 }).options(unique).build();
    test.counters().create_index(index).await.unwrap();
    test.counters().delete_one(doc! { "_id": "orders._id" }).await.unwrap();
    test.set_counter("theirs", 5_i64).await;
    test.sent.clear();
    for gapless in [false, true] {
        let mut order = order();
        let insert = order.insert_with_seq(&orders);
        let error = if gapless { insert.gapless().await } else { insert.await }.unwrap_err();
        assert!(error.to_string().contains("owner_1"), "{error}");
    }
    assert!(test.sent.names().len() < 20, "{:?}", test.sent.names());
    assert_eq!(test.numbers("orders", "_id").await.len(), 1);
}
