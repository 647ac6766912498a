//! The matrix of faults: what comes of each way to ask for a number when one of its commands meets each fault.
//!
//! A cell is a way (`stage.rs`), a command and a fault (`fault.rs`), and five columns that are all exact: the result, where
//! the counter stands then, which documents are stored besides number 1, what the next caller gets, and every command that
//! was sent, in order. After a call that could have left the counter locked, the next caller is another process.
//!
//! Results are numbers, or the kind of the error: of the driver's, the server's code, `io`, or the code of a write concern
//! (`wce`); then its labels, which must be the same when it has become the driver's error again: `R`etryableWriteError,
//! `T`ransientTransactionError, `U`nknownTransactionCommitResult, System`O`verloadedError; then in brackets the number that
//! it says is burnt, or may be stored. Commands have letters (`watch.rs`), the caller's own commit or abort too.
//!
//! Which cells there are: every command that a way sends, with every fault that a server can answer it with there
//! ([`COMPLETE`]); for ways that go on like another one, those faults that show it. So there is no write concern inside a
//! transaction but at its end, no `late` where there is no time limit to be late for, and no commit of the caller's. 24, 112 and 251 outside transactions stand for all that the driver does not
//! repeat. Labels are left to the server, which knows them by command and state; it does not know 462 yet. No way sends
//! `update`. An abort that is lost for good is there where the server has ended the transaction by itself, or the library
//! goes on in the session: otherwise the counter stays locked until the server's own limit.
//!
//! `MATRIX=own` runs only the cells whose names begin so.

mod cell;
mod counters;
mod fault;
mod inside;
mod outside;
mod session;
mod stage;
mod tell;
mod watch;

use std::{
    collections::{HashSet, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Mutex,
    thread,
};

use mongod_fixture::{Server, Topology};
use mongodb::{Client, options::ClientOptions};
use tokio::runtime::Builder;

use self::cell::{Cell, cells};

/// There is one `failCommand` for all clients of a server, so each lane has a server. Most of the time is spent waiting
/// for the driver to look for its server again.
const LANES: usize = 9;

/// The ways that have every fault at these commands; the others have those that come to something else with them.
const COMPLETE: [(&str, &str, &str); 5] = [
    (
        "plain combined blocks many next reserve given get session-outside",
        "findAndModify",
        "closed x1, closed x2, 91 x1, 91 x2, 112 x9, 112 x10, 251 x1, 24 x1, 462 x2, 462 x3, wce 64 x1, wce 91 bare x1, \
         wce 91 x1, wce 91 x2",
    ),
    (
        "plain combined blocks many given get",
        "insert",
        "closed x1, closed x2, 91 x1, 91 x2, 112 x1, 251 x1, 24 x1, 462 x2, 462 x3, wce 64 x1, wce 91 bare x1, \
         wce 91 x1, wce 91 x2, late",
    ),
    ("get session and-run", "find", "closed x1, closed x2, 91 x1, 91 x2, 112 x1, 251 x1, 24 x1, 462 x2, 462 x3, late"),
    ("own group session", "findAndModify insert", "closed x1, 91 x1, 112 x1, 251 x1, 24 x1, 462 x2, 462 x3, late"),
    (
        "own group",
        "commitTransaction",
        "closed x1, closed x2, 91 x1, 91 x2, 112 x1, 251 x1, 24 x1, 462 x2, 462 x3, wce 64 x1, wce 91 bare x1, \
         wce 91 x1, wce 91 x2, wce 100 x1, late",
    ),
];

fn all() -> Vec<Cell> {
    let tables = outside::TABLES.into_iter().chain(counters::TABLES).chain(inside::TABLES).chain(session::TABLES);
    tables.flat_map(cells).collect()
}

#[test]
fn the_matrix_is_complete_and_has_each_cell_once() {
    let names: Vec<String> = all().iter().map(Cell::name).collect();
    let distinct: HashSet<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(distinct.len(), names.len());
    for (ways, commands, faults) in COMPLETE {
        for (way, command) in ways.split(' ').flat_map(|way| commands.split(' ').map(move |command| (way, command))) {
            for fault in faults.split(", ") {
                let name = format!("{way} {command}, {fault}");
                assert!(distinct.contains(name.as_str()), "{name} is missing");
            }
        }
    }
}

#[test]
fn every_fault_at_every_command_has_one_outcome() {
    let only = std::env::var("MATRIX").unwrap_or_default();
    let cells: Mutex<VecDeque<Cell>> =
        Mutex::new(all().into_iter().filter(|cell| cell.name().starts_with(&only)).collect());
    let number = cells.lock().unwrap().len();
    let differences = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                let found = lane(&cells);
                differences.lock().unwrap().extend(found);
            });
        }
    });
    let differences = differences.into_inner().unwrap();
    assert!(differences.is_empty(), "{} of {number} cells differ:\n{}", differences.len(), differences.join("\n"));
}

/// Takes cells until there are none left. Each on a runtime of one thread, so that callers come in order.
fn lane(cells: &Mutex<VecDeque<Cell>>) -> Vec<String> {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(Server::start(Topology::ReplicaSet)).unwrap();
    let direct = runtime.block_on(direct(&server));
    let mut differences = Vec::new();
    loop {
        let Some(cell) = cells.lock().unwrap().pop_front() else { return differences };
        let difference = catch_unwind(AssertUnwindSafe(|| runtime.block_on(cell.difference(&server, &direct))));
        differences.extend(difference.unwrap_or_else(|_| Some(format!("{}: it panics", cell.name()))));
    }
}

/// Past the pools and the monitors of the client that meets the fault.
async fn direct(server: &Server) -> Client {
    let mut options = ClientOptions::parse(server.uri()).await.unwrap();
    options.direct_connection = Some(true);
    Client::with_options(options).unwrap()
}
