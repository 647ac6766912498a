//! What a report must not be led astray by.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use mongo_sequence::{AutoIncrement, ErrorKind, Fault, NumberedField};
use mongodb::{
    Client, Collection, IndexModel,
    bson::{Bson, Document, doc},
    event::{EventHandler, command::CommandEvent},
    options::{IndexOptions, ReadConcern},
};
use serde::Serialize;

use crate::{
    backfill::edges::aside,
    models::Plain,
    support::{TestDb, server, standalone},
};

#[derive(Serialize, AutoIncrement)]
struct Bill {
    tenant: String,
    #[auto_increment(gapless, scope(tenant))]
    number: i64,
}

async fn unique(collection: &Collection<Document>, keys: Document) {
    let options = IndexOptions::builder().unique(true).build();
    collection.create_index(IndexModel::builder().keys(keys).options(options).build()).await.unwrap();
}

/// An ordinary user may read his own database and not `admin.system.version`: the snapshot is given up in silence.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_read_admin_sees_one_moment_too() {
    let test = TestDb::with_faults().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
    let how = doc! { "errorCode": 13, "namespace": "admin.system.version" };
    test.fail(&["find"], "alwaysOn", how).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (bills, stop) = (bills.clone(), stop.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
                }
            })
        })
        .collect();
    test.sent.clear();
    let mut wrong = None;
    for _ in 0..100 {
        let report = Bill::verify_sequences(&bills).await.unwrap().remove(0);
        if !report.is_clean() {
            wrong = Some(report);
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    test.fail(&["find"], "off", doc! {}).await;
    let concern = test.sent.named("aggregate")[0].get_document("readConcern").unwrap().clone();
    assert!(wrong.is_none(), "{concern}: {}", wrong.unwrap());
}

/// The client's own read concern is not what decides.
#[tokio::test]
async fn a_client_with_a_read_concern_sees_one_moment_too() {
    for concern in [ReadConcern::majority(), ReadConcern::local(), ReadConcern::linearizable()] {
        let test = TestDb::on(server().await, |options| options.read_concern = Some(concern.clone())).await;
        let bills: Collection<Bill> = test.db.collection("bills");
        Bill::ensure_sequences(&bills).await.unwrap();
        Bill { tenant: "a".into(), number: 0 }.insert_with_seq(&bills).await.unwrap();
        test.sent.clear();
        Bill::verify_sequences(&bills).await.unwrap();
        let level = test.sent.named("aggregate")[0].get_document("readConcern").unwrap().clone();
        assert_eq!(level.get_str("level").unwrap(), "snapshot", "{concern:?}: {level}");
    }
}

/// The rustdoc says that on a standalone server a counter is seen later than the data; it is seen earlier, and so every insert in
/// between is a counter behind the data.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_standalone_server_no_counter_seems_behind() {
    let test = TestDb::on(standalone().await, |_| {}).await;
    let docs: Collection<Plain> = test.db.collection("plains");
    Plain::ensure_sequences(&docs).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let (docs, stop) = (docs.clone(), stop.clone());
        async move {
            while !stop.load(Ordering::Relaxed) {
                Plain { a: 0, b: 0 }.insert_with_seq(&docs).await.unwrap();
            }
        }
    });
    let mut wrong = None;
    for _ in 0..100 {
        let reports = Plain::verify_sequences(&docs).await.unwrap();
        wrong = reports.into_iter().find(|report| !report.is_clean());
        if wrong.is_some() {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    assert!(wrong.is_none(), "{}", wrong.unwrap());
}

/// Promised: no real fault is missed. The estimate is compared with a count of an earlier moment: as many deletes in between as there
/// are texts, and the texts are overlooked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletes_meanwhile_hide_nothing() {
    let uri = server().await.uri().to_owned();
    let handler = EventHandler::callback(move |event: CommandEvent| {
        if let CommandEvent::Started(started) = event
            && started.command_name == "count"
        {
            let uri = uri.clone();
            aside(|| async move {
                let other = Client::with_uri_str(&uri).await.unwrap();
                let docs = other.database(&started.db).collection::<Document>("docs");
                docs.delete_many(doc! { "number": { "$in": [1, 2] } }).await.unwrap();
            });
        }
    });
    let test = TestDb::on(server().await, |options| options.command_event_handler = Some(handler)).await;
    let docs: Collection<Document> = test.db.collection("docs");
    let field = NumberedField::new(&docs, "number");
    field.ensure().await.unwrap();
    docs.insert_many((1..=5).map(|n| doc! { "number": n })).await.unwrap();
    docs.insert_many([doc! { "number": "text" }, doc! {}]).await.unwrap();
    test.set_counter("docs.number", 5_i64).await;
    let report = field.verify().await.unwrap();
    assert_eq!((report.not_a_number, report.without_number), (1, 1), "{report}");
}

/// To the server, and to the counter of the scope, 2026 and 2026.0 are one year.
#[tokio::test]
async fn a_scope_in_two_widths_is_one() {
    for (indexed, years) in [
        (true, [Bson::Double(2026.0), Bson::Int32(2026), Bson::Double(2026.0)]),
        (false, [Bson::Double(2026.0), Bson::Int32(2026), Bson::Double(2026.0)]),
        (false, [Bson::Int64(2026), Bson::Int32(2026), Bson::Int64(2026)]),
    ] {
        let test = TestDb::new().await;
        let docs: Collection<Document> = test.db.collection("docs");
        if indexed {
            unique(&docs, doc! { "year": 1, "number": 1 }).await;
        }
        docs.insert_many((1..=3).zip(&years).map(|(n, year)| doc! { "year": year, "number": n })).await.unwrap();
        test.counters().insert_one(doc! { "_id": { "seq": "docs.number", "year": 2026 }, "seq": 3_i64 }).await.unwrap();
        let report = NumberedField::new(&docs, "number").scope(["year"]).verify().await.unwrap();
        assert!(report.is_clean() && report.counters.len() == 1, "indexed {indexed}, {years:?}: {report}");
    }
}

/// A list as a scope is found by its elements.
#[tokio::test]
async fn a_list_as_scope_fills_no_hole() {
    let test = TestDb::new().await;
    let docs: Collection<Document> = test.db.collection("docs");
    unique(&docs, doc! { "tenant": 1, "number": 1 }).await;
    docs.insert_many([
        doc! { "tenant": "a", "number": 1 },
        doc! { "tenant": "a", "number": 3 },
        doc! { "tenant": ["a", "z"], "number": 2 },
    ])
    .await
    .unwrap();
    let report = NumberedField::new(&docs, "number").scope(["tenant"]).verify().await.unwrap();
    let a = report.counters.iter().find(|one| one.scope == doc! { "tenant": "a" }).unwrap();
    assert_eq!((a.missing, &a.first_missing[..]), (1, &[2][..]), "{report}");
}

/// The same without an index, where scopes are told apart by what changes in the order of the server.
#[tokio::test]
async fn a_list_as_scope_splits_no_other() {
    let test = TestDb::new().await;
    let docs: Collection<Document> = test.db.collection("docs");
    docs.insert_many([
        doc! { "tenant": "a", "number": 1 },
        doc! { "tenant": ["a", "z"], "number": 1 },
        doc! { "tenant": "a", "number": 1 },
        doc! { "tenant": ["a", "z"], "number": 2 },
        doc! { "tenant": "a", "number": 3 },
    ])
    .await
    .unwrap();
    let report = NumberedField::new(&docs, "number").scope(["tenant"]).verify().await.unwrap();
    let a: Vec<_> = report.counters.iter().filter(|one| one.scope == doc! { "tenant": "a" }).collect();
    assert_eq!(a.len(), 1, "{report}");
    assert_eq!((a[0].missing, a[0].duplicates), (1, 1), "{report}");
}

/// From one end of the Int64 to the other.
#[tokio::test]
async fn the_widest_range_is_verified() {
    for step in [1, 3] {
        let test = TestDb::new().await;
        let docs: Collection<Document> = test.db.collection("docs");
        let start = i64::MIN + step;
        let field = NumberedField::new(&docs, "number").scope(["tenant"]).start(start).step(step);
        field.ensure().await.unwrap();
        let last =
            start + i64::try_from((i128::from(i64::MAX) - i128::from(start)) / i128::from(step) / 2).unwrap() * step;
        let far = i64::try_from(
            i128::from(last) + (i128::from(i64::MAX) - i128::from(last)) / i128::from(step) * i128::from(step),
        )
        .unwrap();
        docs.insert_many([start, 0, far].map(|n| doc! { "tenant": "a", "number": n })).await.unwrap();
        let report = field.verify().await;
        assert!(report.is_ok(), "{report:?}");
        let report = report.unwrap();
        assert_eq!(report.counters[0].first_missing.first(), Some(&(start + step)));
    }
}

/// A dropped ensure, a verify of nothing, and counters in odd forms.
#[tokio::test]
async fn odd_counters_are_told() {
    for value in [
        Bson::Null,
        "x".into(),
        Bson::Array(vec![5.into()]),
        Bson::Double(f64::NAN),
        Bson::Double(4.5),
        Bson::Decimal128("3".parse().unwrap()),
        Bson::Int32(4),
        Bson::Double(4.0),
    ] {
        let test = TestDb::new().await;
        let docs: Collection<Document> = test.db.collection("docs");
        docs.insert_many([doc! { "_id": 1, "number": 9 }, doc! { "_id": 2 }]).await.unwrap();
        test.set_counter("docs.number", value.clone()).await;
        let good = matches!(value, Bson::Int32(_)) || value == Bson::Double(4.0);
        let field = NumberedField::new(&docs, "number");
        let report = field.verify().await.unwrap();
        let fault = &report.counters[0].faults[0];
        assert!(
            if good { *fault == Fault::CounterBehind } else { matches!(fault, Fault::CounterCorrupt(_)) },
            "{value}: {report}"
        );
        let results = [
            field.ensure().dry_run().await.map(drop),
            field.ensure().await.map(drop),
            field.backfill().await.map(drop),
            field.clone().gapless().backfill().await.map(drop),
            field.sequence(&doc! {}).unwrap().restart(50).await,
            field.sequence(&doc! {}).unwrap().raise_to(50).await.map(drop),
        ];
        for result in results {
            assert!(result.is_ok() == good, "{value}: {result:?}");
            if let Err(error) = result {
                assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
            }
        }
    }
}

/// A server keeps a moment for 5 minutes; what takes longer is seen at several.
#[tokio::test]
async fn a_moment_that_is_gone_is_not_tried_again() {
    let test = TestDb::with_faults().await;
    let docs: Collection<Document> = test.db.collection("docs");
    docs.insert_many((1..=3).map(|number| doc! { "number": number })).await.unwrap();
    test.set_counter("docs.number", 3_i64).await;
    test.sent.clear();
    test.fail(&["find"], doc! { "times": 1 }, doc! { "errorCode": 239 }).await;
    let report = NumberedField::new(&docs, "number").verify().await.unwrap();
    assert!(report.is_clean() && report.documents == 3, "{report}");
    let moments = test
        .sent
        .named("find")
        .iter()
        .map(|sent| sent.get_document("readConcern").unwrap().clone())
        .collect::<Vec<_>>();
    assert_eq!(moments[0].get_str("level").unwrap(), "snapshot");
    assert!(moments[1..].iter().all(|moment| moment.get_str("level").unwrap() == "local"), "{moments:?}");
}
