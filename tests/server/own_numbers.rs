//! `by_default`: a number that the document brings along is kept, and the counter learns from it.

mod transactions;

use std::num::NonZero;

use mongo_sequence::{AutoIncrement, ErrorKind, SequenceValue};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize};

use crate::support::{TestDb, code};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Item {
    #[serde(rename = "_id")]
    #[auto_increment(by_default)]
    id: Option<i64>,
}

fn item(id: impl Into<Option<i64>>) -> Item {
    Item { id: id.into() }
}

async fn items() -> (TestDb, Collection<Item>) {
    let test = TestDb::new().await;
    let items = test.db.collection("orders");
    (test, items)
}

#[tokio::test]
async fn a_number_of_ones_own_is_kept_and_the_counter_goes_on_behind_it() {
    let (test, items) = items().await;
    let mut seen = Vec::new();
    for own in [None, Some(500), None, Some(3), None, Some(510), Some(-7), None] {
        let mut item = item(own);
        let result = item.insert_with_seq(&items).await.unwrap();
        assert_eq!(result.inserted_id.as_i64(), item.id);
        seen.push(item.id.unwrap());
    }
    assert_eq!(seen, [1, 500, 501, 3, 502, 510, -7, 511]);
    assert_eq!(test.value("orders._id").await, Some(511));
}

/// First the insert, then one command that raises; none that takes a number.
#[tokio::test]
async fn what_is_sent_for_a_number_of_ones_own() {
    let (test, items) = items().await;
    item(None).insert_with_seq(&items).await.unwrap();
    test.sent.clear();
    item(500).insert_with_seq(&items).await.unwrap();
    assert_eq!(test.sent.names(), ["insert", "findAndModify"]);
    let raise = &test.sent.named("findAndModify")[0];
    assert_eq!(raise.get_document("update").unwrap(), &doc! { "$max": { "seq": 500_i64 } });
    assert!(!raise.contains_key("upsert"));
    test.sent.clear();
    item(-7).insert_with_seq(&items).await.unwrap();
    assert_eq!(test.sent.names(), ["insert"], "before the first number there is nothing to learn");
}

#[tokio::test]
async fn the_first_call_ever_with_a_number_of_ones_own_does_not_hide_the_data() {
    let (test, items) = items().await;
    test.import("_id", 10..=279).await;
    item(5).insert_with_seq(&items).await.unwrap();
    let mut next = item(None);
    next.insert_with_seq(&items).await.unwrap();
    assert_eq!(next.id, Some(280));
}

#[tokio::test]
async fn a_number_beyond_the_limit_is_kept_and_does_not_end_the_sequence() {
    #[derive(Serialize, AutoIncrement)]
    struct Bounded {
        #[serde(rename = "_id")]
        #[auto_increment(by_default, start = 1, step = 2, max = 99)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let bounded: Collection<Bounded> = test.db.collection("orders");
    for (own, counter) in
        [(Some(1000), None), (None, Some(1)), (Some(50), Some(49)), (Some(100), Some(49)), (None, Some(51))]
    {
        let mut model = Bounded { id: own };
        model.insert_with_seq(&bounded).await.unwrap();
        assert_eq!(test.value("orders._id").await, counter);
        assert!(own.is_none_or(|own| model.id == Some(own)));
    }
    assert_eq!(test.ids().await, [1, 50, 51, 100, 1000].into());
    Bounded { id: Some(98) }.insert_with_seq(&bounded).await.unwrap();
    Bounded { id: None }.insert_with_seq(&bounded).await.unwrap();
    let error = Bounded { id: None }.insert_with_seq(&bounded).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { value: 99, .. }), "{error:?}");
}

/// Where numbers come from outside, a `max` keeps one of them from ending the sequence.
#[tokio::test]
async fn the_very_last_number_is_the_last() {
    let (test, items) = items().await;
    item(i64::MAX).insert_with_seq(&items).await.unwrap();
    let error = item(None).insert_with_seq(&items).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { .. }), "{error:?}");
    assert_eq!(test.value("orders._id").await, Some(i64::MAX));
}

#[tokio::test]
async fn two_at_once_end_at_the_higher() {
    let (test, items) = items().await;
    let calls = (1..=64).map(|number| {
        let items = items.clone();
        tokio::spawn(async move { item(number * 7 % 1000).insert_with_seq(&items).await.map(drop) })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    assert_eq!(test.value("orders._id").await, Some(64 * 7));
}

/// Never renumbered, and the counter stays where it is.
#[tokio::test]
async fn a_number_of_ones_own_that_is_taken_is_the_callers_error() {
    let (test, items) = items().await;
    for _ in 0..3 {
        item(None).insert_with_seq(&items).await.unwrap();
    }
    let mut session = test.client.start_session().await.unwrap();
    let mut taken = item(2);
    for way in 0..4 {
        test.sent.clear();
        let call = taken.insert_with_seq(&items);
        let error = match way {
            0 => call.await,
            1 => call.gapless().await,
            2 => call.session(&mut session).await,
            _ => {
                session.start_transaction().await.unwrap();
                let refused = taken.insert_with_seq(&items).session(&mut session).gapless().await;
                session.abort_transaction().await.unwrap();
                refused
            }
        };
        let error = error.unwrap_err();
        assert_eq!((code(&error), error.number()), (Some(11_000), None), "way {way}");
        assert_eq!(test.sent.named("insert").len(), 1);
        assert!(test.sent.named("findAndModify").is_empty());
        assert_eq!((taken.id, test.value("orders._id").await), (Some(2), Some(3)));
    }
}

/// The document is stored, and the error says so.
#[tokio::test]
async fn a_counter_that_cannot_be_raised_is_reported_with_the_number() {
    let (test, items) = items().await;
    test.set_counter("orders._id", "no number").await;
    let error = item(500).insert_with_seq(&items).await.unwrap_err();
    match error.kind() {
        ErrorKind::NotRaised { sequence, number: 500, reason, .. } => {
            assert!(sequence == "orders._id" && reason.contains("no number"), "{error:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(test.ids().await, [500].into());
}

#[tokio::test]
async fn numbers_of_every_type_can_be_brought_along() {
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, SequenceValue)]
    struct Number(u32);
    type Maybe<N> = Option<N>;
    #[derive(Serialize, AutoIncrement)]
    struct Model<N> {
        #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
        #[auto_increment(by_default)]
        id: Maybe<N>,
    }
    async fn kept<N: SequenceValue + Copy + PartialEq + Send + Sync>(own: N, next: N) {
        let test = TestDb::new().await;
        let models: Collection<Model<N>> = test.db.collection("orders");
        let mut model = Model { id: Some(own) };
        model.insert_with_seq(&models).await.unwrap();
        assert!(model.id == Some(own));
        model.id = None;
        model.insert_with_seq(&models).await.unwrap();
        assert!(model.id == Some(next));
    }
    kept(7_i32, 8).await;
    kept(7_u64, 8).await;
    kept(Number(7), Number(8)).await;
    kept(NonZero::<u32>::MIN, NonZero::new(2).unwrap()).await;
}

/// BSON has no such number.
#[tokio::test]
async fn an_own_number_beyond_what_is_stored_is_refused_before_anything_is_sent() {
    #[derive(Serialize, AutoIncrement)]
    struct Wide {
        #[serde(rename = "_id")]
        #[auto_increment(by_default)]
        id: Option<u64>,
    }
    let test = TestDb::new().await;
    let wide: Collection<Wide> = test.db.collection("orders");
    let error = Wide { id: Some(u64::MAX) }.insert_with_seq(&wide).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Serialization { .. }), "{error:?}");
    assert!(test.sent.names().is_empty());
}

/// A plain `Option` has a number on every call, so that a closure which runs again takes a fresh one.
#[tokio::test]
async fn without_by_default_a_number_of_ones_own_is_replaced() {
    #[derive(Serialize, AutoIncrement)]
    struct Always {
        #[serde(rename = "_id")]
        #[auto_increment]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let always: Collection<Always> = test.db.collection("orders");
    let mut model = Always { id: Some(500) };
    model.insert_with_seq(&always).await.unwrap();
    assert_eq!(model.id, Some(1));
}

/// Reading, cloning and building a model sends nothing.
#[tokio::test]
async fn a_model_that_was_read_is_stored_again_under_its_number() {
    let (test, items) = items().await;
    item(None).insert_with_seq(&items).await.unwrap();
    let mut read = items.find_one(doc! {}).await.unwrap().unwrap();
    items.clone_with_type::<Document>().delete_many(doc! {}).await.unwrap();
    read.clone().insert_with_seq(&items).await.unwrap();
    assert_eq!((read.id, test.ids().await), (Some(1), [1].into()));
    read.id = None;
    read.insert_with_seq(&items).await.unwrap();
    assert_eq!(read.id, Some(2));
}

#[tokio::test]
async fn a_missing_shared_counter_is_no_reason_to_forget_a_number() {
    #[derive(Serialize, AutoIncrement)]
    struct Shared {
        #[serde(rename = "_id")]
        #[auto_increment(by_default, name = "documents", shared)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let shared: Collection<Shared> = test.db.collection("orders");
    let error = Shared { id: Some(5) }.insert_with_seq(&shared).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
    assert!(test.ids().await.is_empty());
    let error = Shared { id: Some(5) }.insert_with_seq(&shared).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotRaised { number: 5, .. }), "{error:?}");
}
