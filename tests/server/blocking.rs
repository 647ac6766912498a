//! Programs that block: a runtime without threads of its own, which runs only while some thread blocks on it.

use std::{future::IntoFuture, sync::Arc, thread, time::Duration};

use mongo_sequence::{AutoIncrement, Error, ErrorKind, SequencedCollection, SharedSequence};
use mongodb::Collection;
use tokio::runtime::{Builder, Runtime};

use crate::{
    models::{Order, order},
    shared::{
        runtimes::{PATIENCE, soon},
        tickets,
    },
    support::TestDb,
};

fn one_thread() -> Arc<Runtime> {
    Arc::new(Builder::new_current_thread().enable_all().build().unwrap())
}

/// Whoever blocks runs the tasks of all, those of a thread that has its number and is gone included.
#[test]
fn threads_share_a_runtime_without_threads() {
    for block in [0, 5] {
        let runtime = one_thread();
        let (test, orders) = runtime.block_on(async {
            let test = TestDb::new().await;
            let orders = SequencedCollection::builder(test.db.collection::<Order>("orders")).block_size(block).build();
            (test, orders)
        });
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let (runtime, orders) = (Arc::clone(&runtime), orders.clone());
                thread::spawn(move || {
                    let store = |_| {
                        let mut order = order();
                        let insert = order.insert_with_seq(&orders);
                        let insert = if n % 2 == 0 { insert.gapless() } else { insert };
                        runtime.block_on(async { soon(insert.into_future()).await }).unwrap();
                        order.id
                    };
                    (0..12).map(store).collect::<Vec<_>>()
                })
            })
            .collect();
        let mut told: Vec<i64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        told.sort_unstable();
        runtime.block_on(async {
            assert_eq!(told, test.ids().await.into_iter().collect::<Vec<_>>(), "blocks of {block}");
            assert_eq!(told.len(), 96);
            soon(orders.shutdown()).await;
            drop(test);
        });
    }
}

/// Numbers come from memory while the task that is to fetch the next block stands still, and then it is fetched.
#[test]
fn a_block_is_fetched_ahead_only_while_somebody_blocks() {
    let runtime = one_thread();
    let (test, shared) = runtime.block_on(async {
        let test = TestDb::new().await;
        let shared = SharedSequence::builder(tickets(&test)).block_size(4).build();
        assert_eq!(shared.next_value().await.unwrap(), 1); // and 2 to 5 are reserved
        (test, shared)
    });
    test.sent.clear();
    for expected in 2..=5 {
        assert_eq!(runtime.block_on(shared.next_value()).unwrap(), expected);
    }
    assert!(test.sent.names().is_empty(), "{:?}", test.sent.names());
    assert_eq!(runtime.block_on(soon(shared.next_value())).unwrap(), 6);

    // a runtime with a thread does it by itself, here at 8
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (test, shared) = runtime.block_on(async {
        let test = TestDb::new().await;
        let shared = SharedSequence::builder(tickets(&test)).block_size(4).build();
        assert_eq!(shared.next_value().await.unwrap(), 1);
        (test, shared)
    });
    test.sent.clear();
    for expected in 2..=5 {
        assert_eq!(runtime.block_on(shared.next_value()).unwrap(), expected);
    }
    one_thread().block_on(test.sent.until_answered("findAndModify", 2));
}

/// Somebody else who wants a number from the counter of orders, on another runtime.
struct Elsewhere {
    runtime: Runtime,
    orders: Collection<Order>,
}

impl Elsewhere {
    fn new(test: &TestDb) -> Self {
        let runtime = Runtime::new().unwrap();
        let inside = runtime.enter();
        let orders = test.another_client().1.collection("orders");
        drop(inside);
        Self { runtime, orders }
    }

    fn insert(&self, limit: Duration) -> Result<i64, Error> {
        let mut order = order();
        self.runtime.block_on(async { order.insert_with_seq(&self.orders).time_limit(limit).await })?;
        Ok(order.id)
    }

    fn finds_it_held(&self) {
        let error = self.insert(Duration::from_millis(500)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CounterHeld { .. }), "{error:?}");
    }
}

/// A task finishes the transaction of a gapless call that is given up. It holds the counter for as long as nobody runs it.
#[test]
fn a_call_that_is_given_up_holds_its_counter_until_somebody_blocks() {
    let runtime = one_thread();
    let (test, orders) = runtime.block_on(async {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        order().insert_with_seq(&orders).gapless().await.unwrap();
        let before = test.sent.answered("findAndModify");
        let mut given_up = order();
        tokio::select! {
            biased;
            () = test.sent.until_answered("findAndModify", before + 1) => {}
            done = given_up.insert_with_seq(&orders).gapless().into_future() => panic!("{done:?}"),
        }
        (test, orders)
    });
    let elsewhere = Elsewhere::new(&test);
    elsewhere.finds_it_held();
    let mut next = order();
    runtime.block_on(soon(next.insert_with_seq(&orders).into_future())).unwrap();
    assert!(next.id <= 3, "{next:?}");
    assert_eq!(elsewhere.insert(PATIENCE).unwrap(), next.id + 1);
    runtime.block_on(async { drop(test) });
}

/// So does a transaction of the caller's, which the driver aborts in a task when its session is dropped.
#[test]
fn a_session_that_is_dropped_holds_its_counter_until_somebody_blocks() {
    let runtime = one_thread();
    let (test, session) = runtime.block_on(async {
        let test = TestDb::new().await;
        let orders: Collection<Order> = test.db.collection("orders");
        order().insert_with_seq(&orders).await.unwrap();
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
        (test, session)
    });
    drop(session);
    let elsewhere = Elsewhere::new(&test);
    elsewhere.finds_it_held();
    assert!(test.sent.named("abortTransaction").is_empty());
    runtime.block_on(test.sent.until_answered("abortTransaction", 1));
    assert_eq!(elsewhere.insert(PATIENCE).unwrap(), 2);
}
