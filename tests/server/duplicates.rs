//! A number that is in the data already, and duplicates that are none of ours.

use std::collections::BTreeSet;

use mongo_sequence::{AutoIncrement, Error};
use mongodb::{
    Collection,
    bson::{Document, doc},
    options::WriteConcern,
};
use serde::Serialize;

use crate::{
    models::{Invoice, Order, invoice, order},
    support::{TestDb, code},
};

const DUPLICATE_KEY: Option<i32> = Some(11_000);

/// Ids 1..=279 were imported, the counter stands at 39.
async fn imported() -> (TestDb, Collection<Order>) {
    let test = TestDb::new().await;
    test.import("_id", 1..=279).await;
    test.set_counter("orders._id", 39_i64).await;
    let orders = test.db.collection("orders");
    (test, orders)
}

#[tokio::test]
async fn a_counter_behind_the_data_catches_up() {
    let (test, orders) = imported().await;
    let mut order = order();
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!((order.id, test.value("orders._id").await), (280, Some(280)));
}

#[tokio::test]
async fn in_the_callers_transaction_it_takes_one_more_run() {
    for gapless in [false, true] {
        let (test, orders) = imported().await;
        let mut session = test.client.start_session().await.unwrap();
        let mut order = order();
        let mut runs = 0;
        session
            .start_transaction()
            .and_run2(async |session| {
                runs += 1;
                let insert = order.insert_with_seq(&orders).session(session);
                if gapless { insert.gapless() } else { insert }.await?;
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!((order.id, runs), (280, 2), "gapless: {gapless}");
        assert_eq!(test.value("orders._id").await, Some(280));
    }
}

#[tokio::test]
async fn in_a_session_without_a_transaction_the_call_goes_on_by_itself() {
    let (test, orders) = imported().await;
    let mut session = test.client.start_session().await.unwrap();
    let mut order = order();
    order.insert_with_seq(&orders).session(&mut session).await.unwrap();
    assert_eq!(order.id, 280);
}

/// The plain number of a document is taken before its transaction and kept over repetitions, unless it is the reason.
#[tokio::test]
async fn a_plain_number_beside_a_gapless_one_is_replaced() {
    let test = TestDb::new().await;
    test.db.collection::<Document>("invoices").insert_many((100..=120).map(|n| doc! { "_id": n * 10 })).await.unwrap();
    test.set_counter("invoices._id", 990_i64).await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    let mut own = invoice();
    own.insert_with_seq(&invoices).await.unwrap();
    assert_eq!((own.id, own.serial_number), (1210, 1));

    test.set_counter("invoices._id", 990_i64).await;
    let mut session = test.client.start_session().await.unwrap();
    let mut joined = invoice();
    session
        .start_transaction()
        .and_run2(async |session| {
            joined.insert_with_seq(&invoices).session(session).await?;
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!((joined.id, joined.serial_number), (1220, 2));
}

#[tokio::test]
async fn a_gapless_counter_far_behind_catches_up_in_one_call() {
    let test = TestDb::new().await;
    test.import("_id", 1..=70_000).await;
    test.set_counter("orders._id", 1_i64).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut order = order();
    order.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(order.id, 70_001);
}

#[tokio::test]
async fn a_fraction_is_no_number_that_is_taken() {
    let test = TestDb::new().await;
    test.import("_id", [1.0, 2.5]).await;
    test.set_counter("orders._id", 0_i64).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut order = order();
    order.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(order.id, 2);
}

#[tokio::test]
async fn a_transient_error_of_ours_still_tells_the_number_it_burnt() {
    let test = TestDb::new().await;
    test.unique_index("invoices", doc! { "serialNumber": 1 }).await;
    test.db.collection::<Document>("invoices").insert_one(doc! { "serialNumber": 1 }).await.unwrap();
    test.set_counter("invoices._id", 1000_i64).await;
    test.set_counter("invoices.serialNumber", 0_i64).await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let error = invoice().insert_with_seq(&invoices).session(&mut session).await.unwrap_err();
    assert!(error.contains_label(mongodb::error::TRANSIENT_TRANSACTION_ERROR), "{error:?}");
    assert_eq!(error.number(), Some(1010));
}

/// The other document is in the same, uncommitted transaction: nothing outside explains the collision, so running the
/// transaction again would meet it again.
#[tokio::test]
async fn a_collision_inside_the_transaction_itself_goes_to_the_caller() {
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        order().insert_with_seq(&orders).await.unwrap();
        let mut session = test.client.start_session().await.unwrap();
        let mut runs = 0;
        let error = session
            .start_transaction()
            .and_run2(async |session| {
                runs += 1;
                let typed = Order { id: 2, ..order() };
                orders.insert_one(typed).session(&mut *session).await?;
                let mut order = order();
                let insert = order.insert_with_seq(&orders).session(session);
                if gapless { insert.gapless() } else { insert }.await?;
                Ok(())
            })
            .await
            .unwrap_err();
        assert_eq!((code(&Error::from(error)), runs), (DUPLICATE_KEY, 1), "gapless: {gapless}");
    }
}

#[tokio::test]
async fn a_duplicate_in_another_unique_field_goes_to_the_caller_at_once() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    test.unique_index("orders", doc! { "item": 1 }).await;
    order().insert_with_seq(&orders).await.unwrap();
    test.sent.clear();
    let mut refused = order();
    let error = refused.insert_with_seq(&orders).await.unwrap_err();
    assert_eq!((code(&error), error.number()), (DUPLICATE_KEY, Some(2)));
    assert_eq!(refused, order());
    assert_eq!(test.sent.named("insert").len(), 1);

    let error = refused.insert_with_seq(&orders).gapless().await.unwrap_err();
    assert_eq!((code(&error), error.number()), (DUPLICATE_KEY, None));
    assert_eq!(test.sent.named("insert").len(), 2);
    assert_eq!(test.value("orders._id").await, Some(2)); // one gap of the plain call, none of the gapless one
}

#[derive(Serialize, AutoIncrement)]
struct Numbered {
    #[auto_increment]
    number: i64,
    tenant: i32,
}

async fn numbered(test: &TestDb) -> Collection<Numbered> {
    test.db.collection::<Document>("orders").insert_one(doc! { "number": 1, "tenant": 1 }).await.unwrap();
    test.set_counter("orders.number", 0_i64).await;
    test.db.collection("orders")
}

#[tokio::test]
async fn an_index_of_exactly_the_number_is_ours_under_any_name() {
    let names = ["number_1", "a dup key: b", "index: number_1 dup key: { number: 1 }", "n collation: x"];
    for name in names {
        let test = TestDb::new().await;
        let command = doc! {
            "createIndexes": "orders",
            "indexes": [
                { "key": { "number": 1 }, "name": name, "unique": true },
                { "key": { "tenant": 1 }, "name": "a" },
                { "key": { "tenant": 1, "number": 1 }, "name": "number" },
            ],
        };
        test.db.run_command(command).await.unwrap();
        let orders = numbered(&test).await;
        let mut model = Numbered { number: 0, tenant: 2 };
        model.insert_with_seq(&orders).await.unwrap();
        assert_eq!(model.number, 2, "{name}");
    }
}

#[tokio::test]
async fn an_index_with_a_collation_is_read_from_its_message() {
    let test = TestDb::new().await;
    let collation = doc! { "locale": "en", "strength": 2 };
    let index = doc! { "key": { "number": 1 }, "name": "by number", "unique": true, "collation": collation };
    test.db.run_command(doc! { "createIndexes": "orders", "indexes": [index] }).await.unwrap();
    let orders = numbered(&test).await;
    let mut model = Numbered { number: 0, tenant: 2 };
    model.insert_with_seq(&orders).await.unwrap();
    assert_eq!(model.number, 2);
}

#[tokio::test]
async fn a_wider_index_is_the_callers() {
    let test = TestDb::new().await;
    test.unique_index("orders", doc! { "tenant": 1, "number": 1 }).await;
    let orders = numbered(&test).await;
    let error = Numbered { number: 0, tenant: 1 }.insert_with_seq(&orders).await.unwrap_err();
    assert_eq!(code(&error), DUPLICATE_KEY);
}

#[tokio::test]
async fn a_collection_whose_name_imitates_the_message_is_understood() {
    let test = TestDb::new().await;
    let name = "x index: item_1 dup key: y";
    let documents = test.db.collection::<Document>(name);
    documents.insert_one(doc! { "_id": 1 }).await.unwrap();
    test.set_counter(&format!("{name}._id"), 0_i64).await;
    let orders: Collection<Order> = test.db.collection(name);
    let mut order = order();
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.id, 2);
}

#[tokio::test]
async fn without_an_index_numbers_are_unique_among_themselves() {
    let test = TestDb::new().await;
    let orders: Collection<Numbered> = test.db.collection("orders");
    for _ in 0..3 {
        Numbered { number: 0, tenant: 1 }.insert_with_seq(&orders).await.unwrap();
    }
    assert_eq!(test.numbers("orders", "number").await, BTreeSet::from([1, 2, 3]));
}

#[tokio::test]
async fn an_insert_keeps_the_write_concern_of_its_collection() {
    let test = TestDb::new().await;
    let options = mongodb::options::CollectionOptions::builder().write_concern(WriteConcern::nodes(1)).build();
    let orders = test.db.collection_with_options::<Order>("orders", options);
    order().insert_with_seq(&orders).await.unwrap();
    let insert = &test.sent.named("insert")[0];
    assert_eq!(insert.get_document("writeConcern").unwrap().get_i32("w").unwrap(), 1);
}

/// Numbers that are under way in the same transaction come back with its rollback: nothing may be moved past them.
#[tokio::test]
async fn several_calls_in_one_transaction_pass_a_number_that_is_taken_without_a_hole() {
    for commit in [true, false] {
        let test = TestDb::new().await;
        test.import("_id", [3_i64]).await;
        test.set_counter("orders._id", 0_i64).await;
        let orders: Collection<Order> = test.db.collection("orders");
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let mut numbers = Vec::new();
        for _ in 0..3 {
            let mut order = order();
            order.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
            numbers.push(order.id);
        }
        assert_eq!(numbers, [1, 2, 4]);
        if commit {
            session.commit_transaction().await.unwrap();
        } else {
            session.abort_transaction().await.unwrap();
        }
        assert_eq!(test.value("orders._id").await, Some(if commit { 4 } else { 0 }));
    }
}

/// A number of the bare sequence and an insert in one transaction.
#[tokio::test]
async fn a_number_without_a_document_is_not_lost_to_a_collision() {
    let test = TestDb::new().await;
    test.import("_id", [2_i64]).await;
    test.set_counter("orders._id", 0_i64).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let sequence = Order::sequence(&orders, "id").unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let bare = sequence.next_value().session(&mut session).await.unwrap();
    let mut order = order();
    order.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    session.commit_transaction().await.unwrap();
    assert_eq!((bare, order.id, test.value("orders._id").await), (1, 3, Some(3)));
}
