//! `unset`: numbers that documents should not have are taken away, and others are given.

use std::sync::{Arc, Mutex};

use mongo_sequence::{ErrorKind, NumberedField};
use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
};

use crate::support::TestDb;

/// All but the first document of each number, whatever the type of the number, and within a scope only.
#[tokio::test]
async fn all_but_the_first_of_those_that_share_a_number() {
    let test = TestDb::new().await;
    let bills: Collection<Document> = test.db.collection("bills");
    let stored = [
        doc! { "_id": 3, "tenant": "a", "n": 1 },
        doc! { "_id": 1, "tenant": "a", "n": 1_i64 },
        doc! { "_id": 2, "tenant": "a", "n": 1.0 },
        doc! { "_id": 4, "tenant": "b", "n": 1 },
        doc! { "_id": 5, "n": 2 },
        doc! { "_id": 6, "tenant": Bson::Null, "n": 2 },
        doc! { "_id": 7, "tenant": ["a"], "n": 1 },
        doc! { "_id": 8, "tenant": "a", "n": [1] },
        doc! { "_id": 9, "tenant": { "$gt": "" }, "n": 3 },
        doc! { "_id": 10, "tenant": { "$gt": "" }, "n": 3 },
    ];
    bills.insert_many(stored).await.unwrap();
    let field = NumberedField::new(&bills, "n").scope(["tenant"]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = |told: &Arc<Mutex<Vec<(Bson, Bson)>>>| {
        let told = Arc::clone(told);
        move |id: &Bson, value: &Bson| told.lock().unwrap().push((id.clone(), value.clone()))
    };
    let before = all(&bills).await;
    assert_eq!(field.unset().duplicates().dry_run().on_each(listener(&told)).await.unwrap(), 4);
    assert_eq!(all(&bills).await, before);
    let mut planned = std::mem::take(&mut *told.lock().unwrap());
    assert_eq!(field.unset().duplicates().on_each(listener(&told)).await.unwrap(), 4);
    let mut done = told.lock().unwrap().clone();
    for told in [&mut planned, &mut done] {
        told.sort_by_key(|(id, _)| id.as_i32());
    }
    assert_eq!(planned, done);
    let expected = [(2, 1.0.into()), (3, 1.into()), (6, 2.into()), (10, 3.into())];
    assert_eq!(done, expected.map(|(id, value): (i32, Bson)| (id.into(), value)));
    let lost: Vec<i32> = ids(&bills, doc! { "n": { "$exists": false } }).await;
    assert_eq!(lost, [2, 3, 6, 10]);
    assert_eq!(field.unset().duplicates().await.unwrap(), 0);
}

/// A scope and a field may have any name, those of the library's own queries too.
#[tokio::test]
async fn names_that_the_queries_use_themselves() {
    let test = TestDb::new().await;
    for name in ["v", "w", "s", "f", "number", "scope", "first"] {
        let bills: Collection<Document> = test.db.collection(&format!("bills_{name}"));
        let stored = [(1, 5, 7), (2, 5, 5), (3, 5, 5), (4, 6, 7), (5, 6, 7)];
        bills.insert_many(stored.map(|(id, scope, n)| doc! { "_id": id, name: scope, "n": n })).await.unwrap();
        let field = NumberedField::new(&bills, "n").scope([name]).start(5);
        let report = field.verify().await.unwrap();
        let found: Vec<_> = report.counters.iter().map(|one| (one.documents, one.highest, one.duplicates)).collect();
        assert_eq!(found, [(3, Some(7), 1), (2, Some(7), 1)], "{report}");
        assert_eq!(field.unset().duplicates().await.unwrap(), 2);
        assert_eq!(ids(&bills, doc! { "n": { "$exists": false } }).await, [3, 5], "{name}");

        let orders: Collection<Document> = test.db.collection(&format!("orders_{name}"));
        orders.insert_many((0..2).map(|id| doc! { "_id": id, name: 5 })).await.unwrap();
        assert_eq!(NumberedField::new(&orders, name).unset().duplicates().await.unwrap(), 1);
    }
}

#[tokio::test]
async fn what_is_no_number_goes_and_a_new_one_comes() {
    let test = TestDb::new().await;
    let orders: Collection<Document> = test.db.collection("orders");
    let values: [Bson; 8] = [
        1.into(),
        2_i64.into(),
        3.into(),
        "4".into(),
        4.5.into(),
        vec![5].into(),
        f64::NAN.into(),
        doc! { "n": 6 }.into(),
    ];
    orders.insert_many((0..).zip(values).map(|(id, value)| doc! { "_id": id, "n": value })).await.unwrap();
    let field = NumberedField::new(&orders, "n");
    assert_eq!(field.verify().await.unwrap().not_a_number, 5);
    assert_eq!(field.unset().await.unwrap(), 0, "nothing was asked for");
    assert_eq!(field.unset().no_numbers().dry_run().await.unwrap(), 5);
    assert_eq!(field.unset().no_numbers().await.unwrap(), 5);
    assert_eq!(ids(&orders, doc! { "n": { "$exists": false } }).await, [3, 4, 5, 6, 7]);
    field.ensure().await.unwrap();
    assert_eq!(field.backfill().await.unwrap().numbered, 5);
    assert_eq!(test.numbers("orders", "n").await, (1..=8).collect());
    assert!(field.verify().await.unwrap().is_clean());
}

#[tokio::test]
async fn an_id_stays() {
    let test = TestDb::new().await;
    let orders: Collection<Document> = test.db.collection("orders");
    orders.insert_one(doc! { "_id": "text" }).await.unwrap();
    let error = NumberedField::new(&orders, "_id").unset().no_numbers().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error}");
    assert_eq!(all(&orders).await, [doc! { "_id": "text" }]);
}

/// Numbers that many documents have go in several batches; inserts need not stop.
#[tokio::test]
async fn very_many_documents_with_one_number() {
    let test = TestDb::new().await;
    let orders: Collection<Document> = test.db.collection("orders");
    orders.insert_many((0..2_500).map(|id| doc! { "_id": id, "n": 7 })).await.unwrap();
    let field = NumberedField::new(&orders, "n");
    assert_eq!(field.unset().duplicates().await.unwrap(), 2_499);
    assert_eq!(ids(&orders, doc! { "n": 7 }).await, [0]);
}

async fn all(collection: &Collection<Document>) -> Vec<Document> {
    let mut found = collection.find(doc! {}).sort(doc! { "_id": 1 }).await.unwrap();
    let mut all = Vec::new();
    while found.advance().await.unwrap() {
        all.push(found.deserialize_current().unwrap());
    }
    all
}

async fn ids(collection: &Collection<Document>, filter: Document) -> Vec<i32> {
    let mut found = collection.find(filter).sort(doc! { "_id": 1 }).await.unwrap();
    let mut ids = Vec::new();
    while found.advance().await.unwrap() {
        ids.push(found.deserialize_current().unwrap().get_i32("_id").unwrap());
    }
    ids
}

/// One command tells of no more documents than a filter can hold.
#[tokio::test]
async fn long_texts_are_taken_away() {
    let test = TestDb::new().await;
    let bills: Collection<Document> = test.db.collection("bills");
    let long = "x".repeat(3_000_000);
    for id in 0..7 {
        bills.insert_one(doc! { "_id": id, "n": &long }).await.unwrap();
    }
    bills.insert_one(doc! { "_id": 7, "n": "y".repeat(15_000_000) }).await.unwrap();
    assert_eq!(NumberedField::new(&bills, "n").unset().no_numbers().await.unwrap(), 8);
    assert_eq!(ids(&bills, doc! { "n": { "$exists": false } }).await, (0..8).collect::<Vec<_>>());
}
