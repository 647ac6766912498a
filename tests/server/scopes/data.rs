//! Scopes and the documents and indexes that are there.

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{
    Collection, IndexModel,
    bson::{Document, doc},
    options::{Collation, CreateCollectionOptions, IndexOptions},
};

use super::{Bill, bill, bills, counters, key};
use crate::support::{TestDb, code};

/// Documents of a scope are continued, whatever is in the others.
#[tokio::test]
async fn each_scope_continues_its_own_documents() {
    let test = TestDb::new().await;
    let stored: Collection<Document> = test.db.collection("bills");
    let bill_of = |tenant: &str, number: i64| doc! { "tenant": tenant, "year": 2026, "number": number };
    let imported = (1..=7).map(|n| bill_of("a", n)).chain((1..=3).map(|n| bill_of("b", n)));
    stored.insert_many(imported.chain([bill_of("$gt", 100)])).await.unwrap();
    let bills = bills(&test).await;
    for (tenant, expected) in [("a", 8), ("b", 4), ("$gt", 101), ("c", 1)] {
        let mut bill = bill(tenant.to_owned(), 2026);
        bill.insert_with_seq(&bills).gapless().await.unwrap();
        assert_eq!(bill.number, expected, "{tenant}");
    }
}

/// A new scope is looked up with one key of the index.
#[tokio::test]
async fn the_highest_number_of_a_scope_is_one_key_away() {
    let test = TestDb::new().await;
    let stored: Collection<Document> = test.db.collection("bills");
    let many = (0..1000).map(|n| doc! { "tenant": format!("t{}", n % 10), "year": 2026, "number": n / 10 + 1 });
    stored.insert_many(many).await.unwrap();
    let bills = bills(&test).await;
    test.sent.clear();
    let mut bill = bill("t3".to_owned(), 2026);
    bill.insert_with_seq(&bills).await.unwrap();
    assert_eq!(bill.number, 101);
    let mut look = test.sent.named("find").into_iter().find(|find| find.get_str("find").unwrap() == "bills").unwrap();
    for session in ["lsid", "$db", "$clusterTime", "$readPreference"] {
        look.remove(session);
    }
    let plan = test.db.run_command(doc! { "explain": look, "verbosity": "executionStats" }).await.unwrap();
    let stats = plan.get_document("executionStats").unwrap();
    assert_eq!((stats.get_i32("totalKeysExamined").unwrap(), stats.get_i32("totalDocsExamined").unwrap()), (1, 1));
}

#[tokio::test]
async fn without_an_index_for_it_a_new_scope_is_an_error_and_nothing_is_written() {
    let index = |keys: Document, partial: Option<Document>, collation: Option<&str>| {
        let mut options = IndexOptions::default();
        options.partial_filter_expression = partial;
        options.collation = collation.map(|locale| Collation::builder().locale(locale).build());
        IndexModel::builder().keys(keys).options(options).build()
    };
    let keys = || doc! { "tenant": 1, "year": 1, "number": 1 };
    let useless = [
        index(doc! { "number": 1, "tenant": 1, "year": 1 }, None, None),
        index(doc! { "tenant": 1, "number": 1, "year": 1 }, None, None),
        index(doc! { "tenant": 1, "number": 1 }, None, None),
        index(doc! { "tenant": 1, "year": "hashed", "number": 1 }, None, None),
        index(keys(), Some(doc! { "number": { "$type": "long" } }), None),
        index(keys(), Some(doc! { "paid": { "$exists": true } }), None),
        index(keys(), None, Some("de")),
    ];
    for index in useless.into_iter().map(Some).chain([None]) {
        let test = TestDb::new().await;
        let bills: Collection<Bill> = test.db.collection("bills");
        if let Some(index) = index.clone() {
            bills.create_index(index).await.unwrap();
        }
        for gapless in [false, true] {
            let mut bill = bill("a".to_owned(), 2026);
            let insert = bill.insert_with_seq(&bills);
            let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{index:?}: {error:?}");
            assert!(error.to_string().contains("`ensure_sequences`"), "{error}");
            assert_eq!(bill.number, 0);
        }
        assert!(counters(&test).await.is_empty());
        assert_eq!(bills.clone_with_type::<Document>().count_documents(doc! {}).await.unwrap(), 0);
    }
    let useful = [
        index(doc! { "year": -1, "tenant": 1, "number": -1 }, None, None),
        index(doc! { "tenant": 1, "year": 1, "number": 1, "paid": 1 }, None, None),
        index(keys(), Some(doc! { "number": { "$exists": true } }), None),
    ];
    for index in useful {
        let test = TestDb::new().await;
        let bills: Collection<Bill> = test.db.collection("bills");
        bills.create_index(index.clone()).await.unwrap();
        let mut bill = bill("a".to_owned(), 2026);
        assert!(bill.insert_with_seq(&bills).await.is_ok() && bill.number == 1, "{index:?}");
    }
}

/// A counter that is there needs no index.
#[tokio::test]
async fn a_scope_with_a_counter_goes_on_without_a_look_at_the_data() {
    let test = TestDb::new().await;
    test.counters().insert_one(doc! { "_id": key("a", 2026), "seq": 41_i64 }).await.unwrap();
    let bills: Collection<Bill> = test.db.collection("bills");
    let mut bill = bill("a".to_owned(), 2026);
    test.sent.clear();
    bill.insert_with_seq(&bills).await.unwrap();
    assert_eq!((bill.number, test.sent.names()), (42, vec!["findAndModify".to_owned(), "insert".to_owned()]));
}

#[tokio::test]
async fn a_scope_behind_its_documents_catches_up() {
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let bills = bills(&test).await;
        let stored: Collection<Document> = bills.clone_with_type();
        let of_b = doc! { "tenant": "b", "year": 2026, "number": 70_i64 };
        let of_a = (1..=5_i64).map(|number| doc! { "tenant": "a", "year": 2026, "number": number });
        stored.insert_many(of_a.chain([of_b])).await.unwrap();
        test.counters().insert_one(doc! { "_id": key("a", 2026), "seq": 3_i64 }).await.unwrap();
        let mut bill = bill("a".to_owned(), 2026);
        let insert = bill.insert_with_seq(&bills);
        if gapless { insert.gapless() } else { insert }.await.unwrap();
        assert_eq!(bill.number, 6);
    }
}

/// An index on the number alone is none of ours: the caller hears of it at once.
#[tokio::test]
async fn a_unique_index_on_the_number_alone_is_the_callers() {
    let test = TestDb::new().await;
    let bills = bills(&test).await;
    test.unique_index("bills", doc! { "number": 1 }).await;
    bill("a".to_owned(), 2026).insert_with_seq(&bills).await.unwrap();
    test.sent.clear();
    let error = bill("b".to_owned(), 2026).insert_with_seq(&bills).await.unwrap_err();
    assert_eq!((code(&error), error.number()), (Some(11_000), Some(1)));
    assert_eq!(test.sent.named("insert").len(), 1);
}

/// The tenants of a collection without regard to case are still told apart by their bytes.
#[tokio::test]
async fn a_collection_with_a_collation_has_scopes_by_bytes() {
    let test = TestDb::new().await;
    let mut options = CreateCollectionOptions::default();
    options.collation =
        Some(Collation::builder().locale("en").strength(mongodb::options::CollationStrength::Primary).build());
    test.db.create_collection("bills").with_options(options).await.unwrap();
    let bills = bills(&test).await;
    for expected in 1..=2 {
        for tenant in ["abc", "ABC"] {
            let mut bill = bill(tenant.to_owned(), 2026);
            bill.insert_with_seq(&bills).await.unwrap();
            assert_eq!(bill.number, expected);
        }
    }
    test.counters().delete_many(doc! {}).await.unwrap();
    let mut bill = bill("ABC".to_owned(), 2026);
    bill.insert_with_seq(&bills).await.unwrap();
    assert_eq!(bill.number, 3);
}
