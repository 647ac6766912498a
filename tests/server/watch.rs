//! What is open on a server and on this runtime, looked at by a client of its own.

use std::time::Duration;

use mongod_fixture::Server;
use mongodb::{
    Client, Database,
    bson::{Document, doc},
    options::ClientOptions,
};

/// How long to wait for something that is sure to come; a test that runs into it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// Waits until it is so.
pub(crate) async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let come = async {
        while !is_so().await {
            tokio::time::sleep(LOOK).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, come).await.is_ok(), "it never comes that {what}");
}

/// Somebody who looks on.
pub(crate) struct Watch {
    client: Client,
}

impl Watch {
    pub(crate) async fn on(server: &Server) -> Self {
        let mut options = ClientOptions::parse(server.uri()).await.unwrap();
        options.app_name = Some("watch".to_owned());
        Self { client: Client::with_options(options).unwrap() }
    }

    pub(crate) fn admin(&self) -> Database {
        self.client.database("admin")
    }

    /// The open transactions of this application, between two commands or in one.
    pub(crate) async fn transactions(&self, app_name: &str) -> Vec<Document> {
        let open = doc! { "appName": app_name, "transaction": { "$exists": true } };
        self.operations(doc! { "idleSessions": true }, open).await
    }

    /// The commands of this name that the server is working on for this application.
    pub(crate) async fn commands(&self, app_name: &str, name: &str) -> Vec<Document> {
        let command = format!("command.{name}");
        self.operations(doc! {}, doc! { "appName": app_name, "active": true, command: { "$exists": true } }).await
    }

    async fn operations(&self, of: Document, matching: Document) -> Vec<Document> {
        let mut current = doc! { "allUsers": true };
        current.extend(of);
        let stages = [doc! { "$currentOp": current }, doc! { "$match": matching }];
        let mut found = self.admin().aggregate(stages).await.unwrap();
        let mut operations = Vec::new();
        while found.advance().await.unwrap() {
            operations.push(found.deserialize_current().unwrap());
        }
        operations
    }
}
