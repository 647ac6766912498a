//! The ways to take numbers, ready to be repeated.

use mongo_sequence::{AutoIncrement, Sequence, SequencedCollection, SharedSequence};
use mongod_fixture::Server;
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
    options::ClientOptions,
};
use serde::{Deserialize, Serialize};

/// How many connections a client has for commands, besides the two that watch the server.
pub(crate) const POOL: u32 = 10;
const BLOCK: u32 = 100;
/// How many numbers or documents one call takes that takes many.
const MANY: i64 = 10;

#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
struct Order {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
    item: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
struct Bill {
    tenant: i64,
    #[auto_increment(scope(tenant))]
    number: i64,
}

fn order() -> Order {
    Order { id: 0, item: "tea".to_owned() }
}

fn bill(tenant: i64) -> Bill {
    Bill { tenant, number: 0 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Plain,
    Batch,
    Combined,
    Blocks,
    Gapless,
    GaplessGroups,
    GaplessByCaller,
    NextValue,
    Reserve,
    SharedNextValue,
    /// Each document has a scope of its own, whose counter is not there.
    NewScopes,
    /// Whose counter is.
    ScopesCombined,
    ScopesBlocks,
    ScopesGapless,
}

impl Way {
    pub(crate) const ALL: [Self; 14] = [
        Self::Plain,
        Self::Batch,
        Self::Combined,
        Self::Blocks,
        Self::Gapless,
        Self::GaplessGroups,
        Self::GaplessByCaller,
        Self::NextValue,
        Self::Reserve,
        Self::SharedNextValue,
        Self::NewScopes,
        Self::ScopesCombined,
        Self::ScopesBlocks,
        Self::ScopesGapless,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Batch => "batches of 10",
            Self::Combined => "combined",
            Self::Blocks => "blocks of 100",
            Self::Gapless => "gapless",
            Self::GaplessGroups => "gapless groups",
            Self::GaplessByCaller => "gapless by the caller",
            Self::NextValue => "next_value",
            Self::Reserve => "reserve(10)",
            Self::SharedNextValue => "next_value from blocks",
            Self::NewScopes => "new scopes, plain",
            Self::ScopesCombined => "scopes, combined",
            Self::ScopesBlocks => "scopes, blocks of 100",
            Self::ScopesGapless => "scopes, gapless groups",
        }
    }

    /// How many documents it stores while others store so many. A handle keeps what it knows of up to some thousand scopes.
    pub(crate) fn documents(self, inserts: i64) -> i64 {
        match self {
            Self::NewScopes => (inserts / 10).max(200),
            Self::ScopesGapless => (inserts / 10).max(900),
            Self::ScopesCombined | Self::ScopesBlocks => (inserts / 10).max(2_400),
            _ => inserts,
        }
    }

    /// Into how many parts the documents of each half are divided, behind each of which the heap is looked at.
    pub(crate) fn parts(self) -> i64 {
        if self.has_a_queue_for_each_scope() { 3 } else { 20 }
    }

    pub(crate) fn has_a_queue_for_each_scope(self) -> bool {
        self == Self::ScopesGapless
    }

    fn has_counters(self) -> bool {
        matches!(self, Self::ScopesCombined | Self::ScopesBlocks | Self::ScopesGapless)
    }
}

/// One way in a database of its own, with a client of its own.
pub(crate) struct Ways {
    way: Way,
    client: Client,
    db: Database,
    orders: SequencedCollection<Order>,
    bills: SequencedCollection<Bill>,
    sequence: Sequence,
    shared: SharedSequence,
}

impl Ways {
    /// For so many documents, and as many again at most to warm up.
    pub(crate) async fn new(way: Way, server: &Server, inserts: i64) -> Self {
        let mut options = ClientOptions::parse(server.uri()).await.unwrap();
        let name = format!("mongo_sequence_leaks_{}_{way:?}", std::process::id());
        options.app_name = Some(name.clone());
        options.min_pool_size = Some(POOL); // from the beginning, so that none is added
        options.max_pool_size = Some(POOL);
        let client = Client::with_options(options).unwrap();
        let db = client.database(&name);
        let block = if matches!(way, Way::Blocks | Way::ScopesBlocks | Way::SharedNextValue) { BLOCK } else { 0 };
        let bills = db.collection::<Bill>("bills");
        Bill::ensure_sequences(&bills).await.unwrap();
        client.warm_connection_pool().await;
        if way.has_counters() {
            let counter = |tenant| doc! { "_id": { "seq": "bills.number", "tenant": tenant }, "seq": 0_i64 };
            let counters = (0..way.documents(inserts) * 2).map(counter);
            db.collection::<Document>("sequences").insert_many(counters).await.unwrap();
        }
        let sequence = Sequence::new(&db, "tickets").start(1);
        Self {
            way,
            orders: SequencedCollection::builder(db.collection("orders")).block_size(block).build(),
            bills: SequencedCollection::builder(bills).block_size(block).build(),
            shared: SharedSequence::builder(sequence.clone()).block_size(block).build(),
            sequence,
            client,
            db,
        }
    }

    pub(crate) fn app_name(&self) -> &str {
        self.db.name()
    }

    /// How many callers there are at once.
    pub(crate) fn callers(&self) -> usize {
        match self.way {
            Way::Gapless | Way::GaplessByCaller => 1, // who compete for one counter
            _ => 16,
        }
    }

    /// How many documents one call stores, or numbers it takes.
    pub(crate) fn at_once(&self) -> i64 {
        match self.way {
            Way::Batch | Way::Reserve | Way::ScopesCombined | Way::ScopesBlocks => MANY,
            _ => 1,
        }
    }

    /// One call.
    pub(crate) async fn insert(&self, document: i64) {
        let orders: &Collection<Order> = &self.orders;
        match self.way {
            Way::Plain => drop(order().insert_with_seq(orders).await.unwrap()),
            Way::Batch => {
                let mut batch: Vec<Order> = (0..MANY).map(|_| order()).collect();
                Order::insert_many_with_seq(&mut batch, orders).await.unwrap();
            }
            Way::Combined | Way::Blocks => drop(order().insert_with_seq(&self.orders).await.unwrap()),
            Way::Gapless => drop(order().insert_with_seq(orders).gapless().await.unwrap()),
            Way::GaplessGroups => drop(order().insert_with_seq(&self.orders).gapless().await.unwrap()),
            Way::GaplessByCaller => {
                let mut session = self.client.start_session().await.unwrap();
                session.start_transaction().await.unwrap();
                order().insert_with_seq(orders).session(&mut session).gapless().await.unwrap();
                session.commit_transaction().await.unwrap();
            }
            Way::NextValue => drop(self.sequence.next_value().await.unwrap()),
            Way::Reserve => drop(self.sequence.reserve(MANY.unsigned_abs()).await.unwrap()),
            Way::SharedNextValue => drop(self.shared.next_value().await.unwrap()),
            Way::NewScopes => {
                let bills: &Collection<Bill> = &self.bills;
                bill(document).insert_with_seq(bills).await.unwrap();
            }
            Way::ScopesCombined | Way::ScopesBlocks => {
                let mut batch: Vec<Bill> = (document..document + MANY).map(bill).collect();
                Bill::insert_many_with_seq(&mut batch, &self.bills).await.unwrap();
            }
            Way::ScopesGapless => drop(bill(document).insert_with_seq(&self.bills).gapless().await.unwrap()),
        }
    }

    /// Ends everything, and removes the database.
    pub(crate) async fn shut_down(self) {
        let Self { client, db, orders, bills, sequence, shared, .. } = self;
        orders.shutdown().await;
        bills.shutdown().await;
        db.drop().await.unwrap();
        drop((db, orders, bills, sequence, shared));
        client.shutdown().await;
    }
}
