//! Batches that meet numbers which are in the data already, or which their own documents bring along.

use std::time::Duration;

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::Serialize;

use super::{incomplete, refusals};
use crate::{
    models::{Order, order},
    support::TestDb,
};

/// Numbers that are in the data already are skipped, and what comes behind stays behind.
#[tokio::test]
async fn a_batch_passes_numbers_that_are_taken() {
    for (ordered, expected) in [(true, [3, 4, 8, 9, 10]), (false, [3, 4, 8, 6, 7])] {
        let test = TestDb::new().await;
        test.import("_id", [1, 2, 5]).await;
        test.set_counter("orders._id", 2_i64).await;
        let orders: Collection<Order> = test.db.collection("orders");
        let mut batch = vec![order(); 5];
        let result = Order::insert_many_with_seq(&mut batch, &orders).ordered(ordered).await.unwrap();
        let ids: Vec<_> = batch.iter().map(|order| order.id).collect();
        assert!((0..5).all(|index| result.inserted_ids[&index].as_i64() == Some(ids[index])));
        assert_eq!(test.ids().await, (1..=2).chain([5]).chain(ids.iter().copied()).collect());
        assert_eq!(ids, expected, "ordered: {ordered}");
    }
}

/// Free numbers before and between those that are taken are given, and nothing is lost if the batch is refused.
#[tokio::test]
async fn a_gapless_batch_passes_numbers_that_are_taken_and_leaves_no_hole() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Parcel {
        #[serde(rename = "_id")]
        #[auto_increment]
        id: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        item: Option<&'static str>,
    }
    for library in [true, false] {
        let test = TestDb::new().await;
        test.import("_id", [1, 2, 5, 7, 8, 1000]).await;
        let options = mongodb::options::IndexOptions::builder().unique(true).sparse(true).build();
        let parcels: Collection<Parcel> = test.db.collection("orders");
        let index = mongodb::IndexModel::builder().keys(doc! { "item": 1 }).options(options).build();
        parcels.create_index(index).await.unwrap();
        test.set_counter("orders._id", 2_i64).await;
        let mut session = test.client.start_session().await.unwrap();
        for (items, expected) in [([Some("a"), None, None, Some("a")], None), ([None; 4], Some([3, 4, 6, 9]))] {
            let mut batch = items.map(|item| Parcel { id: 0, item });
            let inserted = if library {
                Parcel::insert_many_with_seq(&mut batch, &parcels).gapless().await
            } else {
                session.start_transaction().await.unwrap();
                let inserted = Parcel::insert_many_with_seq(&mut batch, &parcels).session(&mut session).gapless().await;
                match &inserted {
                    Ok(_) => session.commit_transaction().await.unwrap(),
                    Err(_) => session.abort_transaction().await.unwrap(),
                }
                inserted
            };
            match expected {
                Some(expected) => assert_eq!(batch.map(|parcel| parcel.id), expected),
                None => assert!(inserted.unwrap_err().is_duplicate_key()),
            }
            assert_eq!(test.value("orders._id").await, Some(expected.map_or(2, |ids| ids[3])), "library: {library}");
        }
    }
}

/// With a run of taken numbers in the middle, longer than the batch.
#[tokio::test]
async fn a_gapless_batch_passes_a_long_run() {
    let test = TestDb::new().await;
    test.import("_id", 3..=5000).await;
    test.set_counter("orders._id", 0_i64).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut batch = vec![order(); 4];
    test.sent.clear();
    Order::insert_many_with_seq(&mut batch, &orders).gapless().await.unwrap();
    assert!(batch.iter().map(|order| order.id).eq([1, 2, 5001, 5002]));
    assert!(test.sent.named("findAndModify").len() <= 4, "{:?}", test.sent.names());
}

#[tokio::test]
async fn a_batch_may_bring_some_numbers_along() {
    #[derive(Serialize, AutoIncrement)]
    struct Item {
        #[serde(rename = "_id")]
        #[auto_increment(by_default)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let items: Collection<Item> = test.db.collection("orders");
    let mut batch = [None, Some(100), None, Some(2), None].map(|id| Item { id });
    Item::insert_many_with_seq(&mut batch, &items).await.unwrap();
    assert_eq!(batch.map(|item| item.id), [Some(1), Some(100), Some(3), Some(2), Some(4)], "2 is passed over");
    assert_eq!(test.value("orders._id").await, Some(100));
    for (gapless, expected) in [(false, [101, 103, 50, 104]), (true, [105, 107, 51, 108])] {
        let mut batch = [None, None, Some(expected[2]), None].map(|id| Item { id });
        batch[0].id = Some(expected[0] + 1);
        let insert = Item::insert_many_with_seq(&mut batch, &items);
        if gapless { insert.gapless() } else { insert }.await.unwrap();
        let ids = batch.map(|item| item.id.unwrap());
        assert_eq!(ids, [expected[0] + 1, expected[0], expected[2], expected[1]]);
        assert_eq!(test.value("orders._id").await, Some(expected[1]));
        Item { id: None }.insert_with_seq(&items).await.unwrap();
    }
    assert_eq!(test.ids().await, [1, 2, 3, 4, 50, 51].into_iter().chain(100..=108).collect(), "and none is missing");
}

/// Numbers that cannot be repaired, to the end: the error says where.
#[tokio::test]
async fn documents_that_collide_to_the_end_are_reported_with_their_places() {
    fn named(number: i64) -> String {
        format!("N{number}")
    }
    #[derive(Serialize, AutoIncrement)]
    struct File {
        #[serde(rename = "_id")]
        #[auto_increment(format = named)]
        id: String,
    }
    let test = TestDb::new().await;
    let files: Collection<File> = test.db.collection("files");
    let file = || File { id: String::new() };
    file().insert_with_seq(&files).await.unwrap();
    let taken = (3..=20).map(|number| doc! { "_id": named(number) });
    files.clone_with_type::<Document>().insert_many(taken).await.unwrap();
    let mut batch = [file(), file()];
    let error = File::insert_many_with_seq(&mut batch, &files).await.unwrap_err();
    assert_eq!((incomplete(&error), refusals(&error)), ([vec![0], vec![1], vec![]], vec![(1, 11_000)]));
    assert!(error.to_string().contains("document 1: the server refused it with code 11000: E11000"), "{error}");
    assert!(!error.to_string().contains("RawDocumentBuf") && error.to_string().len() < 300, "{error}");
}

#[derive(Clone, Debug, Serialize, AutoIncrement)]
struct Own {
    #[serde(rename = "_id")]
    #[auto_increment(by_default)]
    id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

fn own<const N: usize>(ids: [Option<i64>; N]) -> [Own; N] {
    ids.map(|id| Own { id, text: None })
}

fn ids(batch: &[Own]) -> Vec<i64> {
    batch.iter().map(|own| own.id.unwrap()).collect()
}

/// A number that the batch brings along, one that is stored, and the numbers between and behind them.
#[tokio::test]
async fn a_gapless_batch_passes_its_own_numbers_and_stored_ones() {
    for library in [true, false] {
        let test = TestDb::new().await;
        test.import("_id", [4]).await;
        test.set_counter("orders._id", 0_i64).await;
        let items: Collection<Own> = test.db.collection("orders");
        let mut session = test.client.start_session().await.unwrap();
        let mut batch = own([None, Some(2), None, None]);
        if library {
            Own::insert_many_with_seq(&mut batch, &items).gapless().await.unwrap();
        } else {
            session.start_transaction().await.unwrap();
            Own::insert_many_with_seq(&mut batch, &items).session(&mut session).gapless().await.unwrap();
            session.commit_transaction().await.unwrap();
        }
        assert_eq!((ids(&batch), test.value("orders._id").await), (vec![1, 2, 3, 5], Some(5)));
    }
}

/// The number of a document that is rolled back comes again.
#[tokio::test]
async fn a_refused_gapless_batch_loses_no_number_that_it_brought_along() {
    let test = TestDb::new().await;
    test.import("_id", [2]).await;
    test.set_counter("orders._id", 0_i64).await;
    let items: Collection<Own> = test.db.collection("orders");
    let options = mongodb::options::IndexOptions::builder().unique(true).sparse(true).build();
    let index = mongodb::IndexModel::builder().keys(doc! { "text": 1 }).options(options).build();
    items.create_index(index).await.unwrap();
    let mut batch = own([Some(1), None]);
    for own in &mut batch {
        own.text = Some("a");
    }
    let error = Own::insert_many_with_seq(&mut batch, &items).gapless().await.unwrap_err();
    assert!(error.is_duplicate_key(), "{error:?}");
    assert_eq!(test.value("orders._id").await, Some(0));
    let mut batch = own([None, None]);
    Own::insert_many_with_seq(&mut batch, &items).gapless().await.unwrap();
    assert_eq!(ids(&batch), [1, 3]);
}

/// At the end of all numbers, and of those that may be given: an error, and no search without end.
#[tokio::test]
async fn a_batch_at_the_limit_is_told_so() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Few {
        #[serde(rename = "_id")]
        #[auto_increment(by_default, max = 3)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let items: Collection<Own> = test.db.collection("items");
    own([Some(i64::MAX - 1)])[0].insert_with_seq(&items).await.unwrap();
    let error = Own::insert_many_with_seq(&mut own([Some(i64::MAX), None]), &items).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { .. }), "{error:?}");

    let few: Collection<Few> = test.db.collection("few");
    let mut batch = [None, Some(2), None, None].map(|id| Few { id });
    for gapless in [true, false] {
        let insert = Few::insert_many_with_seq(&mut batch, &few);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exhausted { limit: 3, .. }), "{error:?}");
    }
}

/// Every scope of the batch meets a number that is taken.
#[tokio::test]
async fn a_batch_over_many_scopes_passes_a_taken_number_in_each() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Scoped {
        tenant: i32,
        #[auto_increment(scope(tenant))]
        number: i64,
    }
    for way in 0..3 {
        let test = TestDb::new().await;
        let scoped: Collection<Scoped> = test.db.collection("scoped");
        Scoped::ensure_sequences(&scoped).await.unwrap();
        for tenant in 0..8 {
            let taken = doc! { "tenant": tenant, "number": 2 };
            scoped.clone_with_type::<Document>().insert_one(taken).await.unwrap();
            let key = doc! { "seq": "scoped.number", "tenant": tenant };
            test.counters().insert_one(doc! { "_id": key, "seq": 0_i64 }).await.unwrap();
        }
        let mut batch: Vec<Scoped> = (0..16).map(|n| Scoped { tenant: n / 2, number: 0 }).collect();
        let insert = Scoped::insert_many_with_seq(&mut batch, &scoped);
        match way {
            0 => insert.gapless().await.unwrap(),
            1 => insert.await.unwrap(),
            _ => insert.ordered(false).await.unwrap(),
        };
        assert_eq!(scoped.clone_with_type::<Document>().count_documents(doc! {}).await.unwrap(), 24);
        if way == 0 {
            assert!(batch.chunks(2).all(|pair| (pair[0].number, pair[1].number) == (1, 3)));
        }
    }
}

#[tokio::test]
async fn an_unknown_commit_tells_a_number_even_if_the_first_document_brings_its_own() {
    let test = TestDb::with_faults().await;
    let items: Collection<Own> = test.db.collection("orders");
    own([None])[0].insert_with_seq(&items).await.unwrap();
    let failure = doc! { "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" } };
    test.fail(&["commitTransaction"], "alwaysOn", failure).await;
    let mut batch = own([Some(50), None]);
    let call = Own::insert_many_with_seq(&mut batch, &items).gapless().time_limit(Duration::from_secs(1));
    let error = call.await.unwrap_err();
    test.fail(&["commitTransaction"], "off", doc! {}).await;
    assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
    assert_eq!(error.number(), Some(2));
}
