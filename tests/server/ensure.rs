//! `ensure_sequences`: indexes and counters, made once.

mod edges;

use std::time::Duration;

use mongo_sequence::{AutoIncrement, Ensured, ErrorKind};
use mongodb::{
    Collection, IndexModel,
    bson::{Document, doc},
    options::IndexOptions,
};
use serde::Serialize;

use crate::{models::Invoice, support::TestDb};

#[derive(Clone, Serialize, AutoIncrement)]
struct Line {
    order: i64,
    #[auto_increment(scope(order))]
    position: u32,
    #[auto_increment]
    number: i64,
}

async fn indexes(collection: &Collection<impl Send + Sync>) -> Vec<(Document, bool, Option<Document>)> {
    let mut cursor = collection.list_indexes().await.unwrap();
    let mut indexes = Vec::new();
    while cursor.advance().await.unwrap() {
        let IndexModel { keys, options, .. } = cursor.deserialize_current().unwrap();
        let options = options.unwrap();
        indexes.push((keys, options.unique.unwrap_or(false), options.partial_filter_expression));
    }
    indexes
}

#[tokio::test]
async fn indexes_and_counters_are_made_once() {
    let test = TestDb::new().await;
    let lines: Collection<Line> = test.db.collection("lines");
    lines.clone_with_type::<Document>().insert_one(doc! { "order": 1, "number": 41 }).await.unwrap();
    let planned = Line::ensure_sequences(&lines).dry_run().await.unwrap();
    assert_eq!((indexes(&lines).await.len(), test.value("lines.number").await), (1, None), "nothing is done");
    let done = Line::ensure_sequences(&lines).await.unwrap();
    assert_eq!(done, planned);
    assert_eq!(done.indexes, [doc! { "order": 1, "position": 1 }, doc! { "number": 1 }]);
    assert_eq!(done.counters, [("lines.number".to_owned(), 41)]);
    let over = |field: &str| Some(doc! { field: { "$gte": i64::MIN } });
    let expected = [
        (doc! { "_id": 1 }, false, None),
        (doc! { "order": 1, "position": 1 }, true, over("position")),
        (doc! { "number": 1 }, true, over("number")),
    ];
    assert_eq!(indexes(&lines).await, expected);
    assert_eq!(test.value("lines.number").await, Some(41));

    test.sent.clear();
    assert_eq!(Line::ensure_sequences(&lines).await.unwrap(), Ensured::default());
    let names = test.sent.names();
    for rare in ["insert", "update", "create"] {
        assert!(!names.contains(&rare.to_owned()), "{names:?}");
    }
    let mut line = Line { order: 1, position: 0, number: 0 };
    line.insert_with_seq(&lines).await.unwrap();
    assert_eq!((line.position, line.number), (1, 42));
}

/// The index is partial, and a user's own query for a number implies its condition.
#[tokio::test]
async fn a_query_for_a_number_uses_the_index() {
    let test = TestDb::new().await;
    let lines: Collection<Line> = test.db.collection("lines");
    Line::ensure_sequences(&lines).await.unwrap();
    let stored = (1..=500).map(|n| doc! { "order": n % 5, "position": n, "number": n });
    lines.clone_with_type::<Document>().insert_many(stored).await.unwrap();
    for filter in [doc! { "number": 300 }, doc! { "order": 0, "position": 300 }] {
        let explain = doc! { "explain": { "find": "lines", "filter": filter }, "verbosity": "executionStats" };
        let plan = test.db.run_command(explain).await.unwrap();
        let stats = plan.get_document("executionStats").unwrap();
        let examined = ["totalKeysExamined", "totalDocsExamined"].map(|name| stats.get_i32(name).unwrap());
        assert_eq!(examined, [1, 1], "{plan}");
    }
}

#[tokio::test]
async fn a_counter_behind_its_documents_is_raised_and_never_lowered() {
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    let stored = [doc! { "_id": 1005_i64, "serialNumber": 7 }, doc! { "_id": 1020_i64, "serialNumber": 9 }];
    invoices.clone_with_type::<Document>().insert_many(stored).await.unwrap();
    test.set_counter("invoices._id", 1000_i64).await;
    test.set_counter("invoices.serialNumber", 50_i64).await;
    Invoice::ensure_sequences(&invoices).await.unwrap();
    assert_eq!(test.value("invoices._id").await, Some(1020));
    assert_eq!(test.value("invoices.serialNumber").await, Some(50));
    test.set_counter("invoices._id", "no number").await;
    let error = Invoice::ensure_sequences(&invoices).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
}

#[tokio::test]
async fn twenty_at_once_are_no_trouble() {
    let test = TestDb::new().await;
    let calls = (0..20).map(|_| {
        let lines: Collection<Line> = test.db.collection("lines");
        tokio::spawn(async move {
            Line::ensure_sequences(&lines).await?;
            Line { order: 1, position: 0, number: 0 }.insert_with_seq(&lines).await
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    assert_eq!(test.numbers("lines", "position").await, (1..=20).collect());
    let lines: Collection<Line> = test.db.collection("lines");
    assert_eq!(indexes(&lines).await.len(), 3);
}

/// What cannot be done is known before anything is: neither the index of the other field is made, nor a counter.
#[tokio::test]
async fn numbers_that_are_there_twice_are_listed_and_nothing_is_changed() {
    let test = TestDb::new().await;
    let lines: Collection<Line> = test.db.collection("lines");
    let stored = [(1, 3), (1, 3), (2, 3), (1, 1), (2, 4), (2, 4), (2, 4)];
    let stored = stored.map(|(order, position)| doc! { "order": order, "position": position });
    lines.clone_with_type::<Document>().insert_many(stored).await.unwrap();
    let error = Line::ensure_sequences(&lines).await.unwrap_err();
    match error.kind() {
        ErrorKind::DuplicateNumbers { sequence, first, .. } => {
            assert_eq!(sequence, "lines.position");
            let expected = [(1, 3, 2), (2, 4, 3)];
            let expected = expected.map(|(order, n, times)| doc! { "order": order, "position": n, "documents": times });
            assert_eq!(first[..], expected);
        }
        other => panic!("{other:?}"),
    }
    assert!(error.to_string().contains("\"position\": 4, \"documents\": 3"), "{error}");
    assert_eq!((indexes(&lines).await.len(), test.value("lines.number").await), (1, None));
}

#[tokio::test]
async fn an_index_in_the_way_is_named_and_nothing_is_changed() {
    let test = TestDb::new().await;
    let lines: Collection<Line> = test.db.collection("lines");
    let named = IndexOptions::builder().name("number_1_numbered".to_owned()).build();
    lines.create_index(IndexModel::builder().keys(doc! { "other": 1 }).options(named).build()).await.unwrap();
    let error = Line::ensure_sequences(&lines).await.unwrap_err();
    match error.kind() {
        ErrorKind::IndexConflict { index, keys, .. } => {
            assert_eq!((&**index, keys), ("number_1_numbered", &doc! { "other": 1 }));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((indexes(&lines).await.len(), test.value("lines.number").await), (2, None));
}

/// An index of the user's that does the same is enough.
#[tokio::test]
async fn a_unique_index_that_is_there_is_used() {
    let test = TestDb::new().await;
    let lines: Collection<Line> = test.db.collection("lines");
    let unique = IndexOptions::builder().unique(true).build();
    for keys in [doc! { "order": -1, "position": -1 }, doc! { "number": -1 }] {
        lines.create_index(IndexModel::builder().keys(keys).options(unique.clone()).build()).await.unwrap();
    }
    Line::ensure_sequences(&lines).await.unwrap();
    assert_eq!(indexes(&lines).await.len(), 3);
    let plain: Collection<Line> = test.db.collection("plain");
    plain.create_index(IndexModel::builder().keys(doc! { "order": 1, "position": 1 }).build()).await.unwrap();
    Line::ensure_sequences(&plain).await.unwrap();
    assert_eq!(indexes(&plain).await.len(), 4, "one that is not unique is not");
}

/// An index waits for open transactions, and every insert behind it: so it gives up in time, and leaves no trace.
#[tokio::test]
async fn behind_an_open_transaction_it_gives_up_in_time() {
    let test = TestDb::new().await;
    let lines: Collection<Line> = test.db.collection("lines");
    test.db.create_collection("lines").await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    lines.clone_with_type::<Document>().insert_one(doc! { "order": 1 }).session(&mut session).await.unwrap();
    let limit = Duration::from_millis(1200);
    let error = Line::ensure_sequences(&lines).time_limit(limit).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Deadline { limit: told, .. } if *told == limit), "{error:?}");
    let tries = test.sent.named("createIndexes");
    assert_eq!(tries[0].get_i32("maxTimeMS").unwrap(), 500);
    assert!(tries.len() >= 2, "{tries:?}");
    session.commit_transaction().await.unwrap();
    assert_eq!(indexes(&lines).await.len(), 1);
    Line::ensure_sequences(&lines).await.unwrap();
}
