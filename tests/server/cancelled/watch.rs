//! What is left on the server, looked at by a client of its own.

use std::time::Duration;

use mongod_fixture::Server;
use mongodb::{
    Client, Database,
    bson::{Document, doc},
};

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
}

impl Watch {
    pub(crate) async fn new(server: &Server) -> Self {
        Self { client: Client::with_uri_str(server.uri()).await.unwrap() }
    }

    pub(crate) fn database(&self, name: &str) -> Database {
        self.client.database(name)
    }

    pub(crate) async fn end(self) {
        self.client.shutdown().await;
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
