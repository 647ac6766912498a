//! `adopt` and `list`: counters of others, in the shape that they write, and all of our own.

use mongo_sequence::{Adopted, AutoIncrement, ErrorKind, ForeignCounter, Sequence};
use mongodb::{
    Collection,
    bson::{Bson, Document, doc, oid::ObjectId},
};

use crate::{
    models::{Order, order},
    support::TestDb,
};

fn adopted(found: i64, value: i64) -> impl Fn(Adopted) -> bool {
    move |adopted| (adopted.found, adopted.value) == (found, value)
}

#[tokio::test]
async fn the_counters_of_other_libraries_are_continued() {
    let shapes = [
        ("counters", doc! { "id": "order_id", "reference_value": null, "seq": 41 }, {
            ForeignCounter::mongoose_sequence("order_id", Bson::Null)
        }),
        ("identitycounters", doc! { "model": "Order", "field": "_id", "count": 41, "__v": 0 }, {
            ForeignCounter::identity_counter("Order", "_id")
        }),
        ("identitycounters", doc! { "modelName": "Order", "field": "_id", "count": 41.0 }, {
            ForeignCounter::identity_counter("Order", "_id")
        }),
        ("auto_increment_counters", doc! { "_id": "Order", "c": 41 }, ForeignCounter::mongoid_autoinc("Order")),
        ("doctrine_increment_ids", doc! { "_id": "orders", "current_id": 41_i64 }, ForeignCounter::doctrine("orders")),
        ("mongoengine.counters", doc! { "_id": "orders.id", "next": 41 }, ForeignCounter::mongoengine("orders.id")),
        ("database_sequences", doc! { "_id": "orders_sequence", "seq": 41_i64 }, {
            ForeignCounter::by_id("database_sequences", "orders_sequence")
        }),
        ("counters", doc! { "_id": "orderid", "sequence_value": 41 }, {
            ForeignCounter::new("counters", doc! { "_id": "orderid" }, "sequence_value")
        }),
        ("numbers", doc! { "_id": "orders", "next": 42 }, {
            ForeignCounter::new("numbers", doc! { "_id": "orders" }, "next").holds_next()
        }),
        ("own", doc! { "_id": "orders", "current_id": 41 }, ForeignCounter::doctrine("orders").in_collection("own")),
    ];
    for (collection, theirs, foreign) in shapes {
        let test = TestDb::new().await;
        let counters: Collection<Document> = test.db.collection(collection);
        let id = theirs.get("_id").cloned().unwrap_or_else(|| ObjectId::new().into());
        let mut theirs = theirs;
        theirs.insert("_id", id);
        counters.insert_one(&theirs).await.unwrap();
        // of another model, which must not be taken for it
        counters.insert_one(doc! { "id": "x", "model": "X", "field": "_id", "seq": 900, "count": 900 }).await.unwrap();
        let orders: Collection<Order> = test.db.collection("orders");
        let ids = Order::sequence(&orders, "id").unwrap();
        assert!(adopted(41, 41)(ids.adopt(&foreign).await.unwrap()), "{foreign:?}");
        let mut next = order();
        next.insert_with_seq(&orders).await.unwrap();
        assert_eq!(next.id, 42, "{foreign:?}");
        assert!(adopted(41, 42)(ids.adopt(&foreign).await.unwrap()), "it can be repeated: {foreign:?}");
        let now = counters.find_one(doc! { "_id": theirs.get("_id").unwrap() }).await.unwrap().unwrap();
        assert!(now.keys().all(|key| now.get(key) == theirs.get(key)), "only read: {now}");
    }
}

#[tokio::test]
async fn scopes_of_mongoose_sequence_are_told_apart_by_value() {
    let test = TestDb::new().await;
    let counters: Collection<Document> = test.db.collection("counters");
    let of = |scope: Document, seq: i32| doc! { "id": "n", "reference_value": scope, "seq": seq };
    counters.insert_many([of(doc! { "tenant": "a" }, 7), of(doc! { "tenant": "b" }, 3)]).await.unwrap();
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    let foreign = ForeignCounter::mongoose_sequence("n", doc! { "tenant": "b" });
    assert!(adopted(3, 3)(tickets.adopt(&foreign).await.unwrap()));
}

#[tokio::test]
async fn without_a_counter_or_a_number_nothing_is_taken_over() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    let foreign = ForeignCounter::doctrine("orders");
    let message = |error: mongo_sequence::Error| {
        assert!(matches!(error.kind(), ErrorKind::NothingToAdopt { .. }), "{error:?}");
        error.to_string()
    };
    let none = message(tickets.adopt(&foreign).await.unwrap_err());
    assert!(none.contains("doctrine_increment_ids") && none.contains("no such document"), "{none}");
    let theirs: Collection<Document> = test.db.collection("doctrine_increment_ids");
    theirs.insert_one(doc! { "_id": "orders", "current_id": "41" }).await.unwrap();
    let wrong = message(tickets.adopt(&foreign).await.unwrap_err());
    assert!(wrong.contains("String \"41\""), "{wrong}");
    assert_eq!(test.counter("tickets").await, None);
    // a name is a value, never an operator
    let operator = ForeignCounter::by_id("doctrine_increment_ids", doc! { "$ne": 1 });
    message(tickets.adopt(&operator).await.unwrap_err());
}

#[tokio::test]
async fn all_counters_are_listed() {
    let test = TestDb::new().await;
    assert_eq!(Sequence::list(&test.db).await.unwrap(), []);
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    tickets.reserve(5).await.unwrap();
    let blocks =
        mongo_sequence::SharedSequence::builder(Sequence::new(&test.db, "blocks").start(1)).block_size(10).build();
    blocks.next_value().await.unwrap();
    let scoped = doc! { "seq": "bills.number", "tenant": "a" };
    test.counters().insert_one(doc! { "_id": &scoped, "seq": 7_i64 }).await.unwrap();
    test.set_counter("broken", "x").await;
    let listed = Sequence::list(&test.db).await.unwrap();
    let found: Vec<_> = listed.iter().map(|one| (one.key.clone(), one.value, one.gave_blocks)).collect();
    let name = |name: &str| Bson::from(name);
    let value = listed[0].value;
    assert!(value.is_some_and(|value| value >= 11));
    let expected = [
        (name("blocks"), value, true),
        (name("broken"), None, false),
        (name("tickets"), Some(5), false),
        (scoped.into(), Some(7), false),
    ];
    assert_eq!(found, expected);
    let own = Sequence::list_in(&test.db, "sequences", "value").await.unwrap();
    assert!(own.iter().all(|one| one.value.is_none()));
}

/// The other counter gives out 42 next, so it has given out 41. Ours counts by 10 and must not.
#[tokio::test]
async fn what_a_counter_with_the_next_number_gave_out_does_not_come_again() {
    for (start, step, next) in [(1, 10, 42), (-1, -10, -42), (1, 10, 50)] {
        let test = TestDb::new().await;
        let theirs: Collection<Document> = test.db.collection("theirs");
        theirs.insert_one(doc! { "_id": "orders", "next": next }).await.unwrap();
        let ours = Sequence::new(&test.db, "orders").start(start).step(step);
        let foreign = ForeignCounter::new("theirs", doc! { "_id": "orders" }, "next").holds_next();
        ours.adopt(&foreign).await.unwrap();
        let number = ours.next_value().await.unwrap();
        assert!(number.abs() >= i64::from(next).abs(), "{number} was given out: the other goes on with {next}");
    }
}

/// Odd forms of a foreign counter: an error of ours and nothing written, or the number.
#[tokio::test]
async fn odd_foreign_counters() {
    let odd = [
        Bson::Null,
        Bson::Double(f64::NAN),
        Bson::Double(f64::INFINITY),
        Bson::Double(1e30),
        Bson::Double(4.5),
        Bson::String("7".into()),
        Bson::Array(vec![Bson::Int32(7)]),
        doc! { "a": 1 }.into(),
        Bson::Decimal128("7".parse().unwrap()),
    ];
    for value in odd {
        let test = TestDb::new().await;
        let theirs: Collection<Document> = test.db.collection("theirs");
        theirs.insert_one(doc! { "_id": "x", "seq": value.clone() }).await.unwrap();
        let ours = Sequence::new(&test.db, "x").start(1);
        let error = ours.adopt(&ForeignCounter::by_id("theirs", "x")).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NothingToAdopt { .. }), "{value}: {error:?}");
        assert_eq!(test.counter("x").await, None);
    }
    let test = TestDb::new().await;
    let theirs: Collection<Document> = test.db.collection("theirs");
    theirs.insert_one(doc! { "_id": "x", "seq": -5 }).await.unwrap();
    theirs.insert_one(doc! { "_id": "y", "seq": i64::MAX }).await.unwrap();
    let ours = Sequence::new(&test.db, "x").start(1);
    let adopted = ours.adopt(&ForeignCounter::by_id("theirs", "x")).await.unwrap();
    assert_eq!((adopted.found, adopted.value), (-5, 0));
    let ours = Sequence::new(&test.db, "y").start(1).max(100);
    let error = ours.adopt(&ForeignCounter::by_id("theirs", "y")).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");
    assert_eq!(test.counter("y").await, None);
}
