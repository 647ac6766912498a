//! A server that is stopped in the middle of everything: its connections stay open, and it says nothing until it goes on.
//!
//! What is to happen before it goes on is a matter of order: it goes on when the test has seen it. With `PAUSE_SECONDS=20` it is
//! stopped for at least so long. From 10.5 s on the driver gives its connections up and sends again what was under way; after
//! 40 it gives up itself.

mod limits;

use std::{
    collections::BTreeSet,
    env,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    task::Poll,
    time::{Duration, Instant},
};

use futures_util::{
    future::{join_all, try_join_all},
    poll,
};
use mongo_sequence::{AutoIncrement, ErrorKind, Sequence, SequencedCollection, SharedSequence};
use mongod_fixture::{Node, Server, Topology};
use mongodb::{
    bson::{Document, doc},
    options::ClientOptions,
};
use tokio::{
    sync::{MutexGuard, OnceCell},
    task::JoinSet,
};

use crate::{
    models::{Order, order},
    support::{TestDb, integer, started},
    watch::{Watch, until},
};

/// How many numbers are wanted in a second, and by how many callers.
const RATE: u32 = 5_000;
const CALLERS: u32 = 50;
/// How many may wait for one counter.
const CAPACITY: usize = 10_000;
/// Places at which the server can be made to hang.
const AT_INSERT: &str = "hangDuringBatchInsert";
const AT_COMMIT: &str = "hangBeforeCommitingTxn";
/// How long to wait for something that is sure to come; a test that runs into it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a caller waits who does not wait for long.
const SHORT: Duration = Duration::from_millis(100);

/// How long the server is stopped at least, in seconds.
fn seconds() -> u32 {
    env::var("PAUSE_SECONDS").map_or(1, |seconds| seconds.parse().unwrap())
}

/// A database on a server that others do not use meanwhile.
struct Pause {
    test: TestDb,
    watch: Watch,
    node: &'static Node,
    _turn: MutexGuard<'static, ()>,
}

impl Pause {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// With a client that never finds out by itself that the server is stopped.
    async fn unnoticed() -> Self {
        Self::with(|options| options.connect_timeout = Some(Duration::from_secs(3_600))).await
    }

    async fn with(configure: impl FnOnce(&mut ClientOptions)) -> Self {
        static SERVER: OnceCell<Server> = OnceCell::const_new();
        static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let server = started(&SERVER, || Server::start(Topology::ReplicaSet)).await;
        let turn = TURN.lock().await;
        let (test, watch) = (TestDb::on(server, configure).await, Watch::on(server).await);
        let pause = Self { test, watch, node: &server.nodes()[0], _turn: turn };
        for place in [AT_INSERT, AT_COMMIT] {
            pause.hang(place, "off").await; // a test that failed has left it on
        }
        pause
    }

    /// Stops the server until this is done, as it has to be while it is stopped, and the time is over.
    async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        struct Stopped<'a>(&'a Node);
        impl Drop for Stopped<'_> {
            fn drop(&mut self) {
                self.0.thaw().unwrap();
            }
        }
        self.node.freeze().unwrap();
        let _stopped = Stopped(self.node);
        let time = tokio::time::sleep(Duration::from_secs(seconds().into()));
        let work = tokio::time::timeout(PATIENCE, work);
        tokio::join!(work, time).0.expect("it waits for the server")
    }

    /// The server hangs at this place, or goes on.
    async fn hang(&self, place: &str, mode: &str) {
        self.watch.admin().run_command(doc! { "configureFailPoint": place, "mode": mode }).await.unwrap();
    }

    /// The numbers in a collection, as another client sees them.
    async fn stored(&self, collection: &str) -> BTreeSet<i64> {
        let (_client, db) = self.test.another_client();
        let ids = db.collection::<Document>(collection).distinct("_id", doc! {}).await.unwrap();
        ids.iter().map(integer).collect()
    }

    fn tickets(&self) -> Sequence {
        Sequence::new(&self.test.db, "tickets").start(1)
    }
}

fn all_different(numbers: &[i64]) {
    let distinct: BTreeSet<_> = numbers.iter().collect();
    assert_eq!(distinct.len(), numbers.len());
}

/// Callers that want one number after the other.
#[derive(Default)]
struct Callers {
    begun: AtomicUsize,
    told: Mutex<Vec<i64>>,
    longest: Mutex<Duration>,
    have_enough: AtomicBool,
}

impl Callers {
    async fn run(self: Arc<Self>, shared: SharedSequence) {
        let mut turns = tokio::time::interval(Duration::from_secs(1) * CALLERS / RATE);
        while !self.have_enough.load(SeqCst) {
            turns.tick().await;
            self.begun.fetch_add(1, SeqCst);
            let asked = Instant::now();
            let number = shared.next_value().await.unwrap();
            let mut longest = self.longest.lock().unwrap();
            *longest = longest.max(asked.elapsed());
            self.told.lock().unwrap().push(number);
        }
    }

    fn longest(&self) -> Duration {
        *self.longest.lock().unwrap()
    }

    fn told(&self) -> usize {
        self.told.lock().unwrap().len()
    }
}

/// No call fails while there are numbers in the blocks, all of them are told, and who comes behind them waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_in_blocks_are_told_while_the_server_is_stopped() {
    let pause = Pause::new().await;
    let block = RATE * seconds().max(1) / 3 * 2;
    let shared = SharedSequence::builder(pause.tickets()).block_size(block).build();
    let mut numbers = vec![shared.next_value().await.unwrap()];
    // one more than half of the first block, behind which the second one is fetched
    let answered = pause.test.sent.answered("findAndModify");
    numbers.extend(shared.reserve(u64::from(block / 2 + 1)).await.unwrap());
    pause.test.sent.until_answered("findAndModify", answered + 1).await;
    let reserved = 1 + 2 * block as usize - numbers.len();

    let callers = Arc::new(Callers::default());
    let mut tasks = JoinSet::new();
    let use_up = async {
        let stopped = Instant::now();
        for _ in 0..CALLERS {
            tasks.spawn(Arc::clone(&callers).run(shared.clone()));
        }
        let begun = reserved + CALLERS as usize;
        let all_wait = async || callers.told() == reserved && callers.begun.load(SeqCst) == begun;
        until("all numbers are told and all callers wait", all_wait).await;
        println!(
            "{reserved} numbers in {:?}, no caller has waited longer than {:?}",
            stopped.elapsed(),
            callers.longest()
        );
        assert!(tokio::time::timeout(SHORT, shared.next_value()).await.is_err());
        assert!(all_wait().await);
    };
    pause.during(use_up).await;
    callers.have_enough.store(true, SeqCst);
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    println!("{} numbers in all, no caller has waited longer than {:?}", callers.told(), callers.longest());
    assert!(callers.told() >= reserved + CALLERS as usize);
    numbers.append(&mut callers.told.lock().unwrap());
    let (_client, db) = pause.test.another_client();
    let others = SharedSequence::builder(Sequence::new(&db, "tickets").start(1)).block_size(100).build();
    for shared in [&others, &shared] {
        numbers.extend(try_join_all((0..500).map(|_| shared.next_value())).await.unwrap());
    }
    all_different(&numbers);
    assert!(numbers.iter().max() <= pause.test.value("tickets").await.as_ref());
}

/// Those who wait are so many at most, and all of them get a number.
#[tokio::test]
async fn callers_wait_for_a_server_that_is_stopped_up_to_a_bound() {
    let pause = Pause::new().await;
    let shared = SharedSequence::new(pause.tickets());
    let mut numbers = vec![shared.next_value().await.unwrap()];
    let commands = pause.test.sent.named("findAndModify").len();
    let waiting = async {
        let mut waiting = vec![Box::pin(shared.next_value())];
        assert!(poll!(&mut waiting[0]).is_pending());
        pause.test.sent.until("findAndModify", commands + 1).await; // which is for the first alone
        for _ in 0..CAPACITY {
            let mut next = Box::pin(shared.next_value());
            assert!(poll!(&mut next).is_pending());
            waiting.push(next);
        }
        match poll!(Box::pin(shared.next_value())) {
            Poll::Ready(Err(error)) if matches!(error.kind(), ErrorKind::Overloaded { limit: CAPACITY, .. }) => {}
            other => panic!("{other:?}"),
        }
        waiting
    };
    numbers.extend(try_join_all(pause.during(waiting).await).await.unwrap());
    assert_eq!(numbers.len(), CAPACITY + 2);
    all_different(&numbers);
}

/// Documents wait, and their numbers do not: each is stored under its own in the end, or may be.
#[tokio::test]
async fn inserts_with_blocks_wait_for_a_server_that_is_stopped_or_keep_their_limit() {
    const BLOCK: u32 = 40;
    let pause = Pause::new().await;
    let orders = pause.test.db.collection::<Order>("orders");
    let orders = SequencedCollection::builder(orders).block_size(BLOCK).build();
    order().insert_with_seq(&orders).await.unwrap();
    let insert = async |limit: Option<Duration>| {
        let mut order = order();
        let insert = order.insert_with_seq(&orders).optional(limit, mongo_sequence::InsertWithSeq::time_limit);
        insert.await.map(|_| order.id)
    };
    let during = async {
        let mut numbered: Vec<_> = (0..BLOCK).map(|_| Box::pin(insert(Some(SHORT)))).collect();
        for call in &mut numbered {
            assert!(poll!(call).is_pending());
        }
        let mut waiting: Vec<_> = (0..BLOCK).map(|_| Box::pin(insert(None))).collect();
        for call in &mut waiting {
            assert!(poll!(call).is_pending());
        }
        for error in join_all((0..BLOCK).map(|_| insert(Some(SHORT)))).await {
            let error = error.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Deadline { limit: SHORT, .. }), "{error:?}");
            assert_eq!(error.number(), None);
        }
        let burnt = join_all(numbered).await.into_iter().map(|call| {
            let error = call.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { limit: SHORT, .. }), "{error:?}");
            error.number().unwrap()
        });
        (burnt.collect::<BTreeSet<i64>>(), waiting)
    };
    let (burnt, waiting) = pause.during(during).await;
    assert_eq!(burnt, (2..=1 + i64::from(BLOCK)).collect());
    let told: BTreeSet<i64> = try_join_all(waiting).await.unwrap().into_iter().collect();
    assert!(told.len() == BLOCK as usize && told.is_disjoint(&burnt), "{told:?}");
    let stored: BTreeSet<i64> = pause.test.ids().await;
    assert!(
        stored.is_superset(&told) && stored.iter().all(|id| *id == 1 || told.contains(id) || burnt.contains(id)),
        "{stored:?}"
    );
}
