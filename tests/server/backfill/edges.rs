//! What changes under a back-fill, stands in its way, or breaks it off.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mongo_sequence::{AutoIncrement, NumberedField};
use mongodb::{
    Client, Collection,
    bson::{Bson, Document, doc},
};
use serde::Serialize;

use crate::{
    models::Plain,
    support::{TestDb, integer, server},
};

/// Runs what a callback cannot await.
pub(crate) fn aside<F: Future<Output = ()>>(work: impl FnOnce() -> F + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work());
        });
    });
}

async fn by_id(collection: &Collection<Document>, id: impl Into<Bson>) -> Document {
    collection.find_one(doc! { "_id": id.into() }).await.unwrap().unwrap()
}

/// Promised: what has something else than nothing or null in the field is never touched. `{field: null}` also finds a
/// list with a null in it, and the list is written over.
#[tokio::test]
async fn a_list_with_a_null_in_it_is_not_written_over() {
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let docs: Collection<Document> = test.db.collection("docs");
        docs.insert_one(doc! { "_id": 1, "number": [Bson::Null, Bson::Int32(7)] }).await.unwrap();
        let field = NumberedField::new(&docs, "number");
        let field = if gapless { field.gapless() } else { field };
        field.ensure().await.unwrap();
        let report = field.verify().await.unwrap();
        assert_eq!((report.not_a_number, report.without_number), (1, 0), "{report}");
        field.backfill().await.unwrap();
        let now = by_id(&docs, 1).await;
        assert!(now.get_array("number").is_ok(), "{now}");
    }
}

/// Promised: numbers per scope, no gap of a gapless field. The update does not look at the scope again, and the cursor has read
/// documents long before (its first batch is 101), so a document that moves meanwhile gets a number of its old scope.
#[tokio::test]
async fn a_document_that_changes_its_scope_meanwhile_gets_a_number_of_its_own_scope() {
    for gapless in [true, false] {
        let test = TestDb::new().await;
        let docs: Collection<Document> = test.db.collection("bills");
        let field = NumberedField::new(&docs, "number").scope(["tenant"]);
        let field = if gapless { field.gapless() } else { field };
        field.ensure().await.unwrap();
        docs.insert_many((1..=3).map(|id| doc! { "_id": id, "tenant": "a" })).await.unwrap();
        let (uri, name) = (server().await.uri().to_owned(), test.db.name().to_owned());
        let mut moved = false;
        field
            .backfill()
            .batch_size(1)
            .on_progress(|_| {
                if !std::mem::replace(&mut moved, true) {
                    aside(|| async {
                        let other = Client::with_uri_str(&uri).await.unwrap();
                        let docs = other.database(&name).collection::<Document>("bills");
                        docs.update_one(doc! { "_id": 2 }, doc! { "$set": { "tenant": "b" } }).await.unwrap();
                    });
                }
            })
            .await
            .unwrap();
        let report = field.verify().await.unwrap();
        let all: Vec<_> = [by_id(&docs, 1).await, by_id(&docs, 2).await, by_id(&docs, 3).await].into();
        assert!(report.is_clean(), "gapless {gapless}: {report}\n{all:?}");
        assert_eq!(integer(all[1].get("number").unwrap()), 1, "gapless {gapless}");
    }
}

/// Promised: behind the highest number there is, holes are not filled, in the order of `_id`. A counter of a scope that lies
/// behind the data (an import; `ensure` does nothing for scopes) fills holes, and what collides comes last.
#[tokio::test]
async fn numbers_are_in_order_and_behind_the_data_where_the_counter_is_behind() {
    let test = TestDb::new().await;
    let docs: Collection<Document> = test.db.collection("docs");
    let field = NumberedField::new(&docs, "number").scope(["tenant"]);
    field.ensure().await.unwrap();
    docs.insert_one(doc! { "_id": 0, "tenant": "a" }).await.unwrap();
    field.backfill().await.unwrap();
    docs.insert_many([3, 6].map(|n| doc! { "_id": 100 + n, "tenant": "a", "number": n })).await.unwrap();
    docs.insert_many((1..=10).map(|id| doc! { "_id": id, "tenant": "a" })).await.unwrap();
    field.ensure().await.unwrap();
    field.backfill().await.unwrap();
    let mut numbers = Vec::new();
    for id in 1..=10 {
        numbers.push(integer(by_id(&docs, id).await.get("number").unwrap()));
    }
    assert!(numbers.is_sorted(), "not in order: {numbers:?}");
    assert!(numbers.iter().all(|number| *number > 6), "holes are filled: {numbers:?}");
}

/// NaN is an `_id` like another.
#[tokio::test]
async fn a_document_whose_id_is_nan_is_numbered() {
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let docs: Collection<Document> = test.db.collection("docs");
        docs.insert_many([doc! { "_id": f64::NAN }, doc! { "_id": 1.0 }]).await.unwrap();
        let field = NumberedField::new(&docs, "number");
        let field = if gapless { field.gapless() } else { field };
        let done = field.backfill().await.unwrap();
        assert_eq!(done.numbered, 2, "gapless {gapless}");
    }
}

fn code(number: i64) -> String {
    format!("C-{number:06}")
}

#[derive(Serialize, AutoIncrement)]
struct Coded {
    #[auto_increment(format = code)]
    code: String,
}

/// A fill that ends well has numbered all. Where stored texts are in the way of a batch, it looks ten times and ends well.
#[tokio::test]
async fn a_fill_that_ends_well_has_numbered_all() {
    let test = TestDb::new().await;
    let coded: Collection<Coded> = test.db.collection("coded");
    let docs = coded.clone_with_type::<Document>();
    Coded::ensure_sequences(&coded).await.unwrap();
    docs.insert_many((1..=40).map(|n| doc! { "code": code(n) })).await.unwrap(); // an import behind the counter's back
    docs.insert_many([doc! { "_id": 1 }, doc! { "_id": 2 }]).await.unwrap();
    let done = Coded::backfill_sequences(&coded).await.unwrap();
    let left = docs.count_documents(doc! { "code": null }).await.unwrap();
    assert_eq!(left, 0, "it said {done:?}");
}

/// Whatever connection breaks, the next run puts it right.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn broken_connections_leave_what_the_next_run_puts_right() {
    for gapless in [false, true] {
        for command in ["find", "getMore", "findAndModify", "update", "commitTransaction", "aggregate"] {
            for skip in [0, 1, 2] {
                let test = TestDb::with_faults().await;
                let docs: Collection<Document> = test.db.collection("docs");
                docs.insert_many(
                    (0_usize..120)
                        .map(|at| doc! { "_id": at.to_string(), "tenant": if at % 2 == 0 { "a" } else { "b" } }),
                )
                .await
                .unwrap();
                let field = NumberedField::new(&docs, "number").scope(["tenant"]);
                let field = if gapless { field.gapless() } else { field };
                field.ensure().await.unwrap();
                test.fail(&[command], doc! { "times": skip + 1 }, doc! { "closeConnection": true }).await;
                let first = field.backfill().batch_size(20).await;
                test.fail(&[command], "off", doc! {}).await;
                field.backfill().batch_size(20).await.unwrap();
                let report = field.verify().await.unwrap();
                assert!(
                    report.is_clean() && report.without_number == 0,
                    "{gapless} {command} {skip} {first:?}: {report}"
                );
                for one in &report.counters {
                    if gapless {
                        assert_eq!((one.missing, one.value), (0, Some(60)), "{command} {skip}: {report}");
                    }
                }
            }
        }
    }
}

/// Others insert and delete while it is stopped at random.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_at_random_beside_inserts_and_deletes() {
    let test = TestDb::new().await;
    let plains: Collection<Plain> = test.db.collection("plains");
    Plain::ensure_sequences(&plains).await.unwrap();
    let docs = plains.clone_with_type::<Document>();
    docs.insert_many((0..800).map(|at| doc! { "_id": at })).await.unwrap();
    docs.insert_many((800..900).map(|at| doc! { "_id": at, "a": at, "b": at })).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let others = tokio::spawn({
        let (plains, docs, stop) = (plains.clone(), docs.clone(), stop.clone());
        async move {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                Plain { a: 0, b: 0 }.insert_with_seq(&plains).await.unwrap();
                docs.delete_one(doc! { "_id": n * 7 % 800 }).await.unwrap();
                n += 1;
            }
        }
    });
    for millis in [1, 2, 3, 5, 8, 13, 21, 34] {
        let _stopped = tokio::time::timeout(
            Duration::from_millis(millis),
            Plain::backfill_sequences(&plains).batch_size(13).into_future(),
        )
        .await;
    }
    Plain::backfill_sequences(&plains).batch_size(100).await.unwrap();
    stop.store(true, Ordering::Relaxed);
    others.await.unwrap();
    for report in Plain::verify_sequences(&plains).await.unwrap() {
        assert!(report.is_clean() && report.without_number == 0, "{report}");
    }
    let kept = docs.count_documents(doc! { "_id": { "$gte": 800, "$lt": 900 }, "$expr": { "$and": [{ "$eq": ["$a", "$_id"] }, { "$eq": ["$b", "$_id"] }] } });
    assert_eq!(kept.await.unwrap(), 100);
}

/// A counter that was restarted between two numbers of `start` goes on from there, and so do the numbers that are free.
#[tokio::test]
async fn a_gapless_fill_goes_on_from_where_the_counter_stands() {
    let test = TestDb::new().await;
    let docs: Collection<Document> = test.db.collection("docs");
    let field = NumberedField::new(&docs, "number").start(10).step(10).gapless();
    field.ensure().await.unwrap();
    field.sequence(&doc! {}).unwrap().restart(15).await.unwrap();
    docs.insert_many([doc! { "_id": 1 }, doc! { "_id": 2 }, doc! { "_id": 3, "number": 25 }]).await.unwrap();
    assert_eq!(field.backfill().await.unwrap().numbered, 2);
    assert_eq!(test.numbers("docs", "number").await, [15, 25, 35].into());
}
