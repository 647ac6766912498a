//! A database of its own for every test, and what the client sent while it ran.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mongo_sequence::{Error, ErrorKind};
use mongod_fixture::{Server, Topology};
use mongodb::{
    Client, Collection, Database,
    bson::{Bson, Document, doc},
    event::EventHandler,
    event::command::CommandEvent,
    options::{ClientOptions, ServerAddress},
};
use tokio::sync::{Notify, OnceCell};

/// How long to wait for something that is sure to come; a test that runs into it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// The replica set that most tests share.
pub(crate) async fn server() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    started(&SERVER, Server::get).await
}

/// A replica set with fail points, which a given deployment need not have.
pub(crate) async fn own_server() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    let shared = server().await;
    if shared.nodes().is_empty() { started(&SERVER, || Server::start(Topology::ReplicaSet)).await } else { shared }
}

/// A standalone server.
pub(crate) async fn standalone() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    started(&SERVER, || Server::start(Topology::Standalone)).await
}

/// Three nodes.
pub(crate) async fn three_nodes() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    started(&SERVER, || Server::start(Topology::ThreeNodes)).await
}

/// A replica set on which transactions that nobody ends stay open for an hour.
pub(crate) async fn hour_long() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    let start = async || {
        let server = Server::start(Topology::ReplicaSet).await?;
        let admin = Client::with_uri_str(server.uri()).await.unwrap().database("admin");
        admin.run_command(doc! { "setParameter": 1, "transactionLifetimeLimitSeconds": 3_600 }).await.unwrap();
        Ok(server)
    };
    started(&SERVER, start).await
}

pub(crate) async fn started<F>(cell: &'static OnceCell<Server>, start: impl FnOnce() -> F) -> &'static Server
where
    F: Future<Output = Result<Server, mongod_fixture::Error>>,
{
    match cell.get_or_try_init(start).await {
        Ok(server) => server,
        Err(error) => panic!("{error}"),
    }
}

/// A database that nobody else uses, and a client that notes every command it sends.
pub(crate) struct TestDb {
    pub(crate) client: Client,
    pub(crate) db: Database,
    pub(crate) sent: Sent,
    options: ClientOptions,
    remove: bool,
    /// Kept for as long as the fail points may be set.
    faults: Option<tokio::sync::MutexGuard<'static, ()>>,
}

impl TestDb {
    pub(crate) async fn new() -> Self {
        Self::on(server().await, |_| {}).await
    }

    /// On a server with fail points. There is one `failCommand` for all of it, so one test at a time has it.
    pub(crate) async fn with_faults() -> Self {
        Self::with_faults_and(|_| {}).await
    }

    pub(crate) async fn with_faults_and(configure: impl FnOnce(&mut ClientOptions)) -> Self {
        static FAULTS: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let server = own_server().await;
        let faults = FAULTS.lock().await;
        let mut test = Self::on(server, configure).await;
        test.faults = Some(faults);
        test
    }

    pub(crate) async fn on(server: &Server, configure: impl FnOnce(&mut ClientOptions)) -> Self {
        static TESTS: AtomicU32 = AtomicU32::new(0);
        let name = format!("mongo_sequence_{}_{}", std::process::id(), TESTS.fetch_add(1, Ordering::Relaxed));
        let sent = Sent::default();
        let mut options = ClientOptions::parse(server.uri()).await.unwrap();
        options.app_name = Some(name.clone());
        options.heartbeat_freq = Some(Duration::from_millis(500));
        options.command_event_handler = Some(sent.handler());
        configure(&mut options);
        let client = Client::with_options(options.clone()).unwrap();
        let db = client.database(&name);
        Self { client, db, sent, options, remove: server.nodes().is_empty(), faults: None }
    }

    /// Another client, with a connection pool of its own.
    pub(crate) fn another_client(&self) -> (Client, Database) {
        let client = Client::with_options(self.options.clone()).unwrap();
        let db = client.database(self.db.name());
        (client, db)
    }

    pub(crate) fn counters(&self) -> Collection<Document> {
        self.db.collection("sequences")
    }

    pub(crate) async fn counter(&self, name: &str) -> Option<Document> {
        self.counters().find_one(doc! { "_id": name }).await.unwrap()
    }

    /// The value of the counter as the library stores it.
    pub(crate) async fn value(&self, name: &str) -> Option<i64> {
        self.counter(name).await.map(|counter| counter.get_i64("seq").unwrap())
    }

    pub(crate) async fn set_counter(&self, name: &str, value: impl Into<Bson>) {
        let set = doc! { "$set": { "seq": value.into() } };
        self.counters().update_one(doc! { "_id": name }, set).upsert(true).await.unwrap();
    }

    /// The numbers stored in a field of a collection.
    pub(crate) async fn numbers(&self, collection: &str, field: &str) -> BTreeSet<i64> {
        let mut cursor = self.db.collection::<Document>(collection).find(doc! {}).await.unwrap();
        let mut numbers = BTreeSet::new();
        while cursor.advance().await.unwrap() {
            let document = cursor.deserialize_current().unwrap();
            numbers.insert(integer(document.get(field).unwrap()));
        }
        numbers
    }

    pub(crate) async fn ids(&self) -> BTreeSet<i64> {
        self.numbers("orders", "_id").await
    }

    /// Stores documents that hold only this field, as an import would.
    pub(crate) async fn import(&self, field: &str, values: impl IntoIterator<Item = impl Into<Bson>>) {
        let documents = values.into_iter().map(|value| doc! { field: value.into() });
        self.db.collection::<Document>("orders").insert_many(documents).await.unwrap();
    }

    /// Makes commands of this test's client fail.
    pub(crate) async fn fail(&self, commands: &[&str], mode: impl Into<Bson>, how: Document) {
        let mut data = how;
        data.insert("failCommands", commands.to_vec());
        data.insert("appName", self.db.name());
        let command = doc! { "configureFailPoint": "failCommand", "mode": mode.into(), "data": data };
        let admin = Client::with_uri_str(own_server().await.uri()).await.unwrap();
        admin.database("admin").run_command(command).await.unwrap();
    }

    /// Runs `work` with the first insert in a transaction meeting a conflict, as if somebody had written the document.
    pub(crate) async fn with_conflict_on_insert(&self, work: impl AsyncFnOnce()) {
        let conflict = doc! { "errorCode": 112, "errorLabels": ["TransientTransactionError"] };
        self.fail(&["insert"], doc! { "times": 1 }, conflict).await;
        work().await;
    }

    pub(crate) async fn unique_index(&self, collection: &str, keys: Document) {
        self.unique_index_named(collection, keys, "unique index").await;
    }

    pub(crate) async fn unique_index_named(&self, collection: &str, keys: Document, name: &str) {
        let command = doc! {
            "createIndexes": collection,
            "indexes": [{ "key": keys, "name": name, "unique": true }],
        };
        self.db.run_command(command).await.unwrap();
    }
}

impl Drop for TestDb {
    /// Leaves nothing behind on a server that outlives the tests.
    fn drop(&mut self) {
        if self.remove {
            let (options, name) = (self.options.clone(), self.db.name().to_owned());
            let removal = std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    Client::with_options(options).unwrap().database(&name).drop().await.unwrap();
                });
            });
            let _removed = removal.join();
        }
    }
}

/// The commands a client has sent, as they went over the wire.
#[derive(Clone, Default)]
pub(crate) struct Sent {
    commands: Arc<Mutex<Vec<(String, Document)>>>,
    /// The names of those that have been answered without an error.
    answered: Arc<Mutex<Vec<String>>>,
    more: Arc<Notify>,
}

impl Sent {
    fn handler(&self) -> EventHandler<CommandEvent> {
        let sent = self.clone();
        EventHandler::callback(move |event| {
            match event {
                CommandEvent::Started(started) => {
                    sent.commands.lock().unwrap().push((started.command_name, started.command));
                }
                CommandEvent::Succeeded(succeeded) => sent.answered.lock().unwrap().push(succeeded.command_name),
                _ => return,
            }
            sent.more.notify_waiters();
        })
    }

    pub(crate) fn clear(&self) {
        self.commands.lock().unwrap().clear();
    }

    /// The commands of this name.
    pub(crate) fn named(&self, name: &str) -> Vec<Document> {
        let commands = self.commands.lock().unwrap();
        commands.iter().filter(|(sent, _)| sent == name).map(|(_, command)| command.clone()).collect()
    }

    /// The names of all commands, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.commands.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    /// The sessions in which they were sent.
    pub(crate) fn sessions(&self) -> BTreeSet<String> {
        let commands = self.commands.lock().unwrap();
        commands.iter().filter_map(|(_, command)| Some(command.get("lsid")?.to_string())).collect()
    }

    /// Waits until `n` commands of this name have been sent.
    pub(crate) async fn until(&self, name: &str, n: usize) {
        self.until_there_are(name, n, |sent| sent.named(name).len()).await;
    }

    /// How many commands of this name have been answered without an error.
    pub(crate) fn answered(&self, name: &str) -> usize {
        self.answered.lock().unwrap().iter().filter(|answered| *answered == name).count()
    }

    /// Waits until `n` commands of this name have been answered without an error.
    pub(crate) async fn until_answered(&self, name: &str, n: usize) {
        self.until_there_are(name, n, |sent| sent.answered(name)).await;
    }

    async fn until_there_are(&self, name: &str, n: usize, count: impl Fn(&Self) -> usize) {
        loop {
            let more = self.more.notified();
            if count(self) >= n {
                return;
            }
            assert!(tokio::time::timeout(PATIENCE, more).await.is_ok(), "no {n} {name} among {:?}", self.names());
        }
    }
}

pub(crate) fn integer(value: &Bson) -> i64 {
    match value {
        Bson::Int32(number) => i64::from(*number),
        Bson::Int64(number) => *number,
        other => panic!("{other} is no integer"),
    }
}

/// The server's code behind an error of the driver's.
pub(crate) fn code(error: &Error) -> Option<i32> {
    use mongodb::error::{ErrorKind as Kind, WriteFailure};
    assert!(matches!(error.kind(), ErrorKind::Driver), "{error:?}");
    match &*error.driver_error()?.kind {
        Kind::Command(command) => Some(command.code),
        Kind::Write(WriteFailure::WriteError(write)) => Some(write.code),
        _ => None,
    }
}

/// An address where nobody listens.
pub(crate) fn nowhere() -> ServerAddress {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: Some(free) }
}
