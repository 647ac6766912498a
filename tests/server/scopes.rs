//! One sequence for each value of other fields.

mod data;

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{
    Collection,
    bson::{Bson, DateTime, Document, Uuid, doc, oid::ObjectId},
};
use serde::{Deserialize, Serialize, Serializer};

use crate::support::TestDb;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Bill<T = String, Y = i32> {
    tenant: T,
    year: Y,
    #[auto_increment(scope(year, tenant))]
    number: i64,
}

fn bill<T, Y>(tenant: T, year: Y) -> Bill<T, Y> {
    Bill { tenant, year, number: 0 }
}

/// The bills of a database, ready for new scopes.
async fn bills(test: &TestDb) -> Collection<Bill> {
    let bills = test.db.collection("bills");
    Bill::<String>::ensure_sequences(&bills).await.unwrap();
    bills
}

fn key(tenant: impl Into<Bson>, year: impl Into<Bson>) -> Document {
    doc! { "seq": "bills.number", "tenant": tenant.into(), "year": year.into() }
}

async fn counters(test: &TestDb) -> Vec<Document> {
    let mut cursor = test.counters().find(doc! {}).sort(doc! { "_id": 1 }).await.unwrap();
    let mut counters = Vec::new();
    while cursor.advance().await.unwrap() {
        counters.push(cursor.deserialize_current().unwrap());
    }
    counters
}

#[tokio::test]
async fn every_scope_counts_on_its_own_in_every_mode() {
    let test = TestDb::new().await;
    let bills = bills(&test).await;
    let mut session = test.client.start_session().await.unwrap();
    for expected in 1..=6 {
        for (tenant, year) in [("a", 2026), ("a", 2027), ("b", 2026)] {
            let mut bill = bill(tenant.to_owned(), year);
            match expected % 3 {
                0 => bill.insert_with_seq(&bills).gapless().await.unwrap(),
                1 => bill.insert_with_seq(&bills).await.unwrap(),
                _ => {
                    session.start_transaction().await.unwrap();
                    let inserted = bill.insert_with_seq(&bills).session(&mut session).gapless().await.unwrap();
                    session.commit_transaction().await.unwrap();
                    inserted
                }
            };
            assert_eq!(bill.number, expected);
        }
    }
    let keys = [key("a", 2026), key("a", 2027), key("b", 2026)];
    let expected = keys.map(|key| doc! { "_id": key, "seq": 6_i64 });
    assert_eq!(counters(&test).await, expected, "the layout: typed values, names in order");
}

/// Each type that may be in a scope: equal values share a sequence, others do not.
#[tokio::test]
async fn everything_that_tells_sequences_apart_may_be_in_a_scope() {
    #[derive(Clone, Serialize)]
    struct Tenant(i64);
    #[derive(Clone, Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Retail,
        Wholesale,
    }
    async fn distinct<T: Clone + Serialize + Send + Sync>(test: &TestDb, values: [T; 2]) {
        let before = counters(test).await.len();
        let bills: Collection<Bill<T>> = test.db.collection("bills");
        for expected in 1..=2 {
            for value in &values {
                let mut bill = bill(value.clone(), 2026);
                bill.insert_with_seq(&bills).await.unwrap();
                assert_eq!(bill.number, expected);
            }
        }
        assert_eq!(counters(test).await.len(), before + 2);
    }
    let test = TestDb::new().await;
    bills(&test).await;
    distinct(&test, [String::new(), "\u{0}ä".to_owned()]).await;
    distinct(&test, ["$gt", "a.b"]).await;
    distinct(&test, [1_i32, -1]).await;
    distinct(&test, [2_i64, i64::MIN]).await;
    distinct(&test, [3_u8, 4]).await;
    distinct(&test, [5_u64, 1 << 40]).await;
    distinct(&test, [true, false]).await;
    distinct(&test, [ObjectId::new(), ObjectId::new()]).await;
    distinct(&test, [Uuid::new(), Uuid::new()]).await;
    distinct(&test, [DateTime::from_millis(0), DateTime::from_millis(1)]).await;
    distinct(&test, [None, Some("optional")]).await;
    distinct(&test, [Tenant(7), Tenant(8)]).await;
    distinct(&test, [Kind::Retail, Kind::Wholesale]).await;
}

#[tokio::test]
async fn whole_numbers_of_any_width_are_one_scope_and_texts_are_another() {
    let test = TestDb::new().await;
    bills(&test).await;
    let mut narrow = bill(1_i32, 2026_i64);
    narrow.insert_with_seq(&test.db.collection("bills")).await.unwrap();
    let mut wide = bill(1_i64, 2026_i32);
    wide.insert_with_seq(&test.db.collection("bills")).await.unwrap();
    let mut written = bill("1".to_owned(), 2026_i32);
    written.insert_with_seq(&test.db.collection("bills")).await.unwrap();
    assert_eq!((narrow.number, wide.number, written.number), (1, 2, 1));
    let expected = [key(1, 2026), key("1", 2026)];
    assert_eq!(
        counters(&test).await.iter().map(|c| c.get_document("_id").unwrap().clone()).collect::<Vec<_>>(),
        expected
    );
}

/// A unique index takes the two for one.
#[tokio::test]
async fn nothing_and_null_are_one_scope() {
    #[derive(Serialize, AutoIncrement)]
    struct Sparse {
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant: Option<String>,
        year: i32,
        #[auto_increment(scope(tenant, year))]
        number: i64,
    }
    let test = TestDb::new().await;
    bills(&test).await;
    let mut absent = Sparse { tenant: None, year: 1, number: 0 };
    absent.insert_with_seq(&test.db.collection("bills")).await.unwrap();
    let mut null = bill(None::<String>, 1);
    null.insert_with_seq(&test.db.collection("bills")).await.unwrap();
    assert_eq!((absent.number, null.number), (1, 2));
}

#[tokio::test]
async fn what_cannot_tell_sequences_apart_is_refused_before_a_number_is_taken() {
    async fn refused<T: Clone + Serialize + Send + Sync>(value: T, found: &str) {
        let test = TestDb::new().await;
        let bills: Collection<Bill<T>> = test.db.collection("bills");
        let mut bill = bill(value, 2026);
        let errors = [
            bill.insert_with_seq(&bills).await.unwrap_err(),
            bill.insert_with_seq(&bills).gapless().await.unwrap_err(),
            Bill::insert_many_with_seq(&mut [bill], &bills).await.unwrap_err(),
        ];
        for error in errors {
            match error.kind() {
                ErrorKind::UnsupportedScope { field, found: was, .. } => {
                    assert_eq!((&**field, &**was), ("tenant", found));
                }
                other => panic!("{other:?}"),
            }
            assert!(error.to_string().contains("expected a string, a whole number"), "{error}");
        }
        assert!(test.sent.names().is_empty(), "{:?}", test.sent.names());
    }
    refused(doc! { "$gt": "" }, "EmbeddedDocument").await;
    refused(["a", "b"], "Array").await;
    refused(1.5, "Double").await;
    refused(f64::NAN, "Double").await;
    refused(mongodb::bson::Timestamp { time: 1, increment: 1 }, "Timestamp").await;
}

/// Never a document under a number of another scope, whenever the model is serialized.
#[tokio::test]
async fn a_scope_that_changes_between_serializations_stores_nothing() {
    use std::sync::atomic::{AtomicI32, Ordering};
    static SERIALIZED: AtomicI32 = AtomicI32::new(0);
    #[derive(Serialize, AutoIncrement)]
    struct Dated {
        tenant: &'static str,
        #[serde(serialize_with = "this_year")]
        year: (),
        #[auto_increment(scope(tenant, year))]
        number: i64,
    }
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    /// New year is between the third look and the last.
    fn this_year<S: Serializer>(_: &(), serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i32(2026 + i32::from(SERIALIZED.fetch_add(1, Ordering::Relaxed) % 4 == 3))
    }
    let test = TestDb::new().await;
    bills(&test).await;
    let dated: Collection<Dated> = test.db.collection("bills");
    let mut model = Dated { tenant: "a", year: (), number: 0 };
    let error = model.insert_with_seq(&dated).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Serialization { .. }), "{error:?}");
    assert!(error.to_string().contains("the scope of the numbered field `number`"), "{error}");
    assert_eq!((error.number(), model.number), (Some(1), 0));

    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let joined = model.insert_with_seq(&dated).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(joined.kind(), ErrorKind::Serialization { .. }), "{joined:?}");
    session.commit_transaction().await.unwrap_err();

    let owned = model.insert_with_seq(&dated).gapless().await.unwrap_err();
    assert!(matches!(owned.kind(), ErrorKind::Serialization { .. }), "{owned:?}");
    assert_eq!(counters(&test).await, [doc! { "_id": key("a", 2026), "seq": 1_i64 }], "no hole but the first");
    assert_eq!(dated.clone_with_type::<Document>().count_documents(doc! {}).await.unwrap(), 0);
}

#[tokio::test]
async fn a_scope_field_that_is_not_stored_is_refused() {
    #[derive(Clone, Serialize, AutoIncrement)]
    #[serde(into = "Stored")]
    struct Model {
        tenant: String,
        #[auto_increment(scope(tenant))]
        number: i64,
    }
    #[derive(Serialize)]
    struct Stored {
        customer: String,
        number: i64,
    }
    impl From<Model> for Stored {
        fn from(Model { tenant, number }: Model) -> Self {
            Self { customer: tenant, number }
        }
    }
    let test = TestDb::new().await;
    let models: Collection<Model> = test.db.collection("models");
    let error = Model { tenant: "a".to_owned(), number: 0 }.insert_with_seq(&models).await.unwrap_err();
    assert!(error.to_string().contains("scope field `tenant` of the numbered field `number` is not stored"), "{error}");
    assert!(test.sent.names().is_empty());
}

/// Different scopes, different modes, in one document.
#[tokio::test]
async fn the_fields_of_one_model_have_scopes_of_their_own() {
    #[derive(Serialize, AutoIncrement)]
    #[serde(rename_all = "camelCase")]
    struct Ticket {
        #[serde(rename = "_id")]
        #[auto_increment]
        id: i64,
        customer_id: ObjectId,
        #[serde(rename = "y")]
        year: u16,
        #[auto_increment(scope(customer_id))]
        of_customer: u32,
        #[auto_increment(scope(year), gapless, start = 100)]
        of_year: i32,
    }
    let test = TestDb::new().await;
    let tickets: Collection<Ticket> = test.db.collection("tickets");
    Ticket::ensure_sequences(&tickets).await.unwrap();
    let (a, b) = (ObjectId::new(), ObjectId::new());
    let mut seen = Vec::new();
    for (customer_id, year) in [(a, 1), (b, 1), (a, 2), (b, 1), (a, 1)] {
        let mut ticket = Ticket { id: 0, customer_id, year, of_customer: 0, of_year: 0 };
        ticket.insert_with_seq(&tickets).await.unwrap();
        seen.push((ticket.id, ticket.of_customer, ticket.of_year));
    }
    assert_eq!(seen, [(1, 1, 100), (2, 1, 101), (3, 2, 100), (4, 2, 102), (5, 3, 103)]);
    for scope in [doc! { "year": 1 }, doc! { "y": 1 }] {
        let of_year = Ticket::scoped_sequence(&tickets, "of_year", scope).unwrap();
        assert_eq!(of_year.current_value().await.unwrap(), Some(103));
    }
    let of_year = doc! { "seq": "tickets.ofYear", "y": 1 };
    assert_eq!(test.counters().count_documents(doc! { "_id": of_year }).await.unwrap(), 1);
}

#[tokio::test]
async fn restarting_one_scope_leaves_the_others_alone() {
    let test = TestDb::new().await;
    let bills = bills(&test).await;
    for tenant in ["a", "b"] {
        let mut batch = vec![bill(tenant.to_owned(), 2026); 5];
        Bill::insert_many_with_seq(&mut batch, &bills).await.unwrap();
    }
    let a = Bill::<String>::scoped_sequence(&bills, "number", doc! { "tenant": "a", "year": 2026 }).unwrap();
    let error = a.restart(3).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::RestartRefused { stored: 5, .. }), "{error:?}");
    bills.delete_many(doc! { "tenant": "a", "number": { "$gte": 3 } }).await.unwrap();
    a.restart(3).await.unwrap();
    let expected = [(key("a", 2026), 2_i64), (key("b", 2026), 5)].map(|(key, seq)| doc! { "_id": key, "seq": seq });
    assert_eq!(counters(&test).await, expected);
    assert_eq!(a.next_value().await.unwrap(), 3);
}

#[tokio::test]
async fn the_sequence_of_a_scope_is_found_by_its_values() {
    let test = TestDb::new().await;
    let bills = bills(&test).await;
    bill("a".to_owned(), 2026).insert_with_seq(&bills).await.unwrap();
    let of = |scope| Bill::<String>::scoped_sequence(&bills, "number", scope);
    let a = of(doc! { "year": 2026_i64, "tenant": "a" }).unwrap();
    assert_eq!(a.current_value().await.unwrap(), Some(1));
    a.raise_to(9).await.unwrap();
    let mut next = bill("a".to_owned(), 2026);
    next.insert_with_seq(&bills).await.unwrap();
    assert_eq!(next.number, 10);
    assert_eq!(of(doc! { "year": 2027, "tenant": "a" }).unwrap().current_value().await.unwrap(), None);
    for (wrong, what) in [
        (doc! {}, "one sequence for each value of `tenant`, `year`, found values for none"),
        (doc! { "tenant": "a" }, "found values for `tenant`"),
        (doc! { "tenant": "a", "year": 1, "month": 1 }, "found values for `tenant`, `year`, `month`"),
    ] {
        let error = of(wrong).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    let error = Bill::<String>::sequence(&bills, "number").unwrap_err();
    assert!(error.to_string().contains("`scoped_sequence`"), "{error}");
    let error = of(doc! { "tenant": { "$gt": "" }, "year": 1 }).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedScope { .. }), "{error:?}");
}

/// The server tells apart what Rust tells apart, whatever the text: separators, quotes, NUL, operators, any Unicode.
#[tokio::test]
async fn different_scopes_never_share_a_counter() {
    use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
    #[derive(Clone, Debug, PartialEq, Serialize)]
    #[serde(untagged)]
    enum Value {
        Text(String),
        Number(i64),
        Flag(bool),
        Nothing,
    }
    let value = prop_oneof![
        4 => "[ab.,:\"|$\0 1]{0,4}".prop_map(Value::Text),
        2 => any::<String>().prop_map(Value::Text),
        2 => (-3..4_i64).prop_map(Value::Number),
        1 => any::<i64>().prop_map(Value::Number),
        1 => any::<bool>().prop_map(Value::Flag),
        1 => Just(Value::Nothing),
    ];
    let scopes = prop::collection::vec((value.clone(), value), 150);
    let mut runner = TestRunner::deterministic();
    let scopes = scopes.new_tree(&mut runner).unwrap().current();
    let test = TestDb::new().await;
    bills(&test).await;
    let bills: Collection<Bill<Value, Value>> = test.db.collection("bills");
    let mut seen: Vec<(Bill<Value, Value>, i64)> = Vec::new();
    for (tenant, year) in scopes {
        let mut bill = bill(tenant, year);
        bill.insert_with_seq(&bills).await.unwrap();
        match seen.iter_mut().find(|(other, _)| (&other.tenant, &other.year) == (&bill.tenant, &bill.year)) {
            Some((_, last)) => *last += 1,
            None => seen.push((bill.clone(), 1)),
        }
        let expected = seen.iter().find(|(other, _)| (&other.tenant, &other.year) == (&bill.tenant, &bill.year));
        assert_eq!(Some(bill.number), expected.map(|(_, last)| *last), "{bill:?}");
    }
    assert!(seen.len() > 100);
    assert_eq!(counters(&test).await.len(), seen.len());
}
