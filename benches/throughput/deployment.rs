//! The server, a client for it, and what the server counts.

use std::{
    ops::Sub,
    sync::atomic::{AtomicUsize, Ordering},
};

use mongod_fixture::{Server, Topology};
use mongodb::{
    Client, Database,
    bson::{Bson, Document, doc},
    options::{ClientOptions, WriteConcern},
};

use crate::{Result, results::float};

/// Commands that make up inserts and numbers, in every way that is measured.
const COMMANDS: [&str; 6] = ["findAndModify", "insert", "update", "find", "aggregate", "commitTransaction"];
/// More than there are callers.
const CONNECTIONS: u32 = 300;

/// A server of this program's own, so that nobody else's load is in the figures and fail points can be set.
#[derive(Debug)]
pub(crate) struct Deployment {
    server: Server,
    client: Client,
    db: Database,
    names: AtomicUsize,
}

impl Deployment {
    pub(crate) async fn start() -> Result<Self> {
        let server = Server::start(Topology::ReplicaSet).await?;
        let client = client(server.uri(), CONNECTIONS, "throughput").await?;
        let db = client.database("throughput");
        Ok(Self { server, client, db, names: AtomicUsize::new(0) })
    }

    pub(crate) fn uri(&self) -> &str {
        self.server.uri()
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn db(&self) -> &Database {
        &self.db
    }

    /// For a collection or a counter that nobody has used.
    pub(crate) fn fresh_name(&self) -> String {
        format!("cell{}", self.names.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) async fn version(&self) -> Result<String> {
        let info = self.db.run_command(doc! { "buildInfo": 1 }).await?;
        Ok(info.get_str("version")?.to_owned())
    }

    /// What the server has counted so far.
    pub(crate) async fn counted(&self) -> Result<Counted> {
        // A callback on every command would be in the client's time; this is two commands for each cell.
        let status = self.client.database("admin").run_command(doc! { "serverStatus": 1 }).await?;
        let metrics = status.get_document("metrics")?;
        let commands = metrics.get_document("commands")?;
        let total = |name| commands.get_document(name).map_or(0.0, |command| number(command, "total"));
        Ok(Counted {
            moves: total("findAndModify"),
            commands: COMMANDS.into_iter().map(total).sum(),
            conflicts: number(metrics.get_document("operation")?, "writeConflicts"),
            aborts: number(status.get_document("transactions")?, "totalAborted"),
        })
    }
}

/// A client that writes with majority, with so many connections open.
pub(crate) async fn client(uri: &str, connections: u32, name: &str) -> Result<Client> {
    let mut options = ClientOptions::parse(uri).await?;
    options.app_name = Some(name.to_owned());
    options.write_concern = Some(WriteConcern::majority());
    options.max_pool_size = Some(connections);
    options.min_pool_size = Some(connections);
    let client = Client::with_options(options)?;
    client.warm_connection_pool().await;
    Ok(client)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// `findAndModify` commands, with which counters are moved.
    pub(crate) moves: f64,
    /// All commands of inserts and numbers.
    pub(crate) commands: f64,
    /// Conflicts of single writes, which the server tries again by itself.
    pub(crate) conflicts: f64,
    /// Transactions that were aborted, which the client runs again.
    pub(crate) aborts: f64,
}

impl Sub for Counted {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            moves: self.moves - earlier.moves,
            commands: self.commands - earlier.commands,
            conflicts: self.conflicts - earlier.conflicts,
            aborts: self.aborts - earlier.aborts,
        }
    }
}

fn number(document: &Document, name: &str) -> f64 {
    match document.get(name) {
        Some(Bson::Int64(number)) => float(usize::try_from(*number).unwrap_or_default()),
        Some(Bson::Int32(number)) => f64::from(*number),
        _ => 0.0,
    }
}
