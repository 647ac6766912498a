//! `verify_sequences`: what is found, and what is none of the faults.

mod edges;

use mongo_sequence::{AutoIncrement, CounterReport, Fault, NumberedField, SequenceReport};
use mongodb::{
    Collection, IndexModel,
    bson::{Bson, Document, doc},
    options::IndexOptions,
};
use serde::Serialize;

use crate::{
    models::{Order, order},
    support::{TestDb, standalone},
};

#[derive(Serialize, AutoIncrement)]
struct Bill {
    tenant: Option<String>,
    #[auto_increment(gapless, scope(tenant))]
    number: i64,
}

async fn unique(bills: &Collection<Document>, keys: Document) {
    let options = IndexOptions::builder().unique(true).build();
    bills.create_index(IndexModel::builder().keys(keys).options(options).build()).await.unwrap();
}

async fn one(field: &NumberedField) -> (SequenceReport, CounterReport) {
    let report = field.verify().await.unwrap();
    let [counter] = &report.counters[..] else { panic!("{report}") };
    let counter = counter.clone();
    (report, counter)
}

#[tokio::test]
async fn what_the_library_wrote_is_clean() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    assert!(Order::verify_sequences(&orders).await.unwrap()[0].counters.is_empty());
    for _ in 0..5 {
        order().insert_with_seq(&orders).await.unwrap();
    }
    let report = Order::verify_sequences(&orders).await.unwrap().remove(0);
    assert!(report.is_clean() && !report.gapless && report.readable, "{report}");
    assert_eq!((report.documents, report.without_number), (5, 0));
    let CounterReport { value, highest, documents, missing, duplicates, .. } = &report.counters[0];
    assert_eq!((*value, *highest, *documents, *missing, *duplicates), (Some(5), Some(5), 5, 0, 0));
    let printed = report.to_string();
    assert!(printed.contains("orders `_id`: sequence `orders._id`"), "{printed}");
    assert!(printed.contains("-            5        5          5        0           0"), "{printed}");
}

/// Under a unique index by counting, without one by reading: the same is found.
#[tokio::test]
async fn missing_numbers_are_listed_and_counted_in_both_ways() {
    for indexed in [true, false] {
        for (step, start) in [(1, 1), (10, 1000), (-3, -7)] {
            let test = TestDb::new().await;
            let numbers: Collection<Document> = test.db.collection("numbers");
            let at = |place: i64| start + place * step;
            // holes at the beginning, in the middle (a long one), and just before the end
            let holes =
                |place: &i64| ![0, 1, 500].contains(place) && !(7_000..9_000).contains(place) && *place != 9_998;
            let stored: Vec<i64> = (0..10_000).filter(holes).map(at).collect();
            let documents = stored.iter().map(|number| doc! { "n": number });
            numbers.insert_many(documents).await.unwrap();
            if indexed {
                unique(&numbers, doc! { "n": 1 }).await;
            }
            test.set_counter("numbers.n", at(9_999)).await;
            let field = NumberedField::new(&numbers, "n").start(start).step(step);
            let (report, counter) = one(&field).await;
            assert!(report.is_clean(), "{report}");
            assert_eq!((counter.documents, counter.highest), (7_996, Some(at(9_999))));
            assert_eq!(counter.missing, 2_004);
            let first: Vec<i64> = [0, 1, 500].into_iter().chain(7_000..7_017).map(at).collect();
            assert_eq!(counter.first_missing, first);
            let report = field.clone().gapless().verify().await.unwrap();
            assert_eq!(report.counters[0].faults, [Fault::Gaps]);
        }
    }
}

#[tokio::test]
async fn numbers_that_are_there_twice_are_a_fault() {
    let test = TestDb::new().await;
    let numbers: Collection<Document> = test.db.collection("numbers");
    let stored = (1..=50).chain(1..=30).chain([7, 7]);
    numbers.insert_many(stored.map(|number| doc! { "n": number })).await.unwrap();
    test.set_counter("numbers.n", 50).await;
    let (report, counter) = one(&NumberedField::new(&numbers, "n")).await;
    assert_eq!(counter.faults, [Fault::Duplicates]);
    assert_eq!((counter.duplicates, counter.missing, counter.documents), (32, 0, 82));
    let listed: Vec<_> = counter.first_duplicates.iter().map(|twice| (twice.number, twice.documents)).collect();
    assert_eq!(listed, (1..=20).map(|number| (number, if number == 7 { 4 } else { 2 })).collect::<Vec<_>>());
    let printed = report.to_string();
    assert!(!report.is_clean() && printed.contains("twice: 1, 2, 3, 4, 5, 6, 7 (4 documents), 8,"), "{report}");
    assert!(
        printed.contains("20, …\n") && printed.contains("no unique index: `ensure_sequences` makes it"),
        "{report}"
    );
    numbers.delete_many(doc! { "n": { "$ne": 7 } }).await.unwrap();
    let (report, _) = one(&NumberedField::new(&numbers, "n").start(7)).await;
    assert!(report.to_string().contains("twice: 7 (4 documents)\n"), "{report}");
}

#[tokio::test]
async fn a_counter_that_is_behind_missing_or_none_is_a_fault() {
    let test = TestDb::new().await;
    let numbers: Collection<Document> = test.db.collection("numbers");
    numbers.insert_many((1..=9).map(|number| doc! { "n": number })).await.unwrap();
    let field = NumberedField::new(&numbers, "n");
    assert_eq!(one(&field).await.1.faults, [Fault::CounterMissing]);
    test.set_counter("numbers.n", 8).await;
    assert_eq!(one(&field).await.1.faults, [Fault::CounterBehind]);
    test.set_counter("numbers.n", "9").await;
    let (report, counter) = one(&field).await;
    assert_eq!(counter.faults, [Fault::CounterCorrupt("String \"9\"".to_owned())]);
    assert!(report.to_string().contains("the counter holds String \"9\" instead of a number"), "{report}");
    test.set_counter("numbers.n", 9).await;
    assert!(one(&field).await.0.is_clean());
    // the furthest number of the sequence is 6: what lies between its numbers does not count
    assert!(NumberedField::new(&numbers, "n").step(5).verify().await.unwrap().is_clean());
}

/// What is no number of the sequence is not counted as one, and hides no hole.
#[tokio::test]
async fn strays_are_neither_numbers_nor_holes() {
    for indexed in [true, false] {
        let test = TestDb::new().await;
        let numbers: Collection<Document> = test.db.collection("numbers");
        let list = Bson::Array(vec![Bson::Int32(2)]);
        let strays = [list, Bson::Double(1.5), Bson::Double(f64::NAN), Bson::String("2".into()), Bson::Int64(1 << 50)];
        let stored = [1, 3, -5].map(Bson::Int32).into_iter().chain(strays).chain([Bson::Null]);
        numbers.insert_many(stored.map(|number| doc! { "n": number })).await.unwrap();
        numbers.insert_one(doc! {}).await.unwrap();
        if indexed {
            let partial =
                IndexOptions::builder().unique(true).partial_filter_expression(doc! { "n": { "$gte": i64::MIN } });
            numbers
                .create_index(IndexModel::builder().keys(doc! { "n": 1 }).options(partial.build()).build())
                .await
                .unwrap();
        }
        test.set_counter("numbers.n", 3).await;
        let (report, counter) = one(&NumberedField::new(&numbers, "n").max(1_000_000)).await;
        assert_eq!((counter.missing, &counter.first_missing[..], counter.highest), (1, &[2][..], Some(3)));
        assert_eq!((report.documents, report.without_number, report.outside), (2, 2, 2), "{report}");
        assert_eq!((report.not_a_number, report.first_not_a_number.len()), (4, 4), "{report}");
        assert!(!report.is_clean() && report.to_string().contains("4 documents have something else"), "{report}");
    }
}

/// A list is found by its elements, and passes for none of them.
#[tokio::test]
async fn a_list_does_not_fill_a_hole() {
    let test = TestDb::new().await;
    let numbers: Collection<Document> = test.db.collection("numbers");
    unique(&numbers, doc! { "n": 1 }).await;
    numbers.insert_many([doc! { "n": 1 }, doc! { "n": [2] }, doc! { "n": 3 }]).await.unwrap();
    test.set_counter("numbers.n", 3).await;
    let (report, counter) = one(&NumberedField::new(&numbers, "n")).await;
    assert_eq!((counter.missing, &counter.first_missing[..], counter.documents), (1, &[2][..], 2));
    assert_eq!(report.not_a_number, 1, "{report}");
}

/// A fraction between two numbers is as many documents as a hole.
#[tokio::test]
async fn a_fraction_does_not_fill_a_hole() {
    let test = TestDb::new().await;
    let numbers: Collection<Document> = test.db.collection("numbers");
    unique(&numbers, doc! { "n": 1 }).await;
    numbers.insert_many([doc! { "n": 1 }, doc! { "n": 1.5 }, doc! { "n": 3 }]).await.unwrap();
    test.set_counter("numbers.n", 3).await;
    let (report, counter) = one(&NumberedField::new(&numbers, "n")).await;
    assert_eq!((counter.missing, &counter.first_missing[..], counter.documents), (1, &[2][..], 2));
    assert_eq!(report.not_a_number, 1, "{report}");
}

#[tokio::test]
async fn scopes_and_counters_are_matched_by_value() {
    let test = TestDb::new().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    for (tenant, n) in [(Some("a"), 3), (Some("b"), 2), (None, 2)] {
        for _ in 0..n {
            let mut bill = Bill { tenant: tenant.map(str::to_owned), number: 0 };
            bill.insert_with_seq(&bills).await.unwrap();
        }
    }
    let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
    assert!(report.is_clean() && report.gapless, "{report}");
    let found: Vec<_> = report.counters.iter().map(|one| (one.scope.clone(), one.value, one.documents)).collect();
    let expected = [("a".into(), 3), ("b".into(), 2), (Bson::Null, 2)];
    for (tenant, n) in expected {
        let n = i64::from(n);
        assert!(found.contains(&(doc! { "tenant": tenant }, Some(n), n.unsigned_abs())), "{report}");
    }

    let documents = bills.clone_with_type::<Document>();
    documents.delete_one(doc! { "tenant": "a", "number": 2 }).await.unwrap();
    documents.delete_many(doc! { "tenant": "b" }).await.unwrap();
    documents.insert_one(doc! { "tenant": "c", "number": 1 }).await.unwrap();
    test.counters().insert_one(doc! { "_id": { "seq": "bills.numbers", "tenant": "z" }, "seq": 1 }).await.unwrap();
    let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
    let of = |tenant: &str| report.counters.iter().find(|one| one.scope == doc! { "tenant": tenant });
    assert_eq!((&of("a").unwrap().faults[..], &of("a").unwrap().first_missing[..]), (&[Fault::Gaps][..], &[2][..]));
    assert_eq!((of("b").unwrap().documents, of("b").unwrap().value), (0, Some(2)));
    assert!(of("b").unwrap().faults.is_empty(), "a scope without documents is no fault");
    assert_eq!((of("c").unwrap().value, of("c").unwrap().highest), (None, Some(1)));
    assert!(of("c").unwrap().faults.is_empty(), "the first insert makes the counter of a scope");
    assert!(report.to_string().contains("no counter yet: the first insert makes it"), "{report}");
    assert_eq!(of("z"), None);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["counters"][0]["faults"], serde_json::json!(["gaps"]));
}

/// All reads see one moment, so what is under way is no hole, and no counter is behind.
#[tokio::test]
async fn while_others_insert_nothing_is_found() {
    let test = TestDb::new().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let (bills, stopped) = (bills.clone(), stopped.clone());
            tokio::spawn(async move {
                let bills = mongo_sequence::SequencedCollection::new(bills);
                let mut n = 0;
                while !*stopped.borrow() {
                    let mut bill = Bill { tenant: Some(format!("{}", writer % 2)), number: 0 };
                    bill.insert_with_seq(&bills).await.unwrap();
                    n += 1;
                }
                n
            })
        })
        .collect();
    let mut seen = 0;
    while seen < 300 {
        let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
        assert!(report.is_clean(), "{report}");
        assert_eq!(report.without_number, 0);
        let counted: u64 = report.counters.iter().map(|one| one.documents).sum();
        assert!(counted >= seen, "{counted} after {seen}");
        seen = counted;
    }
    stop.send(true).unwrap();
    let mut all = 0;
    for writer in writers {
        all += writer.await.unwrap();
    }
    assert_eq!(Bill::verify_sequences(&bills).await.unwrap()[0].documents, all);
}

#[tokio::test]
async fn a_standalone_server_is_verified_too() {
    let test = TestDb::on(standalone().await, |_| {}).await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    let report = Order::verify_sequences(&orders).await.unwrap().remove(0);
    assert!(report.is_clean() && report.documents == 1, "{report}");
}
