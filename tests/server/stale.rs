//! Handles that read from a secondary which has stopped replicating, with read concern `majority`. What is looked at is the
//! primary's data all the same.

use std::sync::Arc;

use mongo_sequence::{AutoIncrement, ForeignCounter, GetOrInsert, Sequence};
use mongodb::{
    Client, Collection, Database,
    bson::{Bson, Document, doc},
    options::{CollectionOptions, DatabaseOptions, ReadConcern, SelectionCriteria, WriteConcern},
};
use tokio::sync::Mutex;

use crate::{
    models::{Order, order},
    support::{TestDb, three_nodes},
};

/// A secondary can be stopped for one test at a time.
static ONE: Mutex<()> = Mutex::const_new(());

/// The secondary that does not replicate, until [`Behind::end`].
struct Behind {
    admin: Database,
    reads: SelectionCriteria,
}

impl Behind {
    /// Stops a secondary that has everything so far.
    async fn stop(test: &TestDb) -> Self {
        let hello = test.client.database("admin").run_command(doc! { "hello": 1 }).await.unwrap();
        let primary = hello.get_str("primary").unwrap();
        let nodes = three_nodes().await.nodes();
        let behind = nodes.iter().find(|node| !primary.ends_with(&format!(":{}", node.port()))).unwrap();
        let (port, uri) = (behind.port(), behind.uri());
        let reads = SelectionCriteria::Predicate(Arc::new(move |server| {
            server.address().to_string().ends_with(&format!(":{port}"))
        }));
        let behind = Self { admin: Client::with_uri_str(uri).await.unwrap().database("admin"), reads };
        let entered = behind.replication("alwaysOn").await.get_i32("count").unwrap();
        let stopped = doc! { "waitForFailPoint": "stopReplProducer", "timesEntered": entered + 1, "maxTimeMS": 60_000 };
        behind.admin.run_command(stopped).await.unwrap();
        behind
    }

    async fn replication(&self, mode: &str) -> Document {
        let fail_point = doc! { "configureFailPoint": "stopReplProducer", "mode": mode };
        self.admin.run_command(fail_point).await.unwrap()
    }

    async fn end(self) {
        self.replication("off").await;
    }

    /// The test's database, read from there.
    fn database(&self, test: &TestDb) -> Database {
        let stale = DatabaseOptions::builder()
            .selection_criteria(self.reads.clone())
            .read_concern(ReadConcern::majority())
            .build();
        test.client.database_with_options(test.db.name(), stale)
    }
}

/// Orders that all nodes have.
async fn everywhere(test: &TestDb, documents: impl IntoIterator<Item = Document>) {
    let options = CollectionOptions::builder().write_concern(WriteConcern::nodes(3)).build();
    test.db.collection_with_options::<Document>("orders", options).insert_many(documents).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_highest_number_is_the_primarys() {
    let _one = ONE.lock().await;
    let test = TestDb::on(three_nodes().await, |_| {}).await;
    everywhere(&test, (1..=279).map(|id| doc! { "_id": id })).await;
    let behind = Behind::stop(&test).await;
    test.import("_id", 280..=400).await;

    let orders: Collection<Order> = behind.database(&test).collection("orders");
    let highest = orders.clone_with_type::<Document>().find_one(doc! {}).sort(doc! { "_id": -1 }).await.unwrap();
    test.sent.clear();
    let mut order = order();
    let inserted = order.insert_with_seq(&orders).await;
    behind.end().await;

    let highest = highest.map_or(0, |order| order.get_i32("_id").unwrap());
    assert!(highest <= 279, "the handle itself must be behind");
    inserted.unwrap();
    assert_eq!(order.id, 401);
    for find in test.sent.named("find") {
        assert_eq!(find.get_document("readConcern").unwrap().get_str("level").unwrap(), "local", "{find}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counters_and_found_documents_are_the_primarys() {
    let _one = ONE.lock().await;
    let test = TestDb::on(three_nodes().await, |_| {}).await;
    everywhere(&test, [doc! { "_id": 1, "item": "tea" }]).await;
    let behind = Behind::stop(&test).await;
    let more = (2..=50).map(|id| doc! { "_id": id, "item": "milk" });
    test.db.collection::<Document>("orders").insert_many(more).await.unwrap();
    let theirs = doc! { "id": "orders", "reference_value": null, "seq": 70 }; // mongoose-sequence's
    test.db.collection::<Document>("counters").insert_one(theirs).await.unwrap();
    test.counters().insert_one(doc! { "_id": "tickets", "seq": 8_i64 }).await.unwrap();

    let stale = behind.database(&test);
    let orders: Collection<Order> = stale.collection("orders");
    let seen = orders.count_documents(doc! {}).await.unwrap();
    let current = Sequence::new(&stale, "tickets").current_value().await;
    let listed = Sequence::list(&stale).await;
    let sequence = Order::sequence(&orders, "id").unwrap();
    let adopted = sequence.adopt(&ForeignCounter::mongoose_sequence("orders", Bson::Null)).await;
    let back = sequence.restart(30).await;
    let mut again = order();
    let found = again.get_or_insert_with_seq(&orders, doc! { "_id": 50 }).await;
    let reports = Order::verify_sequences(&orders).await;
    behind.end().await;

    assert!(seen <= 1, "the handle itself must be behind");
    assert_eq!(current.unwrap(), Some(8));
    assert_eq!(listed.unwrap().len(), 1);
    assert_eq!(adopted.unwrap().found, 70);
    assert!(back.is_err(), "there are orders from 30 on");
    assert_eq!(found.unwrap(), GetOrInsert::Found);
    assert_eq!(again.id, 50);
    let [report] = &reports.unwrap()[..] else { panic!("one field is numbered") };
    assert_eq!(report.documents, 50);
}
