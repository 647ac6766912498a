//! Runs the program on a real MongoDB server, looks at what it has stored, and goes on numbering.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
    process::Output,
    sync::atomic::{AtomicU32, Ordering},
};

use futures_util::TryStreamExt;
use mongo_sequence::AutoIncrement;
use mongod_fixture::Server;
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize};
use tokio::{process::Command, sync::OnceCell};

/// As the new service has them.
#[derive(Serialize, Deserialize, AutoIncrement)]
struct Customer {
    #[serde(rename = "_id")]
    #[auto_increment(by_default)]
    id: Option<i64>,
    email: String,
    name: String,
}

#[derive(Serialize, AutoIncrement)]
struct Ticket {
    project: String,
    #[auto_increment(scope(project))]
    number: i32,
    title: String,
}

async fn server() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    SERVER.get_or_try_init(Server::get).await.unwrap()
}

/// A database that no other test uses.
async fn database() -> Database {
    static DATABASES: AtomicU32 = AtomicU32::new(0);
    let name = format!("migrate_{}_{}", std::process::id(), DATABASES.fetch_add(1, Ordering::Relaxed));
    Client::with_uri_str(server().await.uri()).await.unwrap().database(&name)
}

/// The exit code, what was printed, and what went wrong.
async fn run(database: &Database, table: Option<(&Path, i64)>) -> (Option<i32>, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_migrate"));
    program.env("MONGODB_URI", server().await.uri()).env("DATABASE", database.name());
    if let Some((csv, auto_increment)) = table {
        program.arg(csv).arg(auto_increment.to_string());
    }
    let Output { status, stdout, stderr } = program.kill_on_drop(true).output().await.unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Every line of the README's listing is printed; `…` stands for what differs from run to run.
fn assert_as_in_the_readme(printed: &str, database: &Database) {
    let readme = include_str!("../README.md").replace("helpdesk.", &format!("{}.", database.name()));
    let listing = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(listing.lines().count() > 10, "{listing}");
    for line in listing.lines() {
        let (start, ends) = line.split_once('…').map_or((line, true), |(start, _)| (start, false));
        let is_it = |printed: &str| printed.starts_with(start) && (!ends || printed == start);
        assert!(printed.lines().any(is_it), "{line}: {printed}");
    }
}

async fn all(database: &Database, collection: &str) -> Vec<Document> {
    let collection: Collection<Document> = database.collection(collection);
    collection.find(doc! {}).sort(doc! { "_id": 1 }).await.unwrap().try_collect().await.unwrap()
}

async fn customers(database: &Database) -> BTreeMap<i64, String> {
    let pair = |customer: &Document| (customer.get_i64("_id").unwrap(), customer.get_str("email").unwrap().to_owned());
    all(database, "customers").await.iter().map(pair).collect()
}

/// What an old service with mongoose-sequence has left: the tickets, and where the counter stands.
async fn old_tickets(database: &Database, numbers: &[i32], seq: i32) {
    let (tickets, counters): (Collection<Document>, Collection<Document>) =
        (database.collection("tickets"), database.collection("counters"));
    let ticket = |number: &i32| doc! { "project": "web", "title": "t", "number": number, "__v": 0 };
    tickets.insert_many(numbers.iter().map(ticket)).await.unwrap();
    let counter = doc! { "id": "ticket_number", "reference_value": { "project": "web" }, "seq": seq };
    counters.insert_one(counter).await.unwrap();
}

#[tokio::test]
async fn what_is_brought_over_is_continued_without_a_collision() {
    let database = database().await;
    let (code, printed, errors) = run(&database, None).await;
    assert_eq!(code, Some(0), "{printed}{errors}");
    assert_as_in_the_readme(&printed, &database);
    let expected =
        [(1, "ada"), (2, "ben"), (5, "cleo"), (6, "eve"), (15, "jan"), (1180, "lea"), (1205, "dora"), (1206, "kim")];
    let expected = expected.map(|(id, name)| (id, format!("{name}@example.org")));
    assert_eq!(customers(&database).await, BTreeMap::from(expected));
    let old = [all(&database, "tickets").await, all(&database, "counters").await, all(&database, "customers").await];
    assert_eq!([5, 2, 8], [old[0].len(), old[1].len(), old[2].len()]);
    assert!(old[0].iter().all(|ticket| ticket.get_i32("__v").unwrap() == 0), "documents stay as they were");

    // a second run finds everything in its place
    let counters = all(&database, "sequences").await;
    let (code, printed, errors) = run(&database, None).await;
    assert_eq!(code, Some(0), "{printed}{errors}");
    assert!(
        printed.contains("0 kept their id, 0 were numbered, 8 were there already, 5 were not taken over"),
        "{printed}"
    );
    let now = [all(&database, "tickets").await, all(&database, "counters").await, all(&database, "customers").await];
    assert_eq!(old, now);
    assert_eq!(counters, all(&database, "sequences").await);

    let clients: Vec<_> = (0..8)
        .map(|client| {
            let (customers, tickets) = (database.collection::<Customer>("customers"), database.collection("tickets"));
            tokio::spawn(async move {
                let email = format!("{client}@example.org");
                let mut customer = Customer { id: None, email, name: String::new() };
                customer.insert_with_seq(&customers).await.unwrap();
                let project = if client % 2 == 0 { "web" } else { "app" }.to_owned();
                let mut ticket = Ticket { project, number: 0, title: "new".to_owned() };
                ticket.insert_with_seq(&tickets).await.unwrap();
                (customer.id.unwrap(), ticket.project, ticket.number)
            })
        })
        .collect();
    let (mut ids, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for client in clients {
        let (id, project, number) = client.await.unwrap();
        ids.insert(id);
        numbers.insert((project, number));
    }
    assert_eq!(ids, (1207..=1214).collect());
    let continued =
        |project: &'static str, first: i32| (first..first + 4).map(move |number| (project.to_owned(), number));
    assert_eq!(numbers, continued("app", 4).chain(continued("web", 5)).collect());
    database.drop().await.unwrap();
}

/// Several batches, into a database that has customers of its own, and a row without an id before those with one.
#[tokio::test]
async fn ids_that_are_taken_are_told_wherever_the_other_one_is() {
    let database = database().await;
    old_tickets(&database, &[1, 2], 2).await;
    let theirs: Collection<Customer> = database.collection("customers");
    for n in 1..=3 {
        let mut customer = Customer { id: None, email: format!("own{n}@example.org"), name: String::new() };
        customer.insert_with_seq(&theirs).await.unwrap();
    }
    let mut csv = "id,email,name\n,none@example.org,None\n".to_owned();
    for id in 3..=2500 {
        writeln!(csv, "{id},{id}@example.org,Name").unwrap();
    }
    csv.push_str("4,other4@example.org,Other\n-1,minus@example.org,Minus\n0,zero@example.org,Zero\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("customers.csv");
    fs::write(&path, csv).unwrap();

    let (code, printed, errors) = run(&database, Some((&path, 2501))).await;
    assert_eq!(code, Some(0), "{printed}{errors}");
    for line in [
        "customers: 2497 kept their id, 1 were numbered, 0 were there already, 4 were not taken over\n",
        "  line 2: no id, numbered 2501\n",
        "  line 3: not taken over: id 3 is taken by own3@example.org\n",
        "  line 2501: not taken over: id 4 is taken by 4@example.org\n",
        "  line 2502: not taken over: bad row: -1 is no id\n",
        "  line 2503: not taken over: bad row: 0 is no id\n",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    let stored = customers(&database).await;
    assert_eq!(stored.keys().copied().collect::<Vec<_>>(), (1..=2501).collect::<Vec<_>>());
    assert_eq!(
        (&*stored[&3], &*stored[&4], &*stored[&2501]),
        ("own3@example.org", "4@example.org", "none@example.org")
    );
    database.drop().await.unwrap();
}

#[tokio::test]
async fn tickets_with_one_number_are_told_and_nothing_is_taken_over() {
    let database = database().await;
    old_tickets(&database, &[1, 2, 2], 2).await;
    let (code, printed, errors) = run(&database, None).await;
    assert_eq!(code, Some(1), "{printed}{errors}");
    assert!(errors.contains("\"number\": 2, \"documents\": 2"), "{errors}");
    let counters = all(&database, "sequences").await;
    assert!(counters.iter().all(|counter| counter.get_str("_id").unwrap() == "customers._id"), "{counters:?}");
    database.drop().await.unwrap();
}

#[tokio::test]
async fn the_exit_code_tells_what_is_wrong_with_the_numbers() {
    let database = database().await;
    old_tickets(&database, &[1, 2], 2).await;
    let text = doc! { "project": "web", "title": "t", "number": "3", "__v": 0 };
    database.collection::<Document>("tickets").insert_one(text).await.unwrap();
    let (code, printed, errors) = run(&database, None).await;
    assert_eq!(code, Some(3), "{printed}{errors}");
    assert!(printed.contains("fault: 1 documents have something else than a number"), "{printed}");
    database.drop().await.unwrap();
}
