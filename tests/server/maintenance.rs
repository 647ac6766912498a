//! Looking after numbers while the service runs, and with a client that may use nothing but the Stable API.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use mongo_sequence::{AutoIncrement, ForeignCounter, NumberedField, Sequence, SequencedCollection};
use mongodb::{
    Collection,
    bson::{Document, doc},
    options::{ServerApi, ServerApiVersion},
};
use serde::Serialize;

use crate::support::{TestDb, server};

#[derive(Serialize, AutoIncrement)]
struct Parcel {
    #[auto_increment]
    number: i64,
    #[auto_increment(gapless, scope(depot))]
    position: i64,
    depot: i32,
}

fn parcel(depot: i32) -> Parcel {
    Parcel { number: 0, position: 0, depot }
}

/// 16 tasks insert at full speed, some with blocks, while everything runs in turn, several times.
#[tokio::test(flavor = "multi_thread")]
async fn everything_runs_beside_inserts_at_full_speed() {
    let test = TestDb::new().await;
    let parcels: Collection<Parcel> = test.db.collection("parcels");
    Parcel::ensure_sequences(&parcels).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let shared = SequencedCollection::builder(parcels.clone()).block_size(20).build();
    let writers: Vec<_> = (0..16)
        .map(|writer| {
            let (plain, shared, stop) = (parcels.clone(), shared.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut told = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let mut parcel = parcel(writer % 2);
                    match writer {
                        0 => parcel.insert_with_seq(&plain).await.unwrap(),
                        _ => parcel.insert_with_seq(&shared).await.unwrap(),
                    };
                    told.push((parcel.number, parcel.depot, parcel.position));
                }
                told
            })
        })
        .collect();

    let documents = parcels.clone_with_type::<Document>();
    let theirs: Collection<Document> = test.db.collection("doctrine_increment_ids");
    let number = Parcel::sequence(&parcels, "number").unwrap();
    let mut filled = 0;
    for round in 1..=4 {
        assert_eq!(Parcel::ensure_sequences(&parcels).await.unwrap().indexes, [] as [Document; 0]);
        for report in Parcel::verify_sequences(&parcels).await.unwrap() {
            assert!(report.is_clean(), "{report}");
        }
        documents.insert_many((0..250).map(|at| doc! { "depot": at % 2 })).await.unwrap();
        let done = Parcel::backfill_sequences(&parcels).batch_size(100).await.unwrap();
        assert_eq!(done.numbered, 500, "both fields of each");
        filled += 250;
        let last = doc! { "$set": { "current_id": round * 100_000 } };
        theirs.update_one(doc! { "_id": "parcels" }, last).upsert(true).await.unwrap();
        let adopted = number.adopt(&ForeignCounter::doctrine("parcels")).await.unwrap();
        assert!(adopted.value >= i64::from(round) * 100_000, "{adopted:?}");
    }
    stop.store(true, Ordering::Relaxed);
    let mut told = Vec::new();
    for writer in writers {
        told.extend(writer.await.unwrap());
    }

    let stored = documents.count_documents(doc! {}).await.unwrap();
    assert_eq!(stored, told.len() as u64 + filled);
    let mut found = documents.find(doc! {}).await.unwrap();
    let mut all = HashSet::new();
    while found.advance().await.unwrap() {
        let document = found.deserialize_current().unwrap();
        let [number, position] = ["number", "position"].map(|field| document.get_i64(field).unwrap());
        all.insert((number, document.get_i32("depot").unwrap(), position));
    }
    assert!(told.iter().all(|told| all.contains(told)), "a document is lost, or told with another number");
    let reports = Parcel::verify_sequences(&parcels).await.unwrap();
    for report in &reports {
        assert!(report.is_clean() && report.without_number == 0 && report.documents == stored, "{report}");
    }
    assert!(reports[1].counters.iter().all(|one| one.missing == 0 && one.value == one.highest), "{}", reports[1]);
}

#[tokio::test]
async fn with_nothing_but_the_stable_api() {
    let strict = ServerApi::builder().version(ServerApiVersion::V1).strict(true).deprecation_errors(true).build();
    let test = TestDb::on(server().await, |options| options.server_api = Some(strict)).await;
    let parcels: Collection<Parcel> = test.db.collection("parcels");
    let documents = parcels.clone_with_type::<Document>();
    documents.insert_many((0..30).map(|at| doc! { "_id": at, "depot": at % 2 })).await.unwrap();
    documents.insert_one(doc! { "_id": 100, "depot": 1, "number": 7 }).await.unwrap();
    assert!(!Parcel::ensure_sequences(&parcels).await.unwrap().indexes.is_empty());
    assert_eq!(Parcel::backfill_sequences(&parcels).await.unwrap().numbered, 61);
    let shared = SequencedCollection::builder(parcels.clone()).block_size(5).build();
    for _ in 0..3 {
        parcel(1).insert_with_seq(&parcels).await.unwrap();
        parcel(0).insert_with_seq(&shared).await.unwrap();
    }
    Parcel::insert_many_with_seq(&mut [parcel(1), parcel(2)], &parcels).await.unwrap();
    for report in Parcel::verify_sequences(&parcels).await.unwrap() {
        assert!(report.is_clean() && report.documents == 39, "{report}");
    }
    // holes are looked for, and without the index everything is read
    documents.delete_many(doc! { "number": { "$in": [10, 12] } }).await.unwrap();
    let number = NumberedField::new(&parcels, "number");
    let first_missing = || async { number.verify().await.unwrap().counters[0].first_missing.clone() };
    assert!(first_missing().await.starts_with(&[1, 2, 3, 4, 5, 6, 10, 12]));
    documents.drop_index("number_1_numbered").await.unwrap();
    assert!(first_missing().await.starts_with(&[1, 2, 3, 4, 5, 6, 10, 12]));
    let sequence = Parcel::sequence(&parcels, "number").unwrap();
    sequence.raise_to(1_000).await.unwrap();
    sequence.restart(500).assume_stopped().await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 500);
    test.db.collection("numbers").insert_one(doc! { "_id": "x", "seq": 41 }).await.unwrap();
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    assert_eq!(tickets.adopt(&ForeignCounter::by_id("numbers", "x")).await.unwrap().value, 41);
    assert_eq!(Sequence::list(&test.db).await.unwrap().len(), 5);
}
