//! Counters that hold something else than expected.

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence};
use mongodb::{
    Collection,
    bson::{Bson, doc},
};

use crate::{
    models::{Order, SmallOrder, order},
    support::TestDb,
};

#[tokio::test]
async fn counters_of_every_integral_type_are_continued() {
    let values = [
        (Bson::Int32(2_147_483_647), 2_147_483_648),
        (Bson::Int64(41), 42),
        (Bson::Double(41.0), 42),
        (Bson::Int64(1 << 53), (1 << 53) + 1),
    ];
    for (found, next) in values {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        test.set_counter("orders._id", found.clone()).await;
        for expected in next..next + 2 {
            let mut order = order();
            order.insert_with_seq(&orders).await.unwrap();
            assert_eq!(order.id, expected, "from {found:?}");
        }
        let mut order = order();
        order.insert_with_seq(&orders).gapless().await.unwrap();
        assert_eq!(order.id, next + 2, "from {found:?}");
        // a Double may be read by those who made it
        let expected = if let Bson::Double(found) = found { Bson::Double(found + 3.0) } else { Bson::Int64(next + 2) };
        assert_eq!(test.counter("orders._id").await.unwrap().get("seq"), Some(&expected));
    }
}

#[tokio::test]
async fn what_is_no_counter_gives_a_typed_error_three_times_and_is_not_touched() {
    let values = [
        Bson::Double(41.5),
        // so small that it vanishes in a sum
        Bson::Double(1e-200),
        Bson::Decimal128("5".parse().unwrap()),
        // extended JSON that was stored as it is
        Bson::Document(doc! { "$numberLong": "5" }),
        Bson::Double(f64::NAN),
        Bson::Double(f64::INFINITY),
        Bson::Double(f64::NEG_INFINITY),
        Bson::String("5".to_owned()),
        Bson::Null,
        Bson::Document(doc! { "n": 5 }),
        Bson::Array(vec![Bson::Int64(5)]),
    ];
    for found in values {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        test.set_counter("orders._id", found.clone()).await;
        let before = test.counter("orders._id").await;
        let tickets = Sequence::new(&test.db, "orders._id").start(1);
        for _ in 0..3 {
            let mut untouched = order();
            let error = untouched.insert_with_seq(&orders).await.unwrap_err();
            match error.kind() {
                ErrorKind::CounterCorrupt { sequence, field, .. } => {
                    assert_eq!((&**sequence, &**field), ("orders._id", "seq"));
                }
                other => panic!("{found:?}: {other:?}"),
            }
            assert_eq!((untouched, error.number()), (order(), None), "{found:?}");
            let error = order().insert_with_seq(&orders).gapless().await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{found:?}: {error:?}");
            let error = tickets.reserve(10).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{found:?}: {error:?}");
            let error = tickets.raise_to(100).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{found:?}: {error:?}");
            let mut session = test.client.start_session().await.unwrap();
            session.start_transaction().await.unwrap();
            let error = order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{found:?}: {error:?}");
            session.commit_transaction().await.unwrap(); // nothing was written in it
        }
        // NaN is not equal to itself
        assert_eq!(format!("{:?}", test.counter("orders._id").await), format!("{before:?}"));
        assert!(test.ids().await.is_empty());
    }
}

#[tokio::test]
async fn a_double_is_counted_on_for_as_long_as_it_is_exact() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    test.set_counter("tickets", Bson::Double(9_007_199_254_740_990.0)).await; // 2^53 - 2
    assert!(matches!(tickets.reserve(3).await.unwrap_err().kind(), ErrorKind::CounterCorrupt { .. }));
    assert_eq!(tickets.next_value().await.unwrap(), (1 << 53) - 1);
    assert_eq!(tickets.next_value().await.unwrap(), 1 << 53);
    for _ in 0..2 {
        let error = tickets.next_value().await.unwrap_err(); // `$inc` would give 2^53 for ever
        assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
    }
    assert_eq!(tickets.reserve(2).await.unwrap().last(), Some((1 << 53) + 2));
}

#[tokio::test]
async fn a_counter_without_the_value_field_is_left_as_it_is() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let foreign = doc! { "_id": "orders._id", "value": 41 };
    test.counters().insert_one(&foreign).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    for _ in 0..3 {
        let errors = [
            order().insert_with_seq(&orders).await.unwrap_err(),
            order().insert_with_seq(&orders).gapless().await.unwrap_err(),
            order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err(),
            Order::sequence(&orders, "id").unwrap().raise_to(100).await.unwrap_err(),
            Order::sequence(&orders, "id").unwrap().current_value().await.unwrap_err(),
            Order::sequence(&orders, "id").unwrap().restart(1).await.unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{error:?}");
            assert!(error.to_string().contains("`value_field`"), "{error}");
        }
    }
    session.commit_transaction().await.unwrap();
    assert_eq!(test.counter("orders._id").await, Some(foreign));
    assert!(test.ids().await.is_empty());
}

#[tokio::test]
async fn raising_writes_over_nothing_that_is_no_number() {
    for found in [Bson::Null, Bson::String("5".to_owned()), Bson::Array(vec![Bson::Int64(5)]), Bson::Double(f64::NAN)] {
        let test = TestDb::new().await;
        test.set_counter("tickets", found.clone()).await;
        let error = Sequence::new(&test.db, "tickets").start(1).raise_to(100).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CounterCorrupt { .. }), "{found:?}: {error:?}");
        let now = test.counter("tickets").await.unwrap();
        assert_eq!(format!("{:?}", now.get("seq").unwrap()), format!("{found:?}"));
    }
}

#[tokio::test]
async fn the_end_of_the_numbers_is_an_error_before_anything_is_inserted() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    test.set_counter("orders._id", i64::MAX).await;
    for _ in 0..3 {
        let error = order().insert_with_seq(&orders).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exhausted { value: i64::MAX, remaining: 0, .. }), "{error:?}");
    }
    assert_eq!(test.value("orders._id").await, Some(i64::MAX));
    assert!(test.ids().await.is_empty());
}

#[tokio::test]
async fn a_field_too_small_for_the_next_number_stays_as_it_is() {
    let test = TestDb::new().await;
    let orders: Collection<SmallOrder> = test.db.collection("orders");
    test.set_counter("orders._id", i64::from(i32::MAX)).await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut model = SmallOrder { id: -1 };
    let limit = i64::from(i32::MAX);
    let errors = [
        model.insert_with_seq(&orders).await.unwrap_err(),
        model.insert_with_seq(&orders).gapless().await.unwrap_err(),
        model.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err(),
    ];
    for error in errors {
        match error.kind() {
            ErrorKind::Exhausted { value, limit: stated, .. } => assert_eq!((*value, *stated), (limit, limit)),
            other => panic!("{other:?}"),
        }
    }
    session.commit_transaction().await.unwrap();
    assert_eq!(model, SmallOrder { id: -1 });
    assert_eq!(test.value("orders._id").await, Some(limit));
    assert!(test.ids().await.is_empty());
}
