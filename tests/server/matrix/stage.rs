//! The ways to ask for a number, each in a database of its own where number 1 has been given.

use std::time::Duration;

use futures_util::future::join_all;
use mongo_sequence::{
    AutoIncrement, Error, GetOrInsert, GetOrInsertWithSeq, InsertManyWithSeq, InsertWithSeq, Sequence,
    SequencedCollection,
};
use mongod_fixture::Server;
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::{Serialize, Serializer};

use super::watch::Watch;
use crate::{
    models::{Order, order},
    support::TestDb,
};

/// How long a caller waits for a counter that nobody should hold.
const LIMIT: Option<Duration> = Some(Duration::from_secs(3));

type Outcomes = Vec<Result<i64, Error>>;

pub(super) struct Stage {
    pub(super) test: TestDb,
    pub(super) watch: Watch,
    way: &'static str,
    orders: Collection<Order>,
    shared: SequencedCollection<Order>,
    sequence: Sequence,
}

/// One that cannot be made from the number 5, which is found out when it has been taken.
#[derive(AutoIncrement)]
struct Fragile {
    #[auto_increment(name = "orders._id")]
    id: i64,
}

impl Serialize for Fragile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.id == 5 {
            return Err(serde::ser::Error::custom("there is no 5"));
        }
        doc! { "_id": self.id, "id": self.id, "text": self.id.to_string() }.serialize(serializer)
    }
}

#[derive(Serialize, AutoIncrement)]
struct Item {
    #[serde(rename = "_id")]
    #[auto_increment(by_default)]
    id: Option<i64>,
}

/// A number that needs an index of its own.
#[derive(Serialize, AutoIncrement)]
struct Line {
    #[auto_increment(name = "orders._id")]
    number: i64,
}

impl Stage {
    pub(super) async fn set(server: &Server, way: &'static str) -> Self {
        let watch = Watch::default();
        let test = TestDb::on(server, |options| {
            options.command_event_handler = Some(watch.handler());
            options.retry_writes = (way == "no-retry").then_some(false);
        })
        .await;
        let orders = test.db.collection::<Order>("orders");
        let block_size = if way == "blocks" { 4 } else { 0 };
        let shared = SequencedCollection::builder(orders.clone()).block_size(block_size).build();
        let sequence = Order::sequence(&orders, "id").unwrap();
        let stage = Self { test, watch, way, orders, shared, sequence };
        stage.prepare().await;
        stage.watch.clear();
        stage
    }

    async fn prepare(&self) {
        match self.way {
            // there are documents and no counter
            "first" | "first-own" | "first-session" => return self.test.import("_id", [1]).await,
            "ensure" => return self.test.import("number", [1]).await,
            _ => {}
        }
        let mut first = order();
        first.insert_with_seq(&self.shared).await.unwrap();
        match self.way {
            "repair" | "repair-own" | "repair-session" => self.test.import("_id", [2, 3]).await,
            "unmade" => self.test.set_counter("orders._id", 4_i64).await,
            "taken" => self.test.unique_index("orders", doc! { "item": 1 }).await,
            _ => {}
        }
    }

    pub(super) async fn call(&self, limit: Option<Duration>) -> Outcomes {
        let orders = &self.orders;
        match self.way {
            "plain" | "no-retry" | "first" | "repair" => vec![insert(order(), orders, None, limit, false).await],
            "own" | "first-own" | "repair-own" | "taken" => vec![insert(order(), orders, None, limit, true).await],
            "combined" => self.two(limit, false).await,
            "group" => self.two(None, true).await,
            "blocks" => self.many(6, limit, false).await,
            "many" => self.many(3, limit, false).await,
            "many-own" => self.many(3, limit, true).await,
            "session" | "first-session" | "repair-session" => vec![self.in_session(limit, true, false).await],
            "session-outside" => vec![self.in_session(limit, false, false).await],
            "stubborn" => vec![self.in_session(limit, true, true).await],
            "and-run" => vec![self.run_again(limit).await],
            "next" => vec![self.sequence.next_value().await],
            "reserve" => match self.sequence.reserve(3).await {
                Ok(reserved) => reserved.map(Ok).collect(),
                Err(error) => vec![Err(error)],
            },
            "next-session" => vec![self.next_in_session().await],
            "get" => vec![self.get_or_insert(limit).await],
            "given" => vec![self.insert_given(5, limit).await],
            "unmade" => vec![self.insert_fragile().await],
            "ensure" => vec![self.ensure().await],
            other => panic!("there is no way {other}"),
        }
    }

    /// The same way once more, for one document that can be stored; by another process, if this one could have left the
    /// counter locked.
    pub(super) async fn next(&self) -> Result<i64, Error> {
        let another = || self.test.another_client().1.collection::<Order>("orders");
        match self.way {
            "own" | "many-own" | "group" | "first-own" | "repair-own" => {
                insert(order(), &another(), None, LIMIT, true).await
            }
            "session" | "session-outside" | "stubborn" | "and-run" | "next-session" | "first-session" => {
                insert(order(), &another(), None, LIMIT, false).await
            }
            "combined" | "blocks" | "many" => insert(order(), &self.shared, None, None, false).await,
            "taken" | "unmade" => {
                let coffee = Order { item: "coffee".to_owned(), ..order() };
                insert(coffee, &another(), None, LIMIT, true).await
            }
            "reserve" => self.sequence.next_value().await,
            "ensure" => {
                self.ensure().await?;
                self.sequence.next_value().await
            }
            "given" => insert(order(), &self.orders, None, None, false).await,
            _ => self.call(None).await.swap_remove(0),
        }
    }

    /// Two callers at once.
    async fn two(&self, limit: Option<Duration>, gapless: bool) -> Outcomes {
        join_all((0..2).map(|_| insert(order(), &self.shared, None, limit, gapless))).await
    }

    async fn many(&self, n: usize, limit: Option<Duration>, gapless: bool) -> Outcomes {
        let mut batch = vec![order(); n];
        let insert = Order::insert_many_with_seq(&mut batch, &self.shared);
        let insert = insert.optional(limit, InsertManyWithSeq::time_limit);
        match if gapless { insert.gapless() } else { insert }.await {
            Ok(_) => batch.into_iter().map(|order| Ok(order.id)).collect(),
            Err(error) => vec![Err(error)],
        }
    }

    /// In a transaction of the caller's, committed or aborted by what comes of the call; or committed in any case.
    async fn in_session(&self, limit: Option<Duration>, gapless: bool, stubborn: bool) -> Result<i64, Error> {
        let mut session = self.test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let done = insert(order(), &self.orders, Some(&mut session), limit, gapless).await;
        if stubborn {
            let _may_be_refused = session.commit_transaction().await;
        } else if done.is_ok() {
            session.commit_transaction().await.unwrap();
        } else {
            session.abort_transaction().await.unwrap();
        }
        done
    }

    async fn run_again(&self, limit: Option<Duration>) -> Result<i64, Error> {
        let mut session = self.test.client.start_session().await.unwrap();
        let run = session.start_transaction().and_run2(async |session| {
            let number = insert(order(), &self.orders, Some(session), limit, true).await?;
            Ok(number)
        });
        run.await.map_err(Error::from)
    }

    async fn next_in_session(&self) -> Result<i64, Error> {
        let mut session = self.test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let done = self.sequence.next_value().session(&mut session).await;
        match done {
            Ok(_) => session.commit_transaction().await.unwrap(),
            Err(_) => session.abort_transaction().await.unwrap(),
        }
        done
    }

    async fn get_or_insert(&self, limit: Option<Duration>) -> Result<i64, Error> {
        let mut order = Order { item: "coffee".to_owned(), ..order() };
        let filter = doc! { "item": "none" };
        let get = order.get_or_insert_with_seq(&self.orders, filter).optional(limit, GetOrInsertWithSeq::time_limit);
        assert!(matches!(get.await?, GetOrInsert::Inserted { .. }));
        Ok(order.id)
    }

    async fn insert_given(&self, id: i64, limit: Option<Duration>) -> Result<i64, Error> {
        let items: Collection<Item> = self.test.db.collection("orders");
        let mut item = Item { id: Some(id) };
        item.insert_with_seq(&items).optional(limit, InsertWithSeq::time_limit).await?;
        Ok(id)
    }

    async fn insert_fragile(&self) -> Result<i64, Error> {
        let fragile: Collection<Fragile> = self.test.db.collection("orders");
        let mut model = Fragile { id: 0 };
        model.insert_with_seq(&fragile).gapless().await?;
        Ok(model.id)
    }

    async fn ensure(&self) -> Result<i64, Error> {
        let lines: Collection<Line> = self.test.db.collection("orders");
        let ensured = Line::ensure_sequences(&lines).await?;
        Ok(ensured.counters.first().map_or(0, |(_, at)| *at))
    }
}

async fn insert<C: mongo_sequence::InsertTarget<Order>>(
    mut order: Order,
    orders: &C,
    session: Option<&mut mongodb::ClientSession>,
    limit: Option<Duration>,
    gapless: bool,
) -> Result<i64, Error> {
    let insert = order.insert_with_seq(orders).optional(limit, InsertWithSeq::time_limit);
    let insert = match session {
        Some(session) => insert.session(session),
        None => insert,
    };
    if gapless { insert.gapless() } else { insert }.await?;
    Ok(order.id)
}

/// The numbers that a collection holds besides 1.
pub(super) async fn stored(orders: &Collection<Document>) -> String {
    let mut cursor = orders.find(doc! {}).sort(doc! { "_id": 1 }).await.unwrap();
    let mut ids = Vec::new();
    while cursor.advance().await.unwrap() {
        let id = cursor.deserialize_current().unwrap().get_i64("_id").unwrap_or_default();
        ids.extend((id > 1).then(|| id.to_string()));
    }
    if ids.is_empty() { "-".to_owned() } else { ids.join(" ") }
}
