//! What is left on the server and on this runtime, looked at by a client of its own.

use std::time::Duration;

use mongod_fixture::Server;
use mongodb::{
    Client, Database,
    bson::{Document, doc},
};
use tokio::runtime::Handle;

/// How long to wait for something that is sure to come; a test that runs into it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

pub(crate) async fn soon<F: IntoFuture>(work: F) -> F::Output {
    tokio::time::timeout(PATIENCE, work.into_future()).await.expect("it waits for ever")
}

pub(crate) async fn until(what: &str, is: impl AsyncFn() -> bool) {
    let come = async {
        while !is().await {
            tokio::time::sleep(LOOK).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, come).await.is_ok(), "it never comes that {what}");
}

pub(crate) struct Watch {
    client: Client,
    /// How many tasks there are with nobody else.
    pub(crate) alone: usize,
}

impl Watch {
    pub(crate) async fn new(server: &Server) -> Self {
        let client = Client::with_uri_str(server.uri()).await.unwrap();
        let mut watch = Self { client, alone: 0 };
        watch.transactions("").await;
        watch.alone = watch.tasks();
        watch
    }

    pub(crate) fn database(&self, name: &str) -> Database {
        self.client.database(name)
    }

    pub(crate) fn tasks(&self) -> usize {
        Handle::current().metrics().num_alive_tasks()
    }

    /// How many transactions of this application are open.
    pub(crate) async fn transactions(&self, app_name: &str) -> usize {
        let open = doc! { "appName": app_name, "transaction": { "$exists": true } };
        self.operations(doc! { "idleSessions": true }, open).await
    }

    /// How many connections this application has.
    pub(crate) async fn connections(&self, app_name: &str) -> usize {
        self.operations(doc! { "idleConnections": true }, doc! { "appName": app_name }).await
    }

    async fn operations(&self, of: Document, matching: Document) -> usize {
        let mut current = doc! { "allUsers": true };
        current.extend(of);
        let stages = [doc! { "$currentOp": current }, doc! { "$match": matching }];
        let mut found = self.client.database("admin").aggregate(stages).await.unwrap();
        let mut n = 0;
        while found.advance().await.unwrap() {
            n += 1;
        }
        n
    }
}
