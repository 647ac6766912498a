//! A caller that goes away while its transaction moves a counter: in a transaction that is written by hand, after which
//! nobody gets a number for as long as the server lets it live, and in one of the library's, after which the next caller does.
//!
//! On a server where that is an hour, so that who ends a transaction is a matter of facts and not of time.

use std::{
    future::{IntoFuture, pending},
    time::Duration,
};

use mongo_sequence::{AutoIncrement, ErrorKind, SequencedCollection};
use mongod_fixture::{Server, Topology};
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
    error::ErrorKind as DriverErrorKind,
    options::ReturnDocument,
};
use tokio::sync::{Mutex, MutexGuard, Notify, OnceCell};

use crate::{
    models::{Order, order},
    support::{TestDb, started},
    watch::{Watch, until},
};

const HOUR: u32 = 3_600;
/// Server codes of an update that finds the counter written by an open transaction: outside transactions it has waited,
/// inside one it does not.
const MAX_TIME_EXPIRED: i32 = 50;
const WRITE_CONFLICT: i32 = 112;
/// How long a caller waits for the counter who is to find it locked.
const WAIT: Duration = Duration::from_millis(500);
/// Where the server stops before it writes.
const AT_THE_COUNTER: &str = "hangBeforeFindAndModifyPerformsUpdate";

/// A database with one order, whose client goes away, and another client's.
struct Scene {
    test: TestDb,
    others: Database,
    watch: Watch,
    /// Fail point and limit are those of the whole server.
    _turn: MutexGuard<'static, ()>,
}

impl Scene {
    /// On a server that ends a transaction after so many seconds.
    async fn with_limit(seconds: u32) -> Self {
        static SERVER: OnceCell<Server> = OnceCell::const_new();
        static TURN: Mutex<()> = Mutex::const_new(());
        let server = started(&SERVER, || Server::start(Topology::ReplicaSet)).await;
        let turn = TURN.lock().await;
        let watch = Watch::on(server).await;
        let limit = doc! { "setParameter": 1, "transactionLifetimeLimitSeconds": seconds };
        watch.admin().run_command(limit).await.unwrap();
        let test = TestDb::on(server, |_| {}).await;
        let (_, others) = test.another_client();
        let scene = Self { test, others, watch, _turn: turn };
        scene.stops("off").await; // a test that failed has left it on
        order().insert_with_seq(&scene.test.db.collection("orders")).gapless().await.unwrap();
        scene.test.sent.clear();
        scene
    }

    /// Whether the server stops where it is about to move a counter.
    async fn stops(&self, mode: &str) {
        let command = doc! { "configureFailPoint": AT_THE_COUNTER, "mode": mode };
        self.watch.admin().run_command(command).await.unwrap();
    }

    /// Runs a call until the server is at the counter with it, and drops it there. The server goes on.
    async fn dropped_at_the_counter(&self, call: impl IntoFuture) {
        let is_there = async || !self.watch.commands(self.name(), "findAndModify").await.is_empty();
        self.stops("alwaysOn").await;
        tokio::select! {
            _ = call.into_future() => panic!("the server has not stopped"),
            () = until("the server is at the counter", &is_there) => {}
        }
        self.stops("off").await;
        until("the server is done with the counter", async || !is_there().await).await;
    }

    async fn open_transactions(&self) -> usize {
        self.watch.transactions(self.name()).await.len()
    }

    /// Another client gets no number, and nobody ends the transaction.
    async fn is_locked(&self) {
        for _ in 0..3 {
            assert_eq!(refusals(&self.others).await, [MAX_TIME_EXPIRED, WRITE_CONFLICT]);
            let error = order().insert_with_seq(&self.others.collection("orders")).time_limit(WAIT).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::CounterHeld { .. }), "{error:?}");
            assert_eq!(self.open_transactions().await, 1);
        }
    }

    /// Another client gets a number, which leaves no gap, and no transaction is left open.
    async fn is_free(&self) {
        let mut next = order();
        next.insert_with_seq(&self.others.collection("orders")).gapless().await.unwrap();
        until("no transaction is open", async || self.open_transactions().await == 0).await;
        assert_eq!(self.test.value("orders._id").await, Some(next.id));
        assert_eq!(self.test.ids().await, (1..=next.id).collect());
    }

    fn name(&self) -> &str {
        self.test.db.name()
    }
}

fn increment(counters: &Collection<Document>) -> mongodb::action::FindOneAndUpdate<'_, Document> {
    counters
        .find_one_and_update(doc! { "_id": "orders._id" }, doc! { "$inc": { "seq": 1_i64 } })
        .return_document(ReturnDocument::After)
}

/// A counter and a document in one transaction, as it is written in many places.
async fn by_hand(client: &Client, db: &Database, between: impl Future) -> mongodb::error::Result<()> {
    let mut session = client.start_session().await?;
    session.start_transaction().await?;
    let counter = increment(&db.collection("sequences")).session(&mut session).await?.unwrap();
    between.await;
    let order = doc! { "_id": counter.get_i64("seq").unwrap(), "item": "tea" };
    db.collection("orders").insert_one(order).session(&mut session).await?;
    session.commit_transaction().await
}

/// The same with the library, in a transaction that is the caller's.
async fn of_the_caller(client: Client, orders: Collection<Order>) {
    let mut session = client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    session.commit_transaction().await.unwrap();
}

/// The server's answers to increments outside any transaction and inside one.
async fn refusals(db: &Database) -> [i32; 2] {
    let code = |error: mongodb::error::Error| match &*error.kind {
        DriverErrorKind::Command(command) => command.code,
        other => panic!("{other}"),
    };
    let counters = db.collection("sequences");
    let outside = increment(&counters).max_time(WAIT).await.unwrap_err();
    let mut session = db.client().start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let inside = increment(&counters).session(&mut session).await.unwrap_err();
    session.abort_transaction().await.unwrap();
    [code(outside), code(inside)]
}

/// The known fault: the driver takes a transaction whose first command was not answered for one that has not begun.
#[tokio::test]
async fn a_transaction_by_hand_that_is_dropped_at_its_counter_leaves_it_locked() {
    let scene = Scene::with_limit(HOUR).await;
    scene.dropped_at_the_counter(by_hand(&scene.test.client, &scene.test.db, async {})).await;
    scene.is_locked().await;
    assert_eq!(scene.test.sent.named("insert").len(), 0);
}

/// Nobody but the server ends it, when its time has come.
#[tokio::test]
async fn what_is_left_locked_by_hand_waits_for_the_servers_limit() {
    let scene = Scene::with_limit(3).await;
    scene.dropped_at_the_counter(by_hand(&scene.test.client, &scene.test.db, async {})).await;
    until("the server ends the transaction", async || scene.open_transactions().await == 0).await;
    assert_eq!(scene.test.sent.names(), ["findAndModify"]);
    scene.is_free().await;
    assert_eq!(scene.test.ids().await.len(), 2);
}

/// What the driver does see to: a transaction that has had an answer is ended when its session is dropped.
#[tokio::test]
async fn a_transaction_by_hand_that_is_dropped_between_two_commands_is_ended_by_the_driver() {
    let scene = Scene::with_limit(HOUR).await;
    let has_number = Notify::new();
    let waits = async {
        has_number.notify_one();
        pending::<()>().await;
    };
    tokio::select! {
        _ = by_hand(&scene.test.client, &scene.test.db, waits) => unreachable!("it waits for ever"),
        () = has_number.notified() => {}
    }
    scene.test.sent.until("abortTransaction", 1).await;
    scene.is_free().await;
}

/// The same drop at the same place, in every way in which the transaction is the library's.
#[tokio::test]
async fn a_call_that_is_dropped_at_its_counter_leaves_nothing_locked() {
    let scene = Scene::with_limit(HOUR).await;
    let orders: Collection<Order> = scene.test.db.collection("orders");
    let shared = SequencedCollection::new(orders.clone());
    for item in ["tea", "coffee", "milk"] {
        let mut order = Order { id: 0, item: item.to_owned() };
        scene.dropped_at_the_counter(order.insert_with_seq(&orders).gapless()).await;
        scene.is_free().await;
        scene.dropped_at_the_counter(order.insert_with_seq(&shared).gapless()).await;
        scene.is_free().await;
        let mut batch = [order.clone(), order.clone()];
        scene.dropped_at_the_counter(Order::insert_many_with_seq(&mut batch, &orders).gapless()).await;
        scene.is_free().await;
        let mut order = Order { id: 0, item: format!("more {item}") };
        let same = doc! { "item": &order.item };
        scene.dropped_at_the_counter(order.get_or_insert_with_seq(&orders, same).gapless()).await;
        scene.is_free().await;
    }
}

/// A transaction of the caller's is the caller's to end, as one by hand. In a task of its own it comes to its end, whoever has
/// stopped waiting for it.
#[tokio::test]
async fn a_callers_transaction_survives_its_caller_in_a_task_of_its_own() {
    let scene = Scene::with_limit(HOUR).await;
    let transaction = || of_the_caller(scene.test.client.clone(), scene.test.db.collection("orders"));
    scene.dropped_at_the_counter(tokio::spawn(transaction())).await;
    scene.is_free().await;
    assert_eq!(scene.test.ids().await.len(), 3);
    scene.dropped_at_the_counter(transaction()).await;
    scene.is_locked().await;
}
