//! What cannot be ensured is found out before anything is changed.

use mongo_sequence::{AutoIncrement, ErrorKind, NumberedField, Sequence};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::Serialize;

use crate::{models::Plain, support::TestDb};

#[derive(Clone, Serialize, AutoIncrement)]
struct Two {
    tenant: Option<String>,
    #[auto_increment]
    a: i64,
    #[auto_increment(scope(tenant))]
    b: i64,
}

async fn index_names(collection: &Collection<Document>) -> Vec<String> {
    collection.list_index_names().await.unwrap_or_default()
}

/// Promised: duplicates are told as such, and nothing is changed. To the look null and nothing differ, to the index they do not.
#[tokio::test]
async fn a_failed_ensure_changes_nothing_null_and_missing_scope() {
    let test = TestDb::new().await;
    let twos: Collection<Two> = test.db.collection("twos");
    let docs = twos.clone_with_type::<Document>();
    docs.insert_many([doc! { "b": 1 }, doc! { "tenant": null, "b": 1 }]).await.unwrap();
    let error = Two::ensure_sequences(&twos).await.unwrap_err();
    let names = index_names(&docs).await;
    assert!(matches!(error.kind(), ErrorKind::DuplicateNumbers { .. }), "{error:?} {names:?}");
    assert_eq!(names.len(), 1, "{names:?}");
}

/// The same with a list, whose elements the index has, and with the same number in two widths.
#[tokio::test]
async fn a_failed_ensure_changes_nothing_lists() {
    let test = TestDb::new().await;
    let plains: Collection<Plain> = test.db.collection("plains");
    let docs = plains.clone_with_type::<Document>();
    docs.insert_many([doc! { "b": [1, 2] }, doc! { "b": 2 }]).await.unwrap();
    let error = Plain::ensure_sequences(&plains).await.unwrap_err();
    let names = index_names(&docs).await;
    assert_eq!(names.len(), 1, "{error:?} {names:?}");
    assert!(matches!(error.kind(), ErrorKind::DuplicateNumbers { .. }), "{error:?} {names:?}");
}

/// Promised: `IndexConflict` "with nothing changed". An index with the same keys and filter under another name is found when the index
/// of the field before it is made.
#[tokio::test]
async fn a_failed_ensure_changes_nothing_conflict() {
    for (unique, hidden) in [(false, false), (true, true)] {
        let test = TestDb::new().await;
        let plains: Collection<Plain> = test.db.collection("plains");
        let docs = plains.clone_with_type::<Document>();
        let command = doc! { "createIndexes": "plains", "indexes": [{
            "key": { "b": 1 }, "name": "theirs", "unique": unique, "hidden": hidden,
            "partialFilterExpression": { "b": { "$gte": i64::MIN } },
        }] };
        test.db.run_command(command).await.unwrap();
        let dry = Plain::ensure_sequences(&plains).dry_run().await;
        let result = Plain::ensure_sequences(&plains).await;
        let names = index_names(&docs).await;
        if result.is_err() {
            assert!(dry.is_err(), "a dry run tells whether it can be done");
            assert_eq!(names.len(), 2, "{names:?}");
        }
    }
}

#[tokio::test]
async fn a_failed_ensure_changes_nothing_corrupt() {
    let test = TestDb::new().await;
    let plains: Collection<Plain> = test.db.collection("plains");
    test.set_counter("plains.b", "text").await;
    let error = Plain::ensure_sequences(&plains).await.unwrap_err();
    let (names, a) = (index_names(&plains.clone_with_type()).await, test.counter("plains.a").await);
    assert!(names.len() <= 1 && a.is_none(), "{error}: {names:?}, {a:?}");
}

/// The derive refuses a scope field of this name, since the name of the sequence stands there in the key. A field that is
/// described must be refused too: else two collections share one counter, and verify does not find it.
#[tokio::test]
async fn a_described_scope_called_seq_is_refused() {
    let test = TestDb::new().await;
    let docs: Collection<Document> = test.db.collection("docs");
    let field = NumberedField::new(&docs, "number").scope(["seq"]);
    let Err(error) = field.ensure().await else {
        docs.insert_one(doc! { "seq": "x" }).await.unwrap();
        field.backfill().await.unwrap();
        panic!("{}\n{:?}", field.verify().await.unwrap(), Sequence::list(&test.db).await.unwrap());
    };
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");
}

/// What no number can be kept in is told in our words, by all of them.
#[tokio::test]
async fn odd_collections_are_told_apart() {
    let test = TestDb::new().await;
    test.db.collection::<Document>("base").insert_one(doc! { "tenant": "a" }).await.unwrap();
    for (name, options, is_good) in [
        ("view", doc! { "viewOn": "base", "pipeline": [] }, false),
        ("series", doc! { "timeseries": { "timeField": "t" } }, false),
        ("capped", doc! { "capped": true, "size": 1_000_000 }, true),
        ("clustered", doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true } }, true),
        ("french", doc! { "collation": { "locale": "fr", "strength": 1 } }, true),
    ] {
        let mut create = doc! { "create": name };
        create.extend(options);
        test.db.run_command(create).await.unwrap();
        let docs: Collection<Document> = test.db.collection(name);
        if name != "view" {
            let now = mongodb::bson::DateTime::now();
            docs.insert_many(["a", "A"].map(|tenant| doc! { "t": now, "tenant": tenant })).await.unwrap();
        }
        let field = NumberedField::new(&docs, "number");
        for field in [field.clone(), NumberedField::new(&docs, "position").scope(["tenant"])] {
            let results = [
                field.ensure().await.map(drop),
                field.backfill().await.map(drop),
                field.verify().await.map(|report| assert!(report.is_clean() && report.without_number == 0, "{report}")),
            ];
            for result in results {
                match result {
                    Ok(()) => assert!(is_good, "{name}"),
                    Err(error) => {
                        let kind = error.kind();
                        assert!(
                            !is_good && matches!(kind, ErrorKind::UnsupportedCollection { .. }),
                            "{name}: {error:?}"
                        );
                    }
                }
            }
        }
    }
}
