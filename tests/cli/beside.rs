//! What happens beside it: an interruption, a service that runs.

use std::process::{Command, Stdio};

use mongo_sequence::{AutoIncrement, SequencedCollection};
use mongodb::bson::doc;
use serde_json::json;

use crate::{Cli, IMPORTED};

/// Whoever reads its output may stop at any time, and so may whoever started it.
#[tokio::test]
async fn it_can_be_interrupted() {
    let cli = Cli::new("stopped").await;
    let counters =
        (0..2_000).map(|at| doc! { "_id": format!("a counter with a long name, to fill the pipe, {at}"), "seq": at });
    cli.db.collection("sequences").insert_many(counters).await.unwrap();
    let mut list = cli.command(&["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(list.stdout.take());
    let listed = list.wait_with_output().unwrap();
    assert_eq!((listed.status.code(), listed.stderr), (Some(0), Vec::new()));

    cli.orders().insert_many((0..IMPORTED).map(|at| doc! { "_id": at })).await.unwrap();
    let backfill = ["backfill", "orders", "number", "--new-field", "--batch-size", "100"];
    let running = cli.command(&backfill).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while cli.orders().find_one(doc! { "number": { "$gt": 0 } }).await.unwrap().is_none() {}
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let stopped = running.wait_with_output().unwrap();
    let told = String::from_utf8(stopped.stderr).unwrap();
    assert!(
        stopped.status.code() == Some(130) && told.contains("Run it again for the rest"),
        "{:?}: {told}",
        stopped.status
    );
    assert!(cli.orders().find_one(doc! { "number": null }).await.unwrap().is_some(), "it was done already");
    cli.text(&["backfill", "orders", "number", "--batch-size", "10000"]);
    cli.text(&["ensure", "orders", "number"]);
    cli.text(&["verify", "orders", "number", "--complete"]);
}

/// Also while it asks and nobody answers.
#[tokio::test]
async fn a_question_can_be_interrupted() {
    let cli = Cli::new("asked").await;
    cli.orders().insert_one(doc! { "_id": 1 }).await.unwrap();
    cli.text(&["ensure", "orders", "_id"]);
    cli.text(&["raise", "orders", "_id", "--to", "500"]);
    let restart = ["restart", "orders", "_id", "--next", "10"];
    for (typed, status, value) in [("\x03", 130, 500), ("n\n", 4, 500), ("\x04", 4, 500), ("y\n", 0, 9)] {
        let options = rexpect::session::Options::new().timeout_ms(Some(60_000));
        let mut terminal = rexpect::session::spawn_with_options(cli.command(&restart), options).unwrap();
        terminal.exp_string("[y/N]").unwrap();
        terminal.send(typed).unwrap();
        terminal.flush().unwrap();
        terminal.exp_eof().unwrap();
        let ended = format!("{:?}", terminal.process().wait().unwrap());
        assert!(ended.starts_with("Exited") && ended.ends_with(&format!(" {status})")), "{typed:?}: {ended}");
        assert_eq!(cli.json(&["show", "orders", "_id"]), json!({ "value": value }), "{typed:?}");
    }
}

#[derive(serde::Serialize, AutoIncrement)]
struct Order {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
}

/// This process inserts from blocks while another one, the command line, moves the counter.
#[tokio::test]
async fn a_counter_is_raised_and_restarted_beside_a_running_service() {
    let cli = Cli::new("two_processes").await;
    let orders = cli.db.collection::<Order>("orders");
    let service = SequencedCollection::builder(orders.clone()).block_size(10).build();
    let insert = async || {
        let mut order = Order { id: 0 };
        order.insert_with_seq(&service).await.unwrap();
        order.id
    };
    for expected in 1..=3 {
        assert_eq!(insert().await, expected);
    }
    cli.text(&["raise", "orders", "_id", "--to", "1000"]);
    let mut numbers = Vec::new();
    for _ in 0..40 {
        numbers.push(insert().await);
    }
    // what the service had reserved is still handed out, and everything after it lies behind the raised counter
    assert!(numbers.iter().all(|number| (4..=21).contains(number) || *number > 1000), "{numbers:?}");
    assert!(numbers.is_sorted_by(|a, b| a < b) && numbers.last() > Some(&1000), "{numbers:?}");

    let back = |next: &'static str| cli.run(&["restart", "orders", "_id", "--yes", "--next", next]);
    let (text, status) = back("500");
    assert!(status == 1 && text.contains("blocks"), "{status}: {text}");
    service.shutdown().await;
    cli.orders().delete_many(doc! { "_id": { "$gte": 30 } }).await.unwrap();
    let stopped =
        |next: &'static str| cli.run(&["restart", "orders", "_id", "--yes", "--assume-stopped", "--next", next]);
    let (text, status) = stopped("3");
    assert!(status == 1 && text.contains("are numbered up to"), "{status}: {text}"); // whatever has stopped
    let (text, status) = stopped("30");
    assert_eq!(status, 0, "{text}");
    let mut order = Order { id: 0 };
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.id, 30);
}
