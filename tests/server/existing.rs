//! Collections and counters that are there before the library comes.

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence};
use mongodb::{
    Collection,
    bson::{Bson, doc, oid::ObjectId},
};
use serde::Serialize;

use crate::{
    models::{Order, SmallOrder, order},
    support::TestDb,
};

/// The next three numbers of a model over documents that have these numbers, without a counter.
async fn continued<T: AutoIncrement>(
    existing: impl IntoIterator<Item = i64>,
    mut model: T,
    id: fn(&T) -> i64,
) -> Vec<i64> {
    let test = TestDb::new().await;
    test.import("_id", existing).await;
    let collection: Collection<T> = test.db.collection("orders");
    let mut numbers = Vec::new();
    for _ in 0..3 {
        model.insert_with_seq(&collection).await.unwrap();
        numbers.push(id(&model));
    }
    numbers
}

#[derive(Serialize, AutoIncrement)]
struct Down {
    #[serde(rename = "_id")]
    #[auto_increment(start = -1, step = -1)]
    id: i32,
}

#[derive(Serialize, AutoIncrement)]
struct Odd {
    #[serde(rename = "_id")]
    #[auto_increment(step = 2)]
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct Hundreds {
    #[serde(rename = "_id")]
    #[auto_increment(start = 100, step = 10)]
    id: u32,
}

#[tokio::test]
async fn an_existing_collection_is_continued() {
    assert_eq!(continued(1..=279, order(), |order| order.id).await, [280, 281, 282]);
}

#[tokio::test]
async fn a_descending_sequence_goes_on_downwards() {
    assert_eq!(continued((1..=50).map(|n| -n), Down { id: 0 }, |down| down.id.into()).await, [-51, -52, -53]);
}

#[tokio::test]
async fn the_grid_is_kept() {
    assert_eq!(continued(1..=100, Odd { id: 0 }, |odd| odd.id).await, [101, 103, 105]);
    assert_eq!(continued([5], Hundreds { id: 0 }, |hundred| hundred.id.into()).await, [100, 110, 120]);
}

#[tokio::test]
async fn numbers_beyond_what_the_sequence_can_hand_out_do_not_end_it() {
    let beyond = [3, 1_700_000_000_000];
    assert_eq!(continued(beyond, SmallOrder { id: 0 }, |order| order.id.into()).await, [4, 5, 6]);
}

#[tokio::test]
async fn mixed_ids_count_as_far_as_they_are_numbers() {
    let test = TestDb::new().await;
    let mixed =
        [Bson::ObjectId(ObjectId::new()), "zz".into(), f64::INFINITY.into(), f64::NAN.into(), 7.into(), 1e30.into()];
    test.import("_id", mixed).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut order = order();
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.id, 8);
}

#[tokio::test]
async fn arrays_and_fractions_do_not_stand_in_the_way() {
    #[derive(Serialize, AutoIncrement)]
    struct Numbered {
        #[auto_increment]
        number: i64,
    }
    let test = TestDb::new().await;
    test.import("number", [Bson::Array(vec![90.into()]), 41.5.into(), Bson::Null]).await;
    let orders: Collection<Numbered> = test.db.collection("orders");
    let mut numbered = Numbered { number: 0 };
    numbered.insert_with_seq(&orders).await.unwrap();
    assert_eq!(numbered.number, 42);
}

#[derive(Serialize, AutoIncrement)]
#[auto_increment(value_field = "value")]
struct Message {
    #[serde(rename = "_id")]
    #[auto_increment(name = "messages")]
    id: i64,
}

#[derive(Serialize, AutoIncrement)]
struct ForgetfulMessage {
    #[serde(rename = "_id")]
    #[auto_increment(name = "messages")]
    id: i64,
}

#[tokio::test]
async fn a_counter_made_by_hand_is_carried_on() {
    let test = TestDb::new().await;
    let by_hand = doc! { "_id": "messages", "value": 41, "note": "since 2019" };
    test.counters().insert_one(&by_hand).await.unwrap();

    let forgetful: Collection<ForgetfulMessage> = test.db.collection("messages");
    let error = ForgetfulMessage { id: 0 }.insert_with_seq(&forgetful).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
    assert_eq!(test.counter("messages").await, Some(by_hand));

    let messages: Collection<Message> = test.db.collection("messages");
    let mut message = Message { id: 0 };
    message.insert_with_seq(&messages).await.unwrap();
    assert_eq!(message.id, 42);
    let counter = test.counter("messages").await.unwrap();
    assert_eq!(counter.get_str("note").unwrap(), "since 2019");

    let by_name = Sequence::new(&test.db, "messages").value_field("value");
    assert_eq!(by_name.next_value().await.unwrap(), 43);
}

#[tokio::test]
async fn counters_of_the_same_struct_in_two_collections_are_independent() {
    let test = TestDb::new().await;
    let (a, b): (Collection<Order>, Collection<Order>) = (test.db.collection("a"), test.db.collection("b"));
    let mut order = order();
    order.insert_with_seq(&a).await.unwrap();
    order.insert_with_seq(&a).await.unwrap();
    order.insert_with_seq(&b).await.unwrap();
    assert_eq!((order.id, test.value("a._id").await, test.value("b._id").await), (1, Some(2), Some(1)));
}

#[tokio::test]
async fn a_deleted_number_is_not_given_again() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut order = order();
    order.insert_with_seq(&orders).await.unwrap();
    orders.delete_one(doc! { "_id": 1 }).await.unwrap();
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.id, 2);
}

#[tokio::test]
async fn a_lost_counter_is_made_again_from_the_data() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    for expected in 1..=3 {
        let mut order = order();
        order.insert_with_seq(&orders).await.unwrap();
        assert_eq!(order.id, expected);
        test.counters().drop().await.unwrap();
    }
    let mut order = order();
    order.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(order.id, 4);
}
