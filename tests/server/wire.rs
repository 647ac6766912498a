//! What goes over the wire.

use mongo_sequence::AutoIncrement;
use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
    options::WriteConcern,
};

use crate::{
    models::{Order, SmallOrder, order},
    support::{TestDb, server},
};

/// A client that would be content with less.
async fn careless() -> TestDb {
    TestDb::on(server().await, |options| options.write_concern = Some(WriteConcern::nodes(1))).await
}

fn increment(test: &TestDb) -> Document {
    let commands = test.sent.named("findAndModify");
    let [command] = commands.as_slice() else { panic!("{commands:?}") };
    assert_eq!(command.get_str("findAndModify").unwrap(), "sequences");
    assert!(!command.get_bool("upsert").unwrap_or(false), "{command}");
    command.clone()
}

#[tokio::test]
async fn outside_a_transaction_the_counter_is_moved_with_majority() {
    let test = careless().await;
    let orders: Collection<SmallOrder> = test.db.collection("orders");
    SmallOrder { id: 0 }.insert_with_seq(&orders).await.unwrap();
    test.sent.clear();
    SmallOrder { id: 0 }.insert_with_seq(&orders).await.unwrap();
    assert_eq!(test.sent.names(), ["findAndModify", "insert"]);
    let command = increment(&test);
    // the server's fast path: by `_id` and nothing else, and the whole document in the reply
    assert_eq!(command.get_document("query").unwrap(), &doc! { "_id": "orders._id" });
    assert!(!command.contains_key("fields"), "{command}");
    assert_eq!(command.get_document("writeConcern").unwrap(), &doc! { "w": "majority" });
    assert!((1..10_000).contains(&crate::support::integer(command.get("maxTimeMS").unwrap())), "{command}");
    assert!(command.contains_key("txnNumber"), "not retryable: {command}");
}

/// What each number costs; the cheap command knows nothing but an Int64.
#[tokio::test]
async fn an_int64_takes_one_command_and_what_others_made_a_second() {
    for (found, costs) in [(Bson::Int64(41), [1, 1]), (Bson::Int32(41), [2, 1]), (Bson::Double(41.0), [2, 2])] {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        order().insert_with_seq(&orders).await.unwrap();
        test.set_counter("orders._id", found.clone()).await;
        for commands in costs {
            test.sent.clear();
            order().insert_with_seq(&orders).await.unwrap();
            assert_eq!(test.sent.named("findAndModify").len(), commands, "{found:?}");
        }
    }
}

#[tokio::test]
async fn inside_a_transaction_neither_write_concern_nor_time_limit_is_set() {
    let test = careless().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    test.sent.clear();
    order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    assert_eq!(test.sent.names(), ["find", "findAndModify", "insert"]);
    let command = increment(&test);
    assert!(!command.contains_key("writeConcern") && !command.contains_key("maxTimeMS"), "{command}");
    assert_eq!(command.get_document("lsid").unwrap(), session.id());
    assert!(command.get_bool("startTransaction").unwrap());
    // The look for the counter comes first and is none of the transaction's business.
    let find = &test.sent.named("find")[0];
    assert_ne!(find.get_document("lsid").unwrap(), session.id());
    assert!(!find.contains_key("startTransaction"), "{find}");
    session.abort_transaction().await.unwrap();
}

#[tokio::test]
async fn with_the_counter_outside_nothing_of_the_callers_session_is_on_it() {
    let test = careless().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    test.sent.clear();
    order().insert_with_seq(&orders).session(&mut session).await.unwrap();
    let command = increment(&test);
    assert_ne!(command.get_document("lsid").unwrap(), session.id());
    assert!(!command.contains_key("autocommit") && !command.contains_key("startTransaction"), "{command}");
    assert_eq!(command.get_document("writeConcern").unwrap(), &doc! { "w": "majority" });
    let insert = &test.sent.named("insert")[0];
    assert_eq!(insert.get_document("lsid").unwrap(), session.id());
    session.abort_transaction().await.unwrap();
}

#[tokio::test]
async fn the_librarys_own_transaction_takes_three_commands_and_commits_with_majority() {
    let test = careless().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    test.sent.clear();
    order().insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(test.sent.names(), ["findAndModify", "insert", "commitTransaction"]);
    let command = increment(&test);
    assert!(command.get_bool("startTransaction").unwrap());
    assert!(!command.contains_key("writeConcern") && !command.contains_key("maxTimeMS"), "{command}");
    let commit = &test.sent.named("commitTransaction")[0];
    assert_eq!(commit.get_document("writeConcern").unwrap().get("w"), Some(&Bson::String("majority".to_owned())));
    assert!(commit.contains_key("maxTimeMS"), "{commit}");
}

#[tokio::test]
async fn options_reach_the_commands() {
    let test = careless().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    test.sent.clear();
    order()
        .insert_with_seq(&orders)
        .comment("nightly import")
        .bypass_document_validation(true)
        .time_limit(std::time::Duration::from_millis(700))
        .optional(None::<bool>, mongo_sequence::InsertWithSeq::bypass_document_validation)
        .await
        .unwrap();
    let command = increment(&test);
    assert_eq!(command.get_str("comment").unwrap(), "nightly import");
    assert_eq!(crate::support::integer(command.get("maxTimeMS").unwrap()), 700);
    let insert = &test.sent.named("insert")[0];
    assert_eq!(
        (insert.get_str("comment").unwrap(), insert.get_bool("bypassDocumentValidation").unwrap()),
        ("nightly import", true)
    );
}

/// `maxTimeMS: 0` would mean no limit at all, and no sum with the longest time may overflow.
#[tokio::test]
async fn the_shortest_and_the_longest_time_limit_are_limits() {
    use std::time::Duration;
    let test = careless().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    for (limit, expected) in [(Duration::ZERO, 1), (Duration::from_micros(10), 1), (Duration::MAX, 5000)] {
        test.sent.clear();
        let _may_be_too_short = order().insert_with_seq(&orders).time_limit(limit).await;
        assert_eq!(crate::support::integer(increment(&test).get("maxTimeMS").unwrap()), expected, "{limit:?}");
    }
    test.sent.clear();
    order().insert_with_seq(&orders).gapless().time_limit(Duration::MAX).await.unwrap();
    let commit = &test.sent.named("commitTransaction")[0];
    assert_eq!(crate::support::integer(commit.get("maxTimeMS").unwrap()), 10_000);
}

#[tokio::test]
async fn building_and_dropping_a_call_sends_nothing() {
    let test = careless().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut model = order();
    #[allow(let_underscore_drop, reason = "that is what is tested")]
    let _ = model.insert_with_seq(&orders);
    let _sequence = Order::sequence(&orders, "id").unwrap();
    assert!(test.sent.names().is_empty());
}
