//! Servers and collections that cannot do everything.

use std::{collections::BTreeSet, time::Duration};

use mongo_sequence::{AutoIncrement, ErrorKind, Sequence};
use mongodb::{
    Client, Collection,
    bson::{Document, doc},
    options::ClientOptions,
};

use crate::{
    models::{Order, order},
    support::{TestDb, nowhere, standalone},
};

#[tokio::test]
async fn a_standalone_server_numbers_plain_documents() {
    let test = TestDb::on(standalone().await, |options| options.retry_writes = Some(false)).await;
    let orders: Collection<Order> = test.db.collection("orders");
    for expected in 1..=2 {
        let mut order = order();
        order.insert_with_seq(&orders).await.unwrap();
        assert_eq!(order.id, expected);
    }
}

#[tokio::test]
async fn a_standalone_server_refuses_gapless_before_the_counter_is_touched() {
    for existing in [None, Some(5_i64)] {
        let test = TestDb::on(standalone().await, |_| {}).await;
        if let Some(value) = existing {
            test.set_counter("orders._id", value).await;
        }
        let orders: Collection<Order> = test.db.collection("orders");
        let mut session = test.client.start_session().await.unwrap();
        let own = order().insert_with_seq(&orders).gapless().await.unwrap_err();
        let _started = session.start_transaction().await;
        let joined = order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err();
        for error in [own, joined] {
            assert!(matches!(error.kind(), ErrorKind::TransactionsUnsupported), "{error:?}");
            assert!(error.to_string().contains("replica set"), "{error}");
        }
        assert_eq!(test.value("orders._id").await, existing);
        assert!(test.ids().await.is_empty());
    }
}

#[tokio::test]
async fn an_unreachable_server_is_an_error_after_the_selection_timeout() {
    let mut options = ClientOptions::default();
    options.hosts = vec![nowhere()];
    options.server_selection_timeout = Some(Duration::from_millis(300));
    let db = Client::with_options(options).unwrap().database("nowhere");
    let orders: Collection<Order> = db.collection("orders");
    let mut untouched = order();
    let errors = [
        untouched.insert_with_seq(&orders).await.unwrap_err(),
        untouched.insert_with_seq(&orders).gapless().await.unwrap_err(),
        Sequence::new(&db, "tickets").next_value().await.unwrap_err(),
        Sequence::new(&db, "tickets").current_value().await.unwrap_err(),
    ];
    for error in errors {
        let Some(cause) = error.driver_error() else { panic!("{error:?}") };
        assert!(matches!(*cause.kind, mongodb::error::ErrorKind::ServerSelection { .. }), "{error:?}");
    }
    assert_eq!(untouched, order());
}

async fn refused(test: &TestDb, what: &str) {
    let orders: Collection<Order> = test.db.collection("orders");
    let error = order().insert_with_seq(&orders).await.unwrap_err();
    match error.kind() {
        ErrorKind::UnsupportedCollection { reason, .. } => assert!(reason.contains(what), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_counter_collection_with_a_collation_is_refused() {
    let test = TestDb::new().await;
    let collation = doc! { "locale": "en", "strength": 2 };
    test.db.run_command(doc! { "create": "sequences", "collation": collation }).await.unwrap();
    refused(&test, "has a collation").await;
    assert_eq!(test.counters().count_documents(doc! {}).await.unwrap(), 0);
}

#[tokio::test]
async fn capped_counters_are_refused() {
    let test = TestDb::new().await;
    test.db.run_command(doc! { "create": "sequences", "capped": true, "size": 4096 }).await.unwrap();
    refused(&test, "is capped").await;
}

#[tokio::test]
async fn views_and_time_series_are_refused_before_a_counter_is_made() {
    let test = TestDb::new().await;
    test.db.run_command(doc! { "create": "orders", "viewOn": "others", "pipeline": [] }).await.unwrap();
    refused(&test, "is a view").await;
    assert_eq!(test.value("orders._id").await, None);

    let test = TestDb::new().await;
    test.db.run_command(doc! { "create": "orders", "timeseries": { "timeField": "at" } }).await.unwrap();
    refused(&test, "time series").await;
    assert_eq!(test.value("orders._id").await, None);
}

#[tokio::test]
async fn a_view_is_refused_with_a_counter_too() {
    let test = TestDb::new().await;
    test.db.run_command(doc! { "create": "orders", "viewOn": "others", "pipeline": [] }).await.unwrap();
    test.set_counter("orders._id", 1_i64).await;
    refused(&test, "is a view").await;
}

#[tokio::test]
async fn a_capped_collection_is_numbered_but_not_without_gaps() {
    let test = TestDb::new().await;
    test.db.run_command(doc! { "create": "orders", "capped": true, "size": 4096 }).await.unwrap();
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    let error = order().insert_with_seq(&orders).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedCollection { .. }), "{error:?}");
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let error = order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedCollection { .. }), "{error:?}");
    session.commit_transaction().await.unwrap_err();
    assert_eq!((test.ids().await, test.value("orders._id").await), (BTreeSet::from([1]), Some(1)));
}

#[tokio::test]
async fn models_do_not_go_into_the_collection_of_the_counters() {
    let test = TestDb::new().await;
    let sequences: Collection<Order> = test.db.collection("sequences");
    let error = order().insert_with_seq(&sequences).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedCollection { .. }), "{error:?}");
    assert_eq!(test.db.collection::<Document>("sequences").count_documents(doc! {}).await.unwrap(), 0);
}

#[tokio::test]
async fn references_of_every_sort_are_collections() {
    use std::sync::Arc;
    let test = TestDb::new().await;
    let plain: Collection<Order> = test.db.collection("orders");
    let shared = Arc::new(plain.clone());
    order().insert_with_seq(&plain).await.unwrap();
    order().insert_with_seq(&&plain).await.unwrap();
    order().insert_with_seq(&shared).await.unwrap();
    order().insert_with_seq(&Box::new(plain)).await.unwrap();
    assert_eq!(test.ids().await, (1..=4).collect());
}

#[tokio::test]
async fn everything_at_run_time_is_in_the_stable_api() {
    use mongodb::options::{ServerApi, ServerApiVersion};
    let strict = ServerApi::builder().version(ServerApiVersion::V1).strict(true).build();
    let test = TestDb::on(crate::support::server().await, |options| options.server_api = Some(strict)).await;
    test.import("_id", 1..=3).await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    order().insert_with_seq(&orders).gapless().await.unwrap();
    test.set_counter("orders._id", 1_i64).await;
    order().insert_with_seq(&orders).await.unwrap();
    test.set_counter("orders._id", 1_i64).await;
    order().insert_with_seq(&orders).gapless().await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    session.commit_transaction().await.unwrap();
    let sequence = Order::sequence(&orders, "id").unwrap();
    sequence.raise_to(100).await.unwrap();
    sequence.restart(50).await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 50);
}
