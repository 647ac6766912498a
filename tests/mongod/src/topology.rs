//! Starts processes and makes a deployment of them that accepts writes.

use std::{path::Path, time::Duration};

use mongodb::{
    Client,
    bson::{Document, doc},
    options::ClientOptions,
};

use crate::{
    Error,
    process::{Node, Place},
};

const REPLICA_SET: &str = "mongo-sequence";
/// How long a deployment may take until it accepts writes.
const START_TIME: Duration = Duration::from_secs(120);
/// Between two looks at a server that is starting.
const LOOK: Duration = Duration::from_millis(50);
/// How often a start is tried whose port somebody else has taken.
const STARTS: usize = 5;

/// The kinds of deployment that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One server without replication: no transactions.
    Standalone,
    /// A replica set of one node.
    ReplicaSet,
    /// A replica set of three nodes, which elect a new primary within about two seconds.
    ThreeNodes,
}

impl Topology {
    /// Whether it is a replica set, and how many nodes it has.
    fn shape(self) -> (bool, usize) {
        match self {
            Self::Standalone => (false, 1),
            Self::ReplicaSet => (true, 1),
            Self::ThreeNodes => (true, 3),
        }
    }
}

pub(crate) async fn start(mongod: &Path, topology: Topology) -> Result<(String, Vec<Node>), Error> {
    let (is_replica_set, members) = topology.shape();
    if is_replica_set {
        return replica_set(mongod, &vec![Place::LOOPBACK; members]).await;
    }
    let (node, _) = answering(mongod, &Place::LOOPBACK, None).await?;
    Ok((node.uri(), vec![node]))
}

/// With a node at each of these places.
pub(crate) async fn replica_set(mongod: &Path, places: &[Place]) -> Result<(String, Vec<Node>), Error> {
    let mut nodes = Vec::new();
    let mut clients = Vec::new();
    for place in places {
        let (node, client) = answering(mongod, place, Some(REPLICA_SET)).await?;
        nodes.push(node);
        clients.push(client);
    }
    let hosts: Vec<String> = nodes.iter().map(Node::host).collect();
    let first = clients.first().ok_or_else(|| Error::new("a replica set needs a place"))?;
    initiate(first, &hosts).await?;
    for client in &clients {
        until_in_service(client).await?;
    }
    Ok((format!("mongodb://{}/?replicaSet={REPLICA_SET}", hosts.join(",")), nodes))
}

/// A node that answers commands, and a client for it alone.
async fn answering(mongod: &Path, place: &Place, replica_set: Option<&str>) -> Result<(Node, Client), Error> {
    let mut said = String::new();
    for _ in 0..STARTS {
        let mut node = Node::start(mongod, place, replica_set)?;
        let mut options = ClientOptions::parse(node.uri()).await.map_err(|error| Error::new(error.to_string()))?;
        options.server_selection_timeout = Some(LOOK);
        let client = Client::with_options(options).map_err(|error| Error::new(error.to_string()))?;
        let answer = until(async || match (node.ended(), command(&client, doc! { "ping": 1 }).await) {
            (Some(ended), _) => Some(Err(ended)),
            (None, Ok(_)) => Some(Ok(())),
            (None, Err(_)) => None,
        });
        match answer.await {
            Some(Ok(())) => return Ok((node, client)),
            Some(Err(ended)) => said = ended,
            None => return Err(Error::new(format!("mongod does not answer after {START_TIME:?}"))),
        }
    }
    Err(Error::new(format!("mongod ended instead of starting:\n{said}")))
}

async fn initiate(client: &Client, hosts: &[String]) -> Result<(), Error> {
    let members: Vec<Document> = (0_i32..).zip(hosts).map(|(id, host)| doc! { "_id": id, "host": host }).collect();
    let settings = doc! { "electionTimeoutMillis": 2000, "heartbeatIntervalMillis": 500 };
    let configuration = doc! { "_id": REPLICA_SET, "members": members, "settings": settings };
    let initiated = command(client, doc! { "replSetInitiate": configuration }).await;
    initiated.map(drop).map_err(|error| Error::new(format!("the replica set cannot be initiated: {error}")))
}

/// Until this node is the primary of the set, or a secondary of one that has a primary.
async fn until_in_service(client: &Client) -> Result<(), Error> {
    let in_service = until(async || {
        let hello = command(client, doc! { "hello": 1 }).await.ok()?;
        let is = |name| hello.get_bool(name).unwrap_or(false);
        (is("isWritablePrimary") || is("secondary") && hello.contains_key("primary")).then_some(())
    });
    in_service.await.ok_or_else(|| Error::new(format!("the replica set has no primary after {START_TIME:?}")))
}

async fn command(client: &Client, command: Document) -> mongodb::error::Result<Document> {
    client.database("admin").run_command(command).await
}

async fn until<R>(mut look: impl AsyncFnMut() -> Option<R>) -> Option<R> {
    let give_up = tokio::time::Instant::now() + START_TIME;
    while tokio::time::Instant::now() < give_up {
        if let Some(found) = look().await {
            return Some(found);
        }
        tokio::time::sleep(LOOK).await;
    }
    None
}
