//! One cell: a way, a command, a fault, and what comes of it.

use std::time::Duration;

use mongod_fixture::Server;
use mongodb::{
    Client,
    bson::{Document, doc},
};

use super::{
    fault::{self, Fault},
    stage::{Stage, stored},
    tell::{outcome, outcomes},
};

/// A cell that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(50);
const COLUMNS: [&str; 5] = ["result", "counter", "stored", "next", "sent"];

#[derive(Clone, Copy)]
pub(super) struct Cell {
    way: &'static str,
    command: &'static str,
    fault: &'static str,
    expected: [&'static str; 5],
}

/// The cells of a table. A line without columns names the way and the command of those below it.
pub(super) fn cells(table: &'static str) -> Vec<Cell> {
    let (mut way, mut command) = ("", "");
    let mut cells = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        match columns[..] {
            [heading] => (way, command) = heading.split_once(' ').unwrap(),
            [fault, result, counter, stored, next, sent] => {
                cells.push(Cell { way, command, fault, expected: [result, counter, stored, next, sent] });
            }
            _ => panic!("a line has six columns: {line}"),
        }
    }
    cells
}

impl Cell {
    pub(super) fn name(&self) -> String {
        format!("{} {}, {}", self.way, self.command, self.fault)
    }

    /// What differs from the table, if anything does.
    pub(super) async fn difference(self, server: &Server, direct: &Client) -> Option<String> {
        let Ok(found) = tokio::time::timeout(PATIENCE, self.run(server, direct)).await else {
            return Some(format!("{}: it hangs", self.name()));
        };
        let differs = COLUMNS.iter().zip(self.expected).zip(&found).filter(|((_, expected), found)| expected != found);
        let differs: Vec<_> =
            differs.map(|((column, expected), found)| format!("{column} {found}, not {expected}")).collect();
        let line = found.join(" | ");
        (!differs.is_empty()).then(|| format!("{}: {}\n    {} | {line}", self.name(), differs.join("; "), self.fault))
    }

    async fn run(self, server: &Server, direct: &Client) -> [String; 5] {
        let admin = direct.database("admin");
        let stage = Stage::set(server, self.way).await;
        let database = direct.database(stage.test.db.name());
        let fault = Fault::parse(self.fault, self.command, &database);
        fault.set(&admin).await;
        let called = stage.call(fault.limit).await;
        let sent = stage.watch.sent(self.expected[4].split_whitespace().count()).await;
        fault::clear(&admin).await;
        let counter =
            database.collection::<Document>("sequences").find_one(doc! { "_id": "orders._id" }).await.unwrap();
        let counter = counter.map_or_else(|| "-".to_owned(), |it| it.get_i64("seq").unwrap().to_string());
        let stored = stored(&database.collection("orders")).await;
        let next = stage.next().await;
        [outcomes(&called), counter, stored, outcome(&next), sent]
    }
}
