//! Runtimes that end, at any moment, and callers that go on elsewhere.

use std::{
    collections::BTreeSet,
    pin::pin,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use futures_executor::block_on;
use mongo_sequence::{AutoIncrement, ErrorKind, SequencedCollection, SharedSequence};
use tokio::runtime::{Builder, Runtime};

use super::tickets;
use crate::{
    models::{Order, order},
    support::TestDb,
};

/// What is sure to come; a test that runs into it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

pub(crate) async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it waits for ever")
}

/// A thread of its own, since what is tested may never end.
fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(work()));
    told.recv_timeout(PATIENCE).expect("it never ends")
}

/// The task that would have answered is dropped with its runtime, before it has run at all.
#[test]
fn a_task_that_has_never_run_is_made_up_for() {
    for block in [0, 100] {
        let main = runtime();
        let (test, shared) = main.block_on(async {
            let test = TestDb::new().await;
            let shared = SharedSequence::builder(tickets(&test)).block_size(block).build();
            (test, shared)
        });
        runtime().block_on(async {
            let mut call = pin!(shared.next_value());
            assert!(futures_util::poll!(&mut call).is_pending());
        });
        assert_eq!(main.block_on(soon(shared.next_value())).unwrap(), 1, "blocks of {block}");
        main.block_on(async { drop(test) });
    }
}

/// The last poll of a runtime takes the number at which the block is low: the task that fetches the next one never runs.
#[test]
fn a_block_that_is_low_at_the_end_of_a_runtime_is_followed_by_another() {
    let main = runtime();
    let (test, shared) = main.block_on(async {
        let test = TestDb::new().await;
        let shared = SharedSequence::builder(tickets(&test)).block_size(4).build();
        assert_eq!(shared.next_value().await.unwrap(), 1);
        (test, shared)
    });
    // 2 to 5 are reserved, and low is at 4
    for expected in 2..=4 {
        assert_eq!(runtime().block_on(shared.next_value()).unwrap(), expected);
    }
    main.block_on(async {
        for expected in 5..=20 {
            assert_eq!(soon(shared.next_value()).await.unwrap(), expected);
        }
        drop(test);
    });
}

/// A runtime that has ended takes no task, though its handle can still be entered.
#[test]
fn on_a_runtime_that_has_ended_every_call_is_an_error() {
    let main = runtime();
    let (test, shared, orders) = main.block_on(async {
        let test = TestDb::new().await;
        let shared = SharedSequence::new(tickets(&test));
        let orders = SequencedCollection::new(test.db.collection::<Order>("orders"));
        (test, shared, orders)
    });
    let ended = runtime();
    let handle = ended.handle().clone();
    drop(ended);
    let (entered, ticket) = (handle.clone(), shared.clone());
    let error = on_a_thread(move || {
        let _inside = entered.enter();
        block_on(ticket.next_value()).unwrap_err()
    });
    assert!(matches!(error.kind(), ErrorKind::ShutDown), "{error:?}");
    for gapless in [false, true] {
        let (entered, orders) = (handle.clone(), orders.clone());
        let error = on_a_thread(move || {
            let _inside = entered.enter();
            let mut order = order();
            let insert = order.insert_with_seq(&orders);
            block_on(if gapless { insert.gapless() } else { insert }.into_future()).unwrap_err()
        });
        assert!(matches!(error.kind(), ErrorKind::ShutDown), "{error:?}");
    }
    main.block_on(async {
        assert_eq!(soon(shared.next_value()).await.unwrap(), 1);
        let mut order = order();
        soon(order.insert_with_seq(&orders).into_future()).await.unwrap();
        assert_eq!(order.id, 1);
        drop(test);
    });
}

/// Callers on many runtimes that end at any moment, some of them in the midst of a call: nobody waits for ever.
#[test]
fn runtimes_that_come_and_go_leave_nobody_behind() {
    let main = runtime();
    let (test, shared, orders) = main.block_on(async {
        let test = TestDb::new().await;
        let shared = SharedSequence::builder(tickets(&test)).block_size(3).build();
        let orders = SequencedCollection::builder(test.db.collection::<Order>("orders")).block_size(3).build();
        (test, shared, orders)
    });
    let told = Arc::new(Mutex::new(Vec::new()));
    for round in 0..40 {
        let here = runtime();
        here.block_on(async {
            for _ in 0..3 {
                let (shared, told) = (shared.clone(), Arc::clone(&told));
                tokio::spawn(async move {
                    if let Ok(number) = shared.next_value().await {
                        told.lock().unwrap().push(number);
                    }
                });
                let orders = orders.clone();
                tokio::spawn(async move { order().insert_with_seq(&orders).await.map(drop) });
            }
            for _ in 0..round {
                tokio::task::yield_now().await;
            }
        });
    }
    main.block_on(async {
        for _ in 0..20 {
            let number = soon(shared.next_value()).await.unwrap();
            told.lock().unwrap().push(number);
            let mut order = order();
            // the first may find the queue of a runtime that has ended
            soon(order.insert_with_seq(&orders).into_future()).await.unwrap();
        }
        soon(orders.shutdown()).await;
        drop(test);
    });
    let told = told.lock().unwrap();
    assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), told.len());
}
