//! Runs the program on a real MongoDB server, and looks at what it has stored and at how it ends.

use std::{
    collections::BTreeMap,
    process::{Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use futures_util::TryStreamExt;
use mongod_fixture::Server;
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
};
use tokio::{process::Command, sync::OnceCell};

async fn server() -> &'static Server {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    SERVER.get_or_try_init(Server::get).await.unwrap()
}

/// A database that no other test uses.
async fn database() -> Database {
    static DATABASES: AtomicU32 = AtomicU32::new(0);
    let name = format!("invoices_{}_{}", std::process::id(), DATABASES.fetch_add(1, Ordering::Relaxed));
    Client::with_uri_str(server().await.uri()).await.unwrap().database(&name)
}

/// The exit code, and what was printed.
async fn run(database: &Database) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_invoices"));
    program.env("MONGODB_URI", server().await.uri()).env("DATABASE", database.name());
    let Output { status, stdout, .. } = program.stderr(Stdio::inherit()).kill_on_drop(true).output().await.unwrap();
    (status.code(), String::from_utf8(stdout).unwrap())
}

/// Every line of the README's listing is printed; `…` stands for what differs from run to run.
fn assert_as_in_the_readme(printed: &str, database: &Database) {
    let readme = include_str!("../README.md").replace("invoices.invoices", &format!("{}.invoices", database.name()));
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

/// What has to be stored, whoever came first to which number.
async fn assert_all_is_billed_once(database: &Database) {
    let invoices = all(database, "invoices").await;
    let orders: Vec<i64> = invoices.iter().map(|invoice| invoice.get_i64("_id").unwrap()).collect();
    let billed = |first: i64| (first..first + 8).filter(move |order| order % 10 != 3);
    assert_eq!(
        orders,
        [1001, 2001, 3001].into_iter().flat_map(billed).collect::<Vec<_>>(),
        "all but those over the limit"
    );

    let mut numbers: BTreeMap<(&str, i32), Vec<i64>> = BTreeMap::new();
    let mut entries: BTreeMap<(&str, &str), Vec<(&str, i64)>> = BTreeMap::new();
    for invoice in &invoices {
        let (tenant, year) = (invoice.get_str("tenant").unwrap(), invoice.get_i32("year").unwrap());
        let (number, text) = (invoice.get_i64("number").unwrap(), invoice.get_str("text").unwrap());
        assert_eq!(text, format!("INV-{year}-{number:06}"));
        numbers.entry((tenant, year)).or_default().push(number);
        let (customer, cents) = (invoice.get_str("customer").unwrap(), invoice.get_i64("cents").unwrap());
        entries.entry((tenant, customer)).or_default().push((text, cents));
    }
    assert_eq!(numbers.len(), 6);
    for ((tenant, year), mut numbers) in numbers {
        numbers.sort_unstable();
        let expected: &[i64] = if year == 2026 { &[1, 2, 3, 4, 5] } else { &[1, 2] };
        assert_eq!(numbers, expected, "{tenant} {year}");
        let filter = doc! { "_id.seq": "invoices.number", "_id.tenant": tenant, "_id.year": year };
        let counter = database.collection::<Document>("sequences").find_one(filter).await.unwrap();
        assert_eq!(
            counter.and_then(|counter| counter.get_i64("seq").ok()),
            expected.last().copied(),
            "{tenant} {year}"
        );
    }

    let ledger = all(database, "ledger").await;
    assert_eq!(ledger.len(), 6);
    for account in &ledger {
        let id = account.get_document("_id").unwrap();
        let mut expected = entries.remove(&(id.get_str("tenant").unwrap(), id.get_str("customer").unwrap())).unwrap();
        let mut entered: Vec<_> = account
            .get_array("entries")
            .unwrap()
            .iter()
            .map(|entry| entry.as_document().unwrap())
            .map(|entry| (entry.get_str("invoice").unwrap(), entry.get_i64("cents").unwrap()))
            .collect();
        entered.sort_unstable();
        expected.sort_unstable();
        assert_eq!(entered, expected, "{id}");
        assert_eq!(account.get_i64("owed").unwrap(), entered.iter().map(|(_, cents)| cents).sum::<i64>(), "{id}");
    }
}

#[tokio::test]
async fn every_order_has_one_invoice_without_gaps_and_is_booked() {
    let database = database().await;
    let (code, printed) = run(&database).await;
    assert_eq!(code, Some(0), "{printed}");
    assert_as_in_the_readme(&printed, &database);
    assert_all_is_billed_once(&database).await;

    let before = (all(&database, "invoices").await, all(&database, "ledger").await, all(&database, "sequences").await);
    let (code, printed) = run(&database).await;
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(printed.matches("has its invoice already").count(), 21, "{printed}");
    let after = (all(&database, "invoices").await, all(&database, "ledger").await, all(&database, "sequences").await);
    assert_eq!(before, after, "a second run changes nothing");
    database.drop().await.unwrap();
}

#[tokio::test]
async fn two_runs_at_once_bill_every_order_once() {
    let database = database().await;
    let ((code, one), (other_code, other)) = tokio::join!(run(&database), run(&database));
    assert_eq!((code, other_code), (Some(0), Some(0)), "{one}{other}");
    assert_eq!((one + &other).matches("has its invoice already").count(), 21);
    assert_all_is_billed_once(&database).await;
    database.drop().await.unwrap();
}

#[tokio::test]
async fn the_exit_code_tells_that_the_books_are_wrong() {
    let database = database().await;
    assert_eq!(run(&database).await.0, Some(0));
    let (invoices, counters): (Collection<Document>, Collection<Document>) =
        (database.collection("invoices"), database.collection("sequences"));
    let ledger: Collection<Document> = database.collection("ledger");
    let of_acme = doc! { "_id.tenant": "acme", "_id.year": 2027 };
    let ben = doc! { "_id.tenant": "bolt", "_id.customer": "ben" };

    counters.update_one(of_acme.clone(), doc! { "$inc": { "seq": 3_i64 } }).await.unwrap();
    let (code, printed) = run(&database).await;
    assert_eq!(code, Some(3), "{printed}");
    assert!(printed.contains("wrong: { \"tenant\": \"acme\", \"year\": 2027 }: 3 of 5 numbers"), "{printed}");
    counters.update_one(of_acme, doc! { "$inc": { "seq": -3_i64 } }).await.unwrap();
    assert_eq!(run(&database).await.0, Some(0));

    ledger.update_one(ben.clone(), doc! { "$inc": { "owed": 1_i64 } }).await.unwrap();
    let (code, printed) = run(&database).await;
    assert_eq!(code, Some(3), "{printed}");
    assert!(printed.contains("wrong: ben of bolt: "), "{printed}");
    ledger.update_one(ben, doc! { "$inc": { "owed": -1_i64 } }).await.unwrap();
    assert_eq!(run(&database).await.0, Some(0));

    // the order is billed again, under the next number
    let second = doc! { "tenant": "apex", "year": 2026, "number": 2 };
    assert_eq!(invoices.delete_one(second).await.unwrap().deleted_count, 1);
    let (code, printed) = run(&database).await;
    assert_eq!(code, Some(3), "{printed}");
    assert!(printed.contains("  missing: 2\n  fault: numbers are missing in a sequence without gaps\n"), "{printed}");
    assert!(printed.contains("the books are wrong\n"), "{printed}");
    database.drop().await.unwrap();
}
