//! Real MongoDB servers for tests, examples and benches.
//!
//! [`Server::get`] gives a replica set: the one that `MONGODB_URI` names, else one of its own. [`Server::start`] always
//! starts its own, in the topology that is asked for. Servers that were started end with the process that started
//! them, however that ends, and take their temporary folder along. [`run`] is for examples of the documentation.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = mongod_fixture::Server::get().await?;
//! let client = mongodb::Client::with_uri_str(server.uri()).await?;
//! # Ok(())
//! # }
//! ```

mod binary;
mod example;
mod process;
mod topology;

use std::fmt;

pub use example::{run, run_blocking};
pub use process::{Node, Place};
pub use topology::Topology;

/// A MongoDB deployment. Ends when dropped, if it was started here.
#[derive(Debug)]
pub struct Server {
    uri: String,
    nodes: Vec<Node>,
}

impl Server {
    /// The deployment that `MONGODB_URI` names, else a new one-node replica set.
    ///
    /// # Errors
    ///
    /// If there is no `mongod` to start; the message says how to get one.
    pub async fn get() -> Result<Self, Error> {
        match std::env::var("MONGODB_URI") {
            Ok(uri) if !uri.is_empty() => Ok(Self { uri, nodes: Vec::new() }),
            _ => Self::start(Topology::ReplicaSet).await,
        }
    }

    /// A new deployment of this process, with test commands (fail points) enabled, on free ports of the loopback.
    /// Returns once writes are accepted.
    ///
    /// # Errors
    ///
    /// If there is no `mongod` to start, the message says how to get one; if it does not start, the message ends with
    /// what it logged last.
    pub async fn start(topology: Topology) -> Result<Self, Error> {
        let mongod = binary::find()?;
        let (uri, nodes) = topology::start(&mongod, topology).await?;
        Ok(Self { uri, nodes })
    }

    /// A new replica set with a node at each of these places; as [`start`](Self::start) does.
    ///
    /// # Errors
    ///
    /// Those of [`start`](Self::start).
    pub async fn replica_set(places: &[Place]) -> Result<Self, Error> {
        let mongod = binary::find()?;
        let (uri, nodes) = topology::replica_set(&mongod, places).await?;
        Ok(Self { uri, nodes })
    }

    /// The connection string.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The processes that were started; none if `MONGODB_URI` names the deployment.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// One line: which deployment this is, and how long it lasts.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nodes.as_slice() {
            [] => write!(f, "using the MongoDB deployment that MONGODB_URI names"),
            nodes => {
                let ports: Vec<String> = nodes.iter().map(|node| node.port().to_string()).collect();
                let ports = ports.join(", ");
                write!(f, "MONGODB_URI is not set: started a MongoDB server for this run on 127.0.0.1, port {ports}")
            }
        }
    }
}

/// Why there is no server.
#[derive(Debug)]
pub struct Error(String);

impl Error {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
