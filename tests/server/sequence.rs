//! `Sequence`, with and without a model.

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence};
use mongodb::{
    Collection,
    bson::{Bson, doc, oid::ObjectId},
};

use crate::{
    models::{Invoice, Order, invoice, order},
    support::TestDb,
};

#[tokio::test]
async fn numbers_one_by_one_and_in_blocks() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(1000).step(10);
    assert_eq!(tickets.current_value().await.unwrap(), None);
    assert_eq!(tickets.next_value().await.unwrap(), 1000);
    let reserved = tickets.reserve(3).await.unwrap();
    assert_eq!((reserved.len(), reserved.collect::<Vec<_>>()), (3, vec![1010, 1020, 1030]));
    assert_eq!(tickets.reserve(0).await.unwrap().next(), None);
    assert_eq!(tickets.current_value().await.unwrap(), Some(1030));
}

#[tokio::test]
async fn a_reservation_beyond_the_limit_takes_nothing_and_tells_what_is_left() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(950).max(1000);
    for (n, left) in [(64, 51), (u64::MAX, 51)] {
        match tickets.reserve(n).await.unwrap_err().kind() {
            ErrorKind::Exhausted { value: 949, limit: 1000, remaining, .. } => assert_eq!(*remaining, left),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(tickets.reserve(51).await.unwrap().last(), Some(1000));
    let error = tickets.next_value().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { remaining: 0, .. }), "{error:?}");
}

#[tokio::test]
async fn numbers_downwards_stop_at_the_minimum() {
    let test = TestDb::new().await;
    let countdown = Sequence::new(&test.db, "countdown").start(2).step(-1).min(0);
    assert_eq!(countdown.reserve(3).await.unwrap().collect::<Vec<_>>(), [2, 1, 0]);
    let error = countdown.next_value().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { limit: 0, .. }), "{error:?}");
}

#[tokio::test]
async fn a_bare_name_without_a_counter_is_an_error_and_creates_nothing() {
    let test = TestDb::new().await;
    let unknown = Sequence::new(&test.db, "order._id"); // a slip of the pen
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let errors = [
        unknown.next_value().await.unwrap_err(),
        unknown.next_value().session(&mut session).await.unwrap_err(),
        unknown.reserve(5).await.map(drop).unwrap_err(),
        unknown.raise_to(5).await.unwrap_err(),
        unknown.restart(5).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
        assert!(error.to_string().contains("`.start(n)`"), "{error}");
    }
    assert_eq!(unknown.current_value().await.unwrap(), None);
    assert_eq!(test.counters().count_documents(doc! {}).await.unwrap(), 0);
}

#[tokio::test]
async fn raising_never_lowers_and_keeps_to_the_grid() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(100).step(10);
    let before = tickets.current_value().await.unwrap();
    assert_eq!(tickets.raise_to(155).dry_run().await.unwrap(), 150);
    assert_eq!(tickets.current_value().await.unwrap(), before);
    assert_eq!(tickets.raise_to(155).await.unwrap(), 150);
    assert_eq!(tickets.raise_to(20).dry_run().await.unwrap(), 150);
    assert_eq!(tickets.raise_to(20).await.unwrap(), 150);
    assert_eq!(tickets.next_value().await.unwrap(), 160);
    let by_name = Sequence::new(&test.db, "tickets");
    assert_eq!(by_name.raise_to(155).await.unwrap(), 160);
    assert_eq!(by_name.raise_to(500).await.unwrap(), 500);
    let error = Sequence::new(&test.db, "tickets").max(999).raise_to(1000).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");

    let down = Sequence::new(&test.db, "down").start(-1).step(-1);
    assert_eq!(down.raise_to(-5).await.unwrap(), -5);
    assert_eq!(down.raise_to(-2).await.unwrap(), -5);
    assert_eq!(down.next_value().await.unwrap(), -6);
}

/// At the end of all numbers nothing wraps and nothing is half taken.
#[tokio::test]
async fn what_does_not_fit_into_an_integer_is_not_taken() {
    let test = TestDb::new().await;
    test.set_counter("tickets", i64::MAX - 2).await;
    let tickets = Sequence::new(&test.db, "tickets");
    let error = tickets.reserve(5).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { remaining: 2, .. }), "{error:?}");
    assert_eq!(tickets.current_value().await.unwrap(), Some(i64::MAX - 2));
    assert_eq!(tickets.reserve(2).await.unwrap().last(), Some(i64::MAX));
    assert!(matches!(tickets.next_value().await.unwrap_err().kind(), ErrorKind::Exhausted { remaining: 0, .. }));
}

#[tokio::test]
async fn raising_a_missing_counter_starts_from_the_data() {
    let test = TestDb::new().await;
    test.import("_id", 10..=279).await;
    let orders: Collection<Order> = test.db.collection("orders");
    assert_eq!(Order::sequence(&orders, "id").unwrap().raise_to(5).await.unwrap(), 279);
    let mut order = order();
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.id, 280);
}

#[tokio::test]
async fn restart_goes_back_but_not_into_the_data() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    for _ in 0..3 {
        order().insert_with_seq(&orders).await.unwrap();
    }
    let sequence = Order::sequence(&orders, "_id").unwrap();
    match sequence.restart(3).await.unwrap_err().kind() {
        ErrorKind::RestartRefused { next: 3, stored: 3, .. } => {}
        other => panic!("{other:?}"),
    }
    assert!(sequence.restart(3).dry_run().await.is_err());
    sequence.restart(100).dry_run().await.unwrap();
    assert_eq!(sequence.current_value().await.unwrap(), Some(3));
    sequence.restart(100).await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 100);
    sequence.restart(4).await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 4);

    let tickets = Sequence::new(&test.db, "tickets").start(1).max(9);
    tickets.restart(5).await.unwrap();
    assert_eq!(tickets.next_value().await.unwrap(), 5);
    let error = tickets.restart(10).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");
}

#[tokio::test]
async fn the_sequence_of_a_model_and_its_inserts_share_one_counter() {
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    invoice().insert_with_seq(&invoices).await.unwrap();
    assert_eq!(Invoice::sequence(&invoices, "id").unwrap().next_value().await.unwrap(), 1010);
    for name in ["serial_number", "serialNumber"] {
        let sequence = Invoice::sequence(&invoices, name).unwrap();
        assert_eq!(sequence.current_value().await.unwrap(), Some(1));
    }
    let error = Invoice::sequence(&invoices, "number").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");
    assert!(error.to_string().contains("`id`, `serial_number`"), "{error}");
}

#[tokio::test]
async fn keys_of_other_types_are_counters_of_their_own() {
    let test = TestDb::new().await;
    let tenant = ObjectId::new();
    let keys: [Bson; 4] = [
        doc! { "seq": "invoices.number", "tenant": tenant, "year": 2026 }.into(),
        doc! { "seq": "invoices.number", "tenant": tenant, "year": 2027 }.into(),
        tenant.into(),
        7.into(),
    ];
    for key in keys {
        let sequence = Sequence::new(&test.db, key).start(1);
        assert_eq!(sequence.next_value().await.unwrap(), 1);
        assert_eq!(sequence.next_value().await.unwrap(), 2);
    }
    assert_eq!(test.counters().count_documents(doc! {}).await.unwrap(), 4);
}

#[tokio::test]
async fn what_cannot_work_is_said_before_anything_is_sent() {
    let test = TestDb::new().await;
    let new = || Sequence::new(&test.db, "tickets");
    let impossible = [
        new().step(0),
        new().start(5).max(4),
        new().min(5).max(4),
        new().counters(""),
        new().counters("a$b"),
        new().counters("system.counters"),
        new().value_field(""),
        new().value_field("_id"),
        new().value_field("a.b"),
        new().value_field("$a"),
        Sequence::new(&test.db, Bson::Null),
        Sequence::new(&test.db, Bson::Array(Vec::new())),
        Sequence::new(&test.db, doc! { "$gt": 1 }),
    ];
    for sequence in impossible {
        let error = sequence.next_value().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{sequence:?}: {error:?}");
    }
    assert!(test.sent.names().is_empty());
    let error = new().start(i64::MIN).next_value().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");
}
