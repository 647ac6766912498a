//! Three nodes, and where they run.

use std::{env, error::Error};

use mongod_fixture::{Place, Server, Topology};
use tokio::process::Command;

/// A replica set of three nodes.
#[derive(Debug)]
pub struct Cluster {
    /// The set.
    pub server: Server,
    /// The network device of each node, by which it can be cut off; none unless `with-partitions` has made them.
    pub links: Vec<String>,
}

impl Cluster {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// Those of the fixture, and if `CHAOS_PLACES` does not say where.
    pub async fn start() -> Result<Self, Box<dyn Error>> {
        let Ok(places) = env::var("CHAOS_PLACES") else {
            return Ok(Self { server: Server::start(Topology::ThreeNodes).await?, links: Vec::new() });
        };
        let (mut nodes, mut links) = (Vec::new(), Vec::new());
        for place in places.split_whitespace() {
            let [namespace, address, link] = place.split('=').collect::<Vec<_>>()[..] else {
                return Err(format!("CHAOS_PLACES: `{place}` is no `namespace=address=link`").into());
            };
            nodes.push(Place { address: address.parse()?, namespace: Some(namespace.to_owned()) });
            links.push(link.to_owned());
        }
        Ok(Self { server: Server::replica_set(&nodes).await?, links })
    }

    pub(crate) async fn link(&self, node: usize, state: &str) -> Result<(), Box<dyn Error>> {
        let link = self.links.get(node).ok_or("there is no link to this node")?;
        let set = Command::new("ip").args(["link", "set", link, state]).status().await?;
        if set.success() { Ok(()) } else { Err(format!("{link} cannot be set {state}").into()) }
    }
}
