//! Examples of the documentation, run against a server.

use std::{
    fmt::Display,
    panic::{self, AssertUnwindSafe},
};

use mongodb::{Client, Database, bson::oid::ObjectId};
use tokio::runtime::Runtime;

use crate::Server;

/// Runs an example on a database of its own, at the deployment of [`Server::get`]. The database is removed afterwards, also
/// if the example panics.
///
/// ```
/// async fn example(db: mongodb::Database) -> mongodb::error::Result<()> {
///     db.collection("orders").insert_one(mongodb::bson::doc! { "item": "tea" }).await?;
///     Ok(())
/// }
/// mongod_fixture::run(example);
/// ```
///
/// # Panics
///
/// If there is no server, or the example returns an error.
pub fn run<F, E>(example: impl FnOnce(Database) -> F)
where
    F: Future<Output = Result<(), E>>,
    E: Display,
{
    with_database(|runtime, _, db| runtime.block_on(example(db)));
}

/// The same for an example that has no runtime yet: it gets the connection string, and the name of its database.
///
/// # Panics
///
/// If there is no server, or the example returns an error.
pub fn run_blocking<E: Display>(example: impl FnOnce(&str, &str) -> Result<(), E>) {
    with_database(|_, uri, db| example(uri, db.name()));
}

fn with_database<E: Display>(example: impl FnOnce(&Runtime, &str, Database) -> Result<(), E>) {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(Server::get()).unwrap_or_else(|error| panic!("{error}"));
    let client = runtime.block_on(Client::with_uri_str(server.uri())).expect("a client");
    let db = client.database(&format!("mongo_sequence_example_{}", ObjectId::new()));
    let done = panic::catch_unwind(AssertUnwindSafe(|| example(&runtime, server.uri(), db.clone())));
    if server.nodes().is_empty() {
        runtime.block_on(async { db.drop().await }).expect("the database is removed");
    }
    match done {
        Ok(Ok(())) => {}
        Ok(Err(error)) => panic!("{error}"),
        Err(panic) => panic::resume_unwind(panic),
    }
}
