//! `backfill_sequences`: documents that have no number get one.

pub(crate) mod edges;

use std::{collections::BTreeMap, time::Duration};

use mongo_sequence::{AutoIncrement, ErrorKind, NumberedField};
use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
};
use serde::Serialize;

use crate::support::{TestDb, integer};

#[derive(Serialize, AutoIncrement)]
struct Customer {
    name: String,
    #[auto_increment]
    number: u32,
}

#[derive(Serialize, AutoIncrement)]
struct Bill {
    tenant: String,
    #[auto_increment(gapless, scope(tenant))]
    number: i64,
}

fn names(n: i32) -> impl Iterator<Item = Document> {
    (0..n).map(|at| doc! { "_id": at, "name": format!("{at:05}"), "since": -at })
}

/// The numbers by `_id`.
async fn numbers(test: &TestDb, collection: &str) -> BTreeMap<i64, Bson> {
    let mut found = test.db.collection::<Document>(collection).find(doc! {}).await.unwrap();
    let mut numbers = BTreeMap::new();
    while found.advance().await.unwrap() {
        let document = found.deserialize_current().unwrap();
        let number = document.get("number").cloned().unwrap_or(Bson::Null);
        numbers.insert(integer(document.get("_id").unwrap()), number);
    }
    numbers
}

#[tokio::test]
async fn documents_are_numbered_in_order_and_in_the_type_of_the_field() {
    let test = TestDb::new().await;
    let customers: Collection<Customer> = test.db.collection("customers");
    customers.clone_with_type::<Document>().insert_many(names(2_500)).await.unwrap();
    Customer::ensure_sequences(&customers).await.unwrap();
    let mut progress = Vec::new();
    let done = Customer::backfill_sequences(&customers)
        .on_progress(|so_far| progress.push((so_far.numbered, so_far.total)))
        .await
        .unwrap();
    assert_eq!((done.numbered, done.unused), (2_500, 0));
    assert_eq!(progress, [(1_000, 2_500), (2_000, 2_500), (2_500, 2_500)]);
    let found = numbers(&test, "customers").await;
    assert!(found.iter().all(|(id, number)| *number == Bson::Int64(id + 1)), "as the model stores a u32");
    assert_eq!(test.value("customers.number").await, Some(2_500));

    test.sent.clear();
    let again = Customer::backfill_sequences(&customers).await.unwrap();
    assert_eq!((again.numbered, again.unused), (0, 0));
    assert!(test.sent.named("update").is_empty() && test.sent.named("findAndModify").is_empty());
}

#[tokio::test]
async fn a_sort_decides_and_what_has_a_number_keeps_it() {
    let test = TestDb::new().await;
    let customers: Collection<Document> = test.db.collection("customers");
    customers.insert_many(names(30)).await.unwrap();
    customers.insert_many((100..103).map(|at| doc! { "_id": at, "number": at })).await.unwrap();
    let field = NumberedField::new(&customers, "number");
    field.ensure().await.unwrap();
    let done = field.backfill().sort(doc! { "since": 1 }).batch_size(7).await.unwrap();
    assert_eq!(done.numbered, 30);
    let found = numbers(&test, "customers").await;
    for at in 0..30 {
        assert_eq!(found[&at], Bson::Int64(103 + (29 - at)), "by `since`, behind what was there");
    }
    for at in 100..103 {
        assert_eq!(integer(&found[&at]), at);
    }
}

/// A counter that lies behind the data costs another look, and no document its number.
#[tokio::test]
async fn a_counter_behind_the_data_is_moved_past_it() {
    let test = TestDb::new().await;
    let customers: Collection<Document> = test.db.collection("customers");
    let field = NumberedField::new(&customers, "number");
    field.ensure().await.unwrap();
    customers.insert_many(names(20)).await.unwrap();
    customers.insert_many([5, 8, 300].map(|at| doc! { "_id": 1_000 + at, "number": at })).await.unwrap();
    let done = field.backfill().await.unwrap();
    assert_eq!(done.numbered, 20);
    let report = field.verify().await.unwrap();
    assert!(report.is_clean() && report.without_number == 0 && report.documents == 23, "{report}");
}

#[tokio::test]
async fn gapless_numbers_are_filled_in_without_a_gap_around_those_that_are_there() {
    let test = TestDb::new().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    for _ in 0..3 {
        Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
    }
    let documents = bills.clone_with_type::<Document>();
    documents
        .insert_many((0..50).map(|at| doc! { "_id": at, "tenant": if at % 2 == 0 { "a" } else { "b" } }))
        .await
        .unwrap();
    // typed in by hand, with one right behind the counter
    documents.insert_many([4, 10, 11].map(|n| doc! { "tenant": "a", "number": n })).await.unwrap();
    let done = Bill::backfill_sequences(&bills).batch_size(20).await.unwrap();
    assert_eq!((done.numbered, done.unused), (50, 0));
    let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
    assert!(report.is_clean() && report.without_number == 0, "{report}");
    let of = |tenant: &str| report.counters.iter().find(|one| one.scope == doc! { "tenant": tenant }).unwrap();
    assert_eq!((of("a").value, of("a").documents), (Some(31), 31));
    assert_eq!((of("b").value, of("b").documents), (Some(25), 25));
}

/// Stopped at any point and run again; by several at once; while others insert.
#[tokio::test]
async fn it_can_be_stopped_and_repeated_and_works_beside_inserts() {
    let test = TestDb::new().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    let documents = bills.clone_with_type::<Document>();
    documents.insert_many((0..600).map(|at| doc! { "_id": at, "tenant": "a" })).await.unwrap();
    let inserting = tokio::spawn({
        let bills = bills.clone();
        async move {
            for _ in 0..50 {
                Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
            }
        }
    });
    for millis in [1, 5, 10, 20, 40] {
        let short = Bill::backfill_sequences(&bills).batch_size(10);
        let _stopped = tokio::time::timeout(Duration::from_millis(millis), short.into_future()).await;
    }
    let (one, other) = tokio::join!(
        Bill::backfill_sequences(&bills).batch_size(50).into_future(),
        Bill::backfill_sequences(&bills).batch_size(50).into_future(),
    );
    assert_eq!(one.unwrap().unused + other.unwrap().unused, 0);
    inserting.await.unwrap();
    let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
    assert!(report.is_clean() && report.without_number == 0, "{report}");
    assert_eq!((report.counters[0].value, report.documents), (Some(650), 650));
}

/// Dropped while the counter command of its transaction is on its way: left to the driver, that locks the counter for a
/// minute.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gapless_fill_that_is_dropped_ends_its_transaction() {
    let test = TestDb::with_faults().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
    bills.clone_with_type::<Document>().insert_many((0..5).map(|at| doc! { "_id": at, "tenant": "a" })).await.unwrap();
    test.sent.clear();
    test.fail(&["findAndModify"], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 200 }).await;
    {
        let mut filling = Box::pin(Bill::backfill_sequences(&bills).into_future());
        tokio::select! {
            () = test.sent.until("findAndModify", 1) => {}
            done = filling.as_mut() => panic!("{done:?}"),
        }
    }
    test.sent.until("commitTransaction", 1).await;
    Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
    let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
    assert!(report.is_clean() && report.without_number == 0, "{report}");
    assert_eq!((report.counters[0].value, report.documents), (Some(7), 7));
}

#[tokio::test]
async fn two_that_fill_in_the_same_documents_leave_gaps_at_most() {
    let test = TestDb::new().await;
    let customers: Collection<Customer> = test.db.collection("customers");
    Customer::ensure_sequences(&customers).await.unwrap();
    customers.clone_with_type::<Document>().insert_many(names(900)).await.unwrap();
    let (one, other) = tokio::join!(
        Customer::backfill_sequences(&customers).batch_size(100).into_future(),
        Customer::backfill_sequences(&customers).batch_size(100).into_future(),
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.numbered + other.numbered, 900);
    let report = Customer::verify_sequences(&customers).await.unwrap().remove(0);
    assert!(report.is_clean() && report.without_number == 0, "{report}");
    assert!(report.counters[0].missing <= one.unused + other.unused, "{report}");
}

#[tokio::test]
async fn what_cannot_be_numbered_says_so_and_the_rest_is() {
    let test = TestDb::new().await;
    let bills: Collection<Document> = test.db.collection("bills");
    let field = NumberedField::new(&bills, "number").scope(["tenant"]);
    field.ensure().await.unwrap();
    bills.insert_many([doc! { "_id": 1, "tenant": "a" }, doc! { "_id": 2, "tenant": 1.5 }]).await.unwrap();
    let error = field.backfill().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotBackfilled { .. }), "{error:?}");
    assert!(error.to_string().contains("`_id` 2: scope field `tenant` holds a value of type Double"), "{error}");
    let found = numbers(&test, "bills").await;
    assert_eq!((&found[&1], &found[&2]), (&Bson::Int64(1), &Bson::Null));

    let strict: Collection<Document> = test.db.collection("strict");
    strict.insert_one(doc! { "_id": 1 }).await.unwrap();
    let rule = doc! { "collMod": "strict", "validator": { "number": { "$exists": false } } };
    test.db.run_command(rule).await.unwrap();
    for field in [NumberedField::new(&strict, "number"), NumberedField::new(&strict, "number").gapless()] {
        let error = field.backfill().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotBackfilled { .. }), "{error:?}");
        assert!(error.to_string().contains("validation"), "{error}");
    }
}
