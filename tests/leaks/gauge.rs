//! What this process and its connections hold.

use std::{fmt, fs, time::Duration};

use mongod_fixture::Server;
use mongodb::{
    Client,
    bson::{Document, doc},
};
use peak_alloc::PeakAlloc;
use tokio::runtime::Handle;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// How long to wait for something that is sure to come; a test that runs into it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// How many bytes are allocated.
pub(crate) fn heap() -> usize {
    HEAP.current_usage()
}

/// How many bytes of this process are in memory; nothing where the system does not say.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024)
}

/// One look at everything.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) resident: usize,
    heap: usize,
    pub(crate) tasks: usize,
    pub(crate) connections: usize,
    /// That the server knows of, of all clients.
    pub(crate) sessions: usize,
}

impl Look {
    pub(crate) const COLUMNS: &str = "RSS KiB  heap KiB  tasks  connections  sessions";
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resident, heap, tasks, connections, sessions } = self;
        write!(f, "{:7}  {:8}  {tasks:5}  {connections:11}  {sessions:8}", resident / 1024, heap / 1024)
    }
}

/// Somebody who looks on, with a client of its own.
pub(crate) struct Gauge {
    client: Client,
}

pub(crate) fn tasks_alive() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

impl Gauge {
    pub(crate) async fn new(server: &Server) -> Self {
        let gauge = Self { client: Client::with_uri_str(server.uri()).await.unwrap() };
        gauge.look("").await;
        gauge
    }

    pub(crate) async fn look(&self, app_name: &str) -> Look {
        let connections = self.connections(app_name).await;
        let sessions = self.count(doc! { "$listLocalSessions": { "allUsers": true } }, doc! {}).await;
        Look { resident: resident(), heap: heap(), tasks: tasks_alive(), connections, sessions }
    }

    async fn connections(&self, app_name: &str) -> usize {
        let all = doc! { "$currentOp": { "allUsers": true, "idleConnections": true } };
        self.count(all, doc! { "appName": app_name }).await
    }

    async fn count(&self, from: Document, matching: Document) -> usize {
        let stages = [from, doc! { "$match": matching }];
        let mut found = self.client.database("admin").aggregate(stages).await.unwrap();
        let mut n = 0;
        while found.advance().await.unwrap() {
            n += 1;
        }
        n
    }

    /// Waits until an application has no more connections than this, and there are no more tasks.
    pub(crate) async fn until(&self, app_name: &str, connections: u32, tasks: usize) {
        let are_gone = async {
            while self.connections(app_name).await != connections as usize || tasks_alive() > tasks {
                tokio::time::sleep(LOOK).await;
            }
        };
        let gone = tokio::time::timeout(PATIENCE, are_gone).await;
        assert!(gone.is_ok(), "instead of {connections} connections and {tasks} tasks: {}", self.look(app_name).await);
    }
}
