//! What goes wrong.

use std::{fmt::Write as _, fs, future::IntoFuture, time::Duration};

use mongod_fixture::Node;
use mongodb::{
    Client,
    bson::{Document, doc},
    options::ClientOptions,
};
use rand::{Rng, rngs::StdRng, seq::SliceRandom};

use crate::{clients::Clients, cluster::Cluster};

/// How long the set may take until all its nodes are in service again.
const PATIENCE: Duration = Duration::from_secs(120);
/// After this time a node that is not in service hangs.
const HANGING: Duration = Duration::from_secs(30);
/// How long a node may take to answer: one that is cut off never does.
const ANSWER: Duration = Duration::from_secs(5);
/// How often the primary is told to step down, since it may be another by then.
const STEP_DOWNS: usize = 20;
/// How much of a node's log is shown.
const LINES: usize = 12;
const WIDTH: usize = 300;
/// What a log tells of connections, which are many.
const NOISE: [&str; 3] = [r#""c":"NETWORK""#, r#""c":"ACCESS""#, r#""c":"CONNPOOL""#];
/// How long a transaction may take, in seconds.
const LIFETIME: i32 = 5;
const LOOK: Duration = Duration::from_millis(50);

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The primary steps down at once.
    StepDown,
    /// The primary is killed, and started again.
    Crash,
    /// The primary is stopped in the middle of everything, and goes on when there is another.
    Freeze,
    /// The secondaries copy nothing any more, and then the primary is killed: what it has alone is lost.
    Lag,
    /// A client process is killed.
    KillClient,
    /// The primary reaches nobody, and nobody reaches it. Where nodes have [links](Cluster::links).
    Cut,
}

impl Fault {
    /// All kinds that need nothing of the machine.
    const ANYWHERE: [Self; 5] = [Self::StepDown, Self::Crash, Self::Freeze, Self::Lag, Self::KillClient];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StepDown => "step-down",
            Self::Crash => "kill -9 of the primary",
            Self::Freeze => "primary stopped",
            Self::Lag => "replication stopped and kill -9",
            Self::KillClient => "kill -9 of a client",
            Self::Cut => "primary cut off",
        }
    }

    /// So many faults, each kind as often as the others, in any order.
    pub fn some(n: usize, cluster: &Cluster, random: &mut StdRng) -> Vec<Self> {
        let mut faults = Vec::new();
        while faults.len() < n {
            let cut = if cluster.links.is_empty() { None } else { Some(Self::Cut) };
            let mut kinds: Vec<Self> = Self::ANYWHERE.into_iter().chain(cut).collect();
            kinds.shuffle(random);
            faults.extend(kinds);
        }
        faults.truncate(n);
        faults
    }
}

/// A replica set that faults befall.
#[derive(Debug)]
pub struct Nemesis<'a> {
    nodes: Vec<(&'a Node, Client)>,
    cluster: &'a Cluster,
    random: StdRng,
}

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

impl<'a> Nemesis<'a> {
    /// Of this set.
    ///
    /// # Errors
    ///
    /// If a node cannot be spoken to.
    pub async fn of(cluster: &'a Cluster, random: StdRng) -> Result<Self> {
        let mut nodes = Vec::new();
        for node in cluster.server.nodes() {
            let mut options = ClientOptions::parse(node.uri()).await?;
            options.server_selection_timeout = Some(LOOK * 20);
            options.heartbeat_freq = Some(Duration::from_millis(500));
            nodes.push((node, Client::with_options(options)?));
        }
        let nemesis = Self { nodes, cluster, random };
        nemesis.in_service().await?;
        Ok(nemesis)
    }

    /// Lets it happen, and puts right what has to be.
    ///
    /// # Errors
    ///
    /// If it could not.
    pub async fn strike(&mut self, fault: Fault, clients: &mut Clients) -> Result<()> {
        clients.blame(fault.name());
        match fault {
            Fault::StepDown => self.step_down().await?,
            Fault::Crash => {
                let primary = self.primary().await?;
                self.nodes[primary].0.crash()?;
                self.pause(0..2_000).await;
                self.nodes[primary].0.restart()?;
            }
            Fault::Freeze => {
                let primary = self.primary().await?;
                self.nodes[primary].0.freeze()?;
                self.pause(100..5_000).await;
                self.nodes[primary].0.thaw()?;
            }
            Fault::Lag => self.lag().await?,
            Fault::Cut => {
                let primary = self.primary().await?;
                self.cluster.link(primary, "down").await?;
                self.pause(1_000..8_000).await;
                self.cluster.link(primary, "up").await?;
            }
            Fault::KillClient => {
                let which = self.random.random_range(0..clients.running());
                clients.kill(which).await;
            }
        }
        self.in_service().await
    }

    /// Lets a server abort the transactions of processes that are gone after this many seconds, not 60: nothing else
    /// frees the counters that they have locked.
    async fn limit_transactions(&self) -> bool {
        let limit = doc! { "setParameter": 1, "transactionLifetimeLimitSeconds": LIFETIME };
        for (_, client) in &self.nodes {
            if answer(client, limit.clone()).await.is_err() {
                return false;
            }
        }
        true
    }

    async fn step_down(&self) -> Result<()> {
        let step_down = doc! { "replSetStepDown": 5, "secondaryCatchUpPeriodSecs": 2, "force": true };
        for _ in 1..STEP_DOWNS {
            if self.command(self.primary().await?, step_down.clone()).await.is_ok() {
                return Ok(());
            }
        }
        self.command(self.primary().await?, step_down).await
    }

    async fn lag(&mut self) -> Result<()> {
        let primary = self.primary().await?;
        let secondaries = (0..self.nodes.len()).filter(|&node| node != primary);
        for node in secondaries.clone() {
            self.stop_replication(node, "alwaysOn").await?;
        }
        self.pause(100..1_000).await;
        self.nodes[primary].0.crash()?;
        for node in secondaries {
            self.stop_replication(node, "off").await?;
        }
        self.other_primary(primary).await?;
        self.nodes[primary].0.restart()?;
        Ok(())
    }

    async fn stop_replication(&self, node: usize, mode: &str) -> Result<()> {
        self.command(node, doc! { "configureFailPoint": "stopReplProducer", "mode": mode }).await
    }

    /// How long a fault lasts is part of it.
    async fn pause(&mut self, milliseconds: std::ops::Range<u64>) {
        let milliseconds = self.random.random_range(milliseconds);
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }

    async fn primary(&self) -> Result<usize> {
        self.until(PATIENCE, "there is no primary", async |hello: &[Option<Document>]| {
            hello.iter().position(|hello| is(hello.as_ref(), "isWritablePrimary"))
        })
        .await
    }

    async fn other_primary(&self, than: usize) -> Result<()> {
        self.until(PATIENCE, "there is no other primary", async |hello: &[Option<Document>]| {
            let mut others = (0..hello.len()).filter(|&node| node != than);
            others.find(|&node| is(hello[node].as_ref(), "isWritablePrimary")).map(drop)
        })
        .await
    }

    /// Until one node is the primary and all others follow it.
    ///
    /// A server was seen to hang while it rolled back what it had alone (for 120 s, with "lock acquire timeout" in its log).
    /// As an operator would, this ends it and starts it again, and says so.
    async fn in_service(&self) -> Result<()> {
        let Err(hanging) = self.whole(HANGING).await else { return Ok(()) };
        println!("{hanging}\nwhat is not in service is started again");
        for (node, client) in &self.nodes {
            let hello = answer(client, doc! { "hello": 1 }).await.ok();
            if !is(hello.as_ref(), "isWritablePrimary") && !is(hello.as_ref(), "secondary") {
                node.crash()?;
                node.restart()?;
            }
        }
        self.whole(PATIENCE).await
    }

    /// One that follows may find out only then that it has to go back first, and closes its connections.
    async fn whole(&self, patience: Duration) -> Result<()> {
        self.until(patience, "the set is not whole", async |hello: &[Option<Document>]| {
            let count = |name| hello.iter().filter(|hello| is(hello.as_ref(), name)).count();
            let is_whole = count("isWritablePrimary") == 1 && count("secondary") == hello.len() - 1;
            (is_whole && self.limit_transactions().await).then_some(())
        })
        .await
    }

    /// Asks all nodes until that is seen in their answers.
    async fn until<T>(
        &self,
        patience: Duration,
        otherwise: &str,
        mut seen: impl AsyncFnMut(&[Option<Document>]) -> Option<T>,
    ) -> Result<T> {
        let looking = async {
            loop {
                let mut hello = Vec::new();
                for (_, client) in &self.nodes {
                    hello.push(answer(client, doc! { "hello": 1 }).await.ok());
                }
                if let Some(seen) = seen(&hello).await {
                    return seen;
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        match tokio::time::timeout(patience, looking).await {
            Ok(seen) => Ok(seen),
            Err(_) => Err(format!("{otherwise} after {patience:?}:{}", self.states().await).into()),
        }
    }

    /// What each node says of the set, and what it logged last.
    async fn states(&self) -> String {
        let mut text = String::new();
        for (node, client) in &self.nodes {
            let state = match answer(client, doc! { "replSetGetStatus": 1 }).await {
                Ok(status) => format!("state {}", status.get_i32("myState").unwrap_or_default()),
                Err(error) => error.to_string(),
            };
            let log = fs::read_to_string(node.folder().join("log")).unwrap_or_else(|error| error.to_string());
            let lines: Vec<_> = log.lines().filter(|line| !NOISE.iter().any(|noise| line.contains(noise))).collect();
            let _written = write!(text, "\nport {}, {state}", node.port());
            for line in &lines[lines.len().saturating_sub(LINES)..] {
                let _written = write!(text, "\n  {}", line.chars().take(WIDTH).collect::<String>());
            }
        }
        text
    }

    async fn command(&self, node: usize, command: Document) -> Result<()> {
        answer(&self.nodes[node].1, command).await.map(drop)
    }
}

async fn answer(client: &Client, command: Document) -> Result<Document> {
    let admin = client.database("admin");
    Ok(tokio::time::timeout(ANSWER, admin.run_command(command).into_future()).await??)
}

fn is(hello: Option<&Document>, name: &str) -> bool {
    hello.is_some_and(|hello| hello.get_bool(name).unwrap_or(false))
}
