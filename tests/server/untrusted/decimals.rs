//! Decimal128, which is a number to the server and none to a counter.

use mongo_sequence::{AutoIncrement, ErrorKind, Fault, Sequence};
use mongodb::{
    Collection,
    bson::{Bson, doc},
};

use crate::{
    models::{Order, order},
    support::TestDb,
};

fn decimal(text: &str) -> Bson {
    Bson::Decimal128(text.parse().unwrap())
}

/// Every call refuses it, inside and outside of transactions, and the caller's transaction can still be committed.
#[tokio::test]
async fn a_decimal_counter_is_named_and_not_moved() {
    for text in ["5", "5.0", "5.5", "0E+3", "NaN", "-Infinity", "9223372036854775807"] {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        test.set_counter("orders._id", decimal(text)).await;
        let before = test.counter("orders._id").await;
        let sequence = Order::sequence(&orders, "id").unwrap();
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let errors = [
            order().insert_with_seq(&orders).await.unwrap_err(),
            order().insert_with_seq(&orders).gapless().await.unwrap_err(),
            order().insert_with_seq(&orders).session(&mut session).await.unwrap_err(),
            sequence.next_value().await.unwrap_err(),
            sequence.current_value().await.unwrap_err(),
            sequence.raise_to(100).await.unwrap_err(),
            sequence.restart(100).await.unwrap_err(),
            Order::ensure_sequences(&orders).await.map(drop).unwrap_err(),
            Sequence::new(&test.db, "orders._id").start(100).step(-1).next_value().await.unwrap_err(),
            Sequence::new(&test.db, "orders._id").start(100).step(-1).raise_to(-100).await.unwrap_err(),
        ];
        session.commit_transaction().await.unwrap();
        for error in errors {
            match error.kind() {
                ErrorKind::CounterCorrupt { found, .. } => assert!(found.starts_with("Decimal128"), "{found}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert_eq!(test.counter("orders._id").await, before, "{text}");
        let report = Order::verify_sequences(&orders).await.unwrap().remove(0);
        assert!(matches!(&report.counters[0].faults[..], [Fault::CounterCorrupt(_)]), "{report:?}");
        assert!(test.ids().await.is_empty());
    }
}

/// In the data it is counted like any number, as far as the sequence goes.
#[tokio::test]
async fn decimals_in_the_data_are_continued() {
    let stored = [
        (vec!["5"], 6),
        (vec!["5.5"], 6),
        (vec!["5E+3", "7"], 5001),
        (vec!["7", "1E+30", "NaN", "Infinity", "-Infinity"], 8),
        (vec!["NaN"], 1),
        (vec!["-3"], 1),
        (vec!["0.5"], 1),
        (vec!["9223372036854775806"], i64::MAX),
    ];
    for (stored, expected) in stored {
        for gapless in [false, true] {
            let test = TestDb::new().await;
            test.import("_id", stored.iter().map(|text| decimal(text))).await;
            let orders: Collection<Order> = test.db.collection("orders");
            let mut order = order();
            let insert = order.insert_with_seq(&orders);
            if gapless { insert.gapless() } else { insert }.await.unwrap();
            assert_eq!(order.id, expected, "{stored:?}");
        }
    }
}

/// A number that a Decimal128 has is taken: the unique index compares by value.
#[tokio::test]
async fn a_number_that_a_decimal_has_is_passed_over() {
    for gapless in [false, true] {
        let test = TestDb::new().await;
        test.import("_id", ["1", "2.0", "3.5"].map(decimal)).await;
        test.set_counter("orders._id", 0_i64).await;
        let orders: Collection<Order> = test.db.collection("orders");
        let mut order = order();
        let insert = order.insert_with_seq(&orders);
        if gapless { insert.gapless() } else { insert }.await.unwrap();
        // behind the furthest, or behind the run
        assert_eq!(order.id, if gapless { 3 } else { 4 });
        assert_eq!(test.db.collection::<Order>("orders").count_documents(doc! {}).await.unwrap(), 4);
    }
}
