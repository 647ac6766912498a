//! Counter and data that have come apart, each in a way that was reported of other libraries.

use mongo_sequence::{AutoIncrement, Fault, NumberedField};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::Serialize;

use crate::{
    models::{Order, order},
    support::TestDb,
};

#[derive(Serialize, AutoIncrement)]
struct Note {
    customer: String,
    #[auto_increment(scope(customer))]
    number: i64,
}

/// The counter stands at 93, and the code says 1,000 from now on.
#[tokio::test]
async fn a_later_start_is_noticed_and_takes_effect_when_asked_for() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    test.import("_id", 1..=93_i64).await;
    let before = NumberedField::new(&orders, "_id");
    before.ensure().await.unwrap();
    assert!(before.verify().await.unwrap().is_clean());
    let changed = NumberedField::new(&orders, "_id").start(1_000);
    let report = changed.verify().await.unwrap();
    assert_eq!(report.counters[0].faults, [Fault::CounterBehind], "{report}");
    assert_eq!((report.documents, report.outside), (0, 93), "{report}");
    changed.ensure().await.unwrap();
    assert!(changed.verify().await.unwrap().is_clean());
    assert_eq!(changed.sequence(&Document::new()).unwrap().next_value().await.unwrap(), 1_000);
}

#[tokio::test]
async fn dropping_the_documents_does_not_start_anew() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    for _ in 0..3 {
        order().insert_with_seq(&orders).await.unwrap();
    }
    orders.drop().await.unwrap();
    let mut next = order();
    next.insert_with_seq(&orders).await.unwrap();
    assert_eq!(next.id, 4);
    // the other wish
    orders.drop().await.unwrap();
    Order::sequence(&orders, "id").unwrap().restart(1).await.unwrap();
    next.insert_with_seq(&orders).await.unwrap();
    assert_eq!(next.id, 1);
}

/// Every customer has had numbers of their own before.
#[tokio::test]
async fn each_scope_of_an_import_goes_on_where_it_stands() {
    let test = TestDb::new().await;
    let notes: Collection<Note> = test.db.collection("notes");
    let stored = [("a", 1), ("a", 7), ("b", 3)];
    let stored = stored.map(|(customer, number)| doc! { "customer": customer, "number": number });
    notes.clone_with_type::<Document>().insert_many(stored).await.unwrap();
    Note::ensure_sequences(&notes).await.unwrap();
    let report = Note::verify_sequences(&notes).await.unwrap().remove(0);
    assert!(report.is_clean() && report.counters.iter().all(|one| one.value.is_none()), "{report}");
    for (customer, expected) in [("a", 8), ("b", 4), ("c", 1)] {
        let mut note = Note { customer: customer.into(), number: 0 };
        note.insert_with_seq(&notes).await.unwrap();
        assert_eq!(note.number, expected);
    }
    assert!(Note::verify_sequences(&notes).await.unwrap()[0].is_clean());
}

/// A restored counter is older than the data, or the data older than the counter.
#[tokio::test]
async fn after_a_restore_of_one_of_the_two_nothing_is_stored_twice() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    for _ in 0..20 {
        order().insert_with_seq(&orders).await.unwrap();
    }
    test.set_counter("orders._id", 5_i64).await;
    let report = Order::verify_sequences(&orders).await.unwrap().remove(0);
    assert_eq!(report.counters[0].faults, [Fault::CounterBehind], "{report}");
    let mut next = order();
    next.insert_with_seq(&orders).await.unwrap();
    assert_eq!(next.id, 21);
    test.set_counter("orders._id", 500_i64).await;
    let report = Order::verify_sequences(&orders).await.unwrap().remove(0);
    assert!(report.is_clean() && report.counters[0].value == Some(500), "{report}");
    next.insert_with_seq(&orders).await.unwrap();
    assert_eq!(next.id, 501);
    let report = Order::verify_sequences(&orders).await.unwrap().remove(0);
    assert_eq!((report.counters[0].missing, report.counters[0].first_missing[0]), (479, 22), "{report}");
}

/// An import brought 1 to 279, the counter stands at 39, and the field is not `_id`.
#[tokio::test]
async fn an_import_ahead_of_the_counter_is_passed_in_one_call() {
    let test = TestDb::new().await;
    let notes: Collection<Document> = test.db.collection("notes");
    let field = NumberedField::new(&notes, "number");
    notes.insert_many((1..=279).map(|number| doc! { "number": number })).await.unwrap();
    test.set_counter("notes.number", 39).await;
    assert_eq!(field.verify().await.unwrap().counters[0].faults, [Fault::CounterBehind]);
    assert_eq!(field.ensure().await.unwrap().counters, [("notes.number".to_owned(), 279)]);
    assert_eq!(field.sequence(&Document::new()).unwrap().next_value().await.unwrap(), 280);
    assert!(field.verify().await.unwrap().is_clean());
}

#[derive(Serialize, AutoIncrement)]
struct First {
    #[auto_increment(name = "common", shared)]
    number: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Second {
    #[auto_increment(name = "common", shared)]
    number: i64,
}

/// Numbers of a shared sequence that the other model has.
#[tokio::test]
async fn a_shared_sequence_does_not_go_back_to_what_another_model_has() {
    let test = TestDb::new().await;
    let (firsts, seconds) = (test.db.collection::<First>("firsts"), test.db.collection::<Second>("seconds"));
    First::ensure_sequences(&firsts).await.unwrap();
    Second::ensure_sequences(&seconds).await.unwrap();
    let mut first = First { number: 0 };
    first.insert_with_seq(&firsts).await.unwrap();
    for _ in 0..3 {
        Second { number: 0 }.insert_with_seq(&seconds).await.unwrap();
    }
    let restarted = First::sequence(&firsts, "number").unwrap().restart(2).await;
    let mut again = First { number: 0 };
    again.insert_with_seq(&firsts).await.unwrap();
    assert!(again.number > 4, "{restarted:?}: {} is a number of the other model", again.number);
}
