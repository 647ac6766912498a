//! Three nodes whose primary steps down again and again while everybody inserts.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::IntoFuture,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, SequencedCollection};
use mongod_fixture::{Server, Topology};
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
    options::{ReadConcern, WriteConcern},
};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// How often the primary steps down, and how many documents are acknowledged between two times.
const STEP_DOWNS: usize = 4;
const BETWEEN: usize = 300;
/// How many callers insert in each way.
const CALLERS: usize = 8;

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Entry {
    /// Of the one call that brings it.
    token: String,
    #[auto_increment]
    number: i64,
}

#[derive(Clone)]
enum Way {
    Plain(Collection<Entry>, bool),
    Shared(SequencedCollection<Entry>, bool),
}

impl Way {
    fn collection(&self) -> &Collection<Entry> {
        match self {
            Self::Plain(entries, _) => entries,
            Self::Shared(entries, _) => entries,
        }
    }

    fn is_gapless(&self) -> bool {
        let (Self::Plain(_, gapless) | Self::Shared(_, gapless)) = self;
        *gapless
    }

    async fn insert(&self, entry: &mut Entry) -> mongo_sequence::Result<()> {
        let insert = match self {
            Self::Plain(entries, _) => entry.insert_with_seq(entries),
            Self::Shared(entries, _) => entry.insert_with_seq(entries),
        };
        if self.is_gapless() { insert.gapless() } else { insert }.into_future().await.map(drop)
    }
}

/// What a caller was told was stored.
type Told = Vec<(String, i64)>;

async fn call(way: Way, caller: usize, stop: Arc<AtomicBool>, stored: Arc<watch::Sender<usize>>) -> Told {
    let mut told = Vec::new();
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut entry = Entry { token: format!("{caller}-{n}"), number: 0 };
        // a failed call is given up: what it was told is that nothing, or nobody knows what, is stored
        if way.insert(&mut entry).await.is_ok() {
            told.push((entry.token, entry.number));
            stored.send_modify(|stored| *stored += 1);
        }
    }
    told
}

/// Waits until that many more are stored.
async fn more(stored: &watch::Sender<usize>) {
    let mut stored = stored.subscribe();
    let before = *stored.borrow();
    stored.wait_for(|stored| *stored >= before + BETWEEN).await.unwrap();
}

/// No number was told twice, what was told is stored once, and gapless is 1, 2, 3 up to the counter.
async fn check(db: &Database, way: &Way, told: &Told) {
    let name = way.collection().name();
    let majority = |name: &str| {
        let options = mongodb::options::CollectionOptions::builder().read_concern(ReadConcern::majority()).build();
        db.collection_with_options::<Document>(name, options)
    };
    let mut found = majority(name).find(doc! {}).await.unwrap();
    let mut stored: BTreeMap<String, i64> = BTreeMap::new();
    while found.advance().await.unwrap() {
        let document = found.deserialize_current().unwrap();
        let (token, number) = (document.get_str("token").unwrap(), document.get_i64("number").unwrap());
        assert_eq!(stored.insert(token.to_owned(), number), None, "{name}: {token} is stored twice");
    }
    let numbers: BTreeSet<i64> = told.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers.len(), told.len(), "{name}: a number was told twice");
    for (token, number) in told {
        assert_eq!(stored.get(token), Some(number), "{name}: what was told of {token} is not stored");
    }
    let all: BTreeSet<i64> = stored.values().copied().collect();
    assert_eq!(all.len(), stored.len(), "{name}: a number is stored twice");
    let counter = majority("sequences").find_one(doc! { "_id": format!("{name}.number") }).await.unwrap().unwrap();
    let (counter, last) = (counter.get_i64("seq").unwrap(), *all.last().unwrap());
    assert!(counter >= last, "{name}: the counter is at {counter}, behind {last}");
    if way.is_gapless() {
        assert_eq!(all, (1..=counter).collect(), "{name}: there is a gap");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_survive_primaries_that_step_down() {
    let server = Server::start(Topology::ThreeNodes).await.unwrap_or_else(|error| panic!("{error}"));
    let client = Client::with_uri_str(server.uri()).await.unwrap();
    let db = client.database("failover");
    // what is acknowledged has to stay, and that is for the model's own collection to say
    let entries = |name: &str| {
        let options = mongodb::options::CollectionOptions::builder().write_concern(WriteConcern::majority()).build();
        db.collection_with_options::<Entry>(name, options)
    };
    let ways = [
        Way::Plain(entries("plain"), false),
        Way::Plain(entries("plain_gapless"), true),
        Way::Shared(SequencedCollection::new(entries("combined")), false),
        Way::Shared(SequencedCollection::builder(entries("blocks")).block_size(50).build(), false),
        Way::Shared(SequencedCollection::new(entries("gapless")), true),
    ];
    for way in &ways {
        Entry::ensure_sequences(way.collection()).await.unwrap();
    }
    let (stop, stored) = (Arc::new(AtomicBool::new(false)), Arc::new(watch::Sender::new(0)));
    let calls: Vec<Vec<_>> = ways
        .iter()
        .map(|way| {
            let caller = |caller| tokio::spawn(call(way.clone(), caller, Arc::clone(&stop), Arc::clone(&stored)));
            (0..CALLERS).map(caller).collect()
        })
        .collect();
    for _ in 0..STEP_DOWNS {
        more(&stored).await;
        let step_down = doc! { "replSetStepDown": 5, "secondaryCatchUpPeriodSecs": 2, "force": true };
        // while another is elected there is nobody to ask
        while client.database("admin").run_command(step_down.clone()).await.is_err() {}
    }
    more(&stored).await;
    stop.store(true, Ordering::Relaxed);
    for (way, calls) in ways.iter().zip(calls) {
        let told: Told = join_all(calls).await.into_iter().flat_map(Result::unwrap).collect();
        assert!(!told.is_empty());
        check(&db, way, &told).await;
    }
}
