//! A running service with a database of its own.

use std::{
    process::Stdio,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mongod_fixture::Server;
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
};
use reqwest::{Response, StatusCode, header::LOCATION, redirect::Policy};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    sync::OnceCell,
    time::timeout,
};
use url_shortener::Link;

/// How long to wait for something that is sure to come; a test that runs into it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

async fn server() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    SERVER.get_or_try_init(Server::get).await.unwrap()
}

/// A database that no other test uses.
pub(crate) async fn database() -> Database {
    static DATABASES: AtomicU32 = AtomicU32::new(0);
    let name = format!("url_shortener_{}_{}", std::process::id(), DATABASES.fetch_add(1, Ordering::Relaxed));
    Client::with_uri_str(server().await.uri()).await.unwrap().database(&name)
}

/// Ends with the test.
pub(crate) struct Service {
    process: Child,
    printed: Lines<BufReader<ChildStdout>>,
    pub(crate) base: String,
    pub(crate) http: reqwest::Client,
    pub(crate) database: Database,
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::on(&database().await, 100).await
    }

    pub(crate) async fn on(database: &Database, block_size: u32) -> Self {
        Self::with(server().await.uri(), database, block_size).await
    }

    pub(crate) async fn with(uri: &str, database: &Database, block_size: u32) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_url-shortener"))
            .env("MONGODB_URI", uri)
            .env("DATABASE", database.name())
            .env("LISTEN", "127.0.0.1:0")
            .env("BLOCK_SIZE", block_size.to_string())
            .env_remove("BASE_URL")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let base = until_printed(&mut printed, "listening on ").await;
        let http = reqwest::Client::builder().redirect(Policy::none()).timeout(PATIENCE).build().unwrap();
        Self { process, printed, base, http, database: database.clone() }
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.http.get(self.at(path)).send().await.unwrap()
    }

    /// What a page says; it has to be there.
    pub(crate) async fn page(&self, path: &str) -> String {
        let response = self.get(path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        response.text().await.unwrap()
    }

    /// Sends the form.
    pub(crate) async fn submit(&self, target: &str) -> Response {
        self.http.post(self.at("/")).form(&[("target", target)]).send().await.unwrap()
    }

    /// Makes a link with the API and tells its slug.
    pub(crate) async fn shorten(&self, target: &str) -> String {
        let body = serde_json::json!({ "target": target });
        let response = self.http.post(self.at("/api/links")).json(&body).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::CREATED);
        let link: serde_json::Value = response.json().await.unwrap();
        link["slug"].as_str().unwrap().to_owned()
    }

    /// Where a slug leads to.
    pub(crate) async fn follow(&self, slug: &str) -> String {
        let response = self.get(&format!("/{slug}")).await;
        assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT, "{slug}");
        location(&response).to_owned()
    }

    pub(crate) fn links(&self) -> Collection<Link> {
        self.database.collection("links")
    }

    /// Where the counter stands, if there is one.
    pub(crate) async fn counter(&self) -> Option<i64> {
        let counters: Collection<Document> = self.database.collection("sequences");
        let counter = counters.find_one(doc! { "_id": "links._id" }).await.unwrap();
        counter.map(|counter| counter.get_i64("seq").unwrap())
    }

    /// SIGTERM, as a service manager sends it.
    #[cfg(unix)]
    pub(crate) async fn tell_to_stop(&mut self) {
        let pid = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
        until_printed(&mut self.printed, "stopping").await;
    }

    /// How many numbers it says were left over. It has to end without an error.
    #[cfg(unix)]
    pub(crate) async fn stopped(mut self) -> u64 {
        let left = until_printed(&mut self.printed, "stopped; ").await;
        let status = timeout(PATIENCE, self.process.wait()).await.expect("the service ends").unwrap();
        assert!(status.success(), "{status}");
        left.split(' ').next().unwrap().parse().unwrap()
    }

    /// SIGKILL.
    pub(crate) async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }

    /// Leaves nothing behind on a server that outlives the tests.
    pub(crate) async fn end(self) {
        let database = self.database.clone();
        self.kill().await;
        database.drop().await.unwrap();
    }
}

/// Reads on to a line that begins like this, and tells what follows.
async fn until_printed(printed: &mut Lines<BufReader<ChildStdout>>, beginning: &str) -> String {
    let line = async {
        loop {
            let line = printed.next_line().await.unwrap().expect("the service is running");
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.to_owned();
            }
        }
    };
    timeout(PATIENCE, line).await.unwrap_or_else(|_| panic!("`{beginning}` is printed"))
}

pub(crate) fn location(response: &Response) -> &str {
    response.headers()[LOCATION].to_str().unwrap()
}
