//! Batches of several commands, and what is known of their documents when one of them is lost.

use std::{
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    time::Duration,
};

use mongo_sequence::AutoIncrement;
use mongodb::{
    Collection,
    bson::doc,
    event::{EventHandler, command::CommandEvent},
    options::ClientOptions,
};
use serde::Serialize;

use super::{Line, incomplete, lines, numbers, refusals};
use crate::{
    models::{Order, order},
    support::{TestDb, server},
    watch::until,
};

/// As many commands as the driver would send, the numbers in order over all of them.
#[tokio::test]
async fn more_than_100_000_documents_go_out_in_parts() {
    let test = TestDb::new().await;
    let collection: Collection<Line> = test.db.collection("lines");
    let mut batch = vec![Line { text: String::new(), number: 0 }; 100_001];
    let result = Line::insert_many_with_seq(&mut batch, &collection).await.unwrap();
    assert_eq!((result.inserted_ids.len(), test.sent.named("insert").len()), (100_001, 2));
    assert!(batch.iter().map(|line| line.number).eq(1..=100_001));
    assert_eq!(collection.count_documents(doc! {}).await.unwrap(), 100_001);
}

/// A batch of 60 MB, in parts of at most 48.
fn large() -> Vec<Line> {
    ["a", "b", "c", "d"].map(|text| Line { text: text.repeat(15 << 20), number: 0 }).to_vec()
}

#[tokio::test]
async fn what_the_first_parts_stored_is_told_when_a_later_one_is_lost() {
    let test = TestDb::with_faults().await;
    let collection: Collection<Line> = test.db.collection("lines");
    Line::insert_many_with_seq(&mut lines(["x"]), &collection).await.unwrap();
    test.sent.clear();
    test.fail(&["insert"], doc! { "skip": 1 }, doc! { "closeConnection": true }).await;
    let mut batch = large();
    let error = Line::insert_many_with_seq(&mut batch, &collection).await.unwrap_err();
    test.fail(&["insert"], "off", doc! {}).await;
    assert_eq!(incomplete(&error), [vec![0, 1, 2], vec![], vec![3]]);
    assert_eq!((numbers(&batch), error.number()), (vec![2, 3, 4, 0], Some(5)));
    assert_eq!(test.numbers("lines", "number").await, (1..=4).collect());
    Line::insert_many_with_seq(&mut batch[3..], &collection).await.unwrap();
    assert_eq!(batch[3].number, 6);
}

/// Nobody knows of the documents that were under way, but nothing of the rest was ever sent.
#[tokio::test]
async fn behind_a_part_that_is_given_up_nothing_is_sent() {
    let test = TestDb::with_faults().await;
    let collection: Collection<Line> = test.db.collection("lines");
    Line::insert_many_with_seq(&mut lines(["x"]), &collection).await.unwrap();
    test.sent.clear();
    let eight_seconds = doc! { "blockConnection": true, "blockTimeMS": 8_000 };
    test.fail(&["insert"], doc! { "times": 1 }, eight_seconds).await;
    let mut batch = large();
    let call = Line::insert_many_with_seq(&mut batch, &collection).time_limit(Duration::from_secs(1));
    let error = call.await.unwrap_err();
    assert_eq!(incomplete(&error), [vec![], vec![3], vec![0, 1, 2]]);
    assert_eq!((numbers(&batch), error.number()), (vec![0; 4], Some(2)));
    assert_eq!(test.sent.named("insert").len(), 1);
    until("the first part is stored", async || test.numbers("lines", "number").await == (1..=4).collect()).await;
}

/// Behind a refused document an ordered batch sends nothing more, another one does.
#[tokio::test]
async fn a_refusal_in_the_first_part_ends_an_ordered_batch_only() {
    #[derive(Serialize, AutoIncrement)]
    struct Scan {
        code: &'static str,
        image: String,
        #[auto_increment]
        number: i64,
    }
    for (ordered, commands, stored) in [(true, 1, vec![0]), (false, 2, vec![0, 2, 3])] {
        let test = TestDb::new().await;
        let scans: Collection<Scan> = test.db.collection("scans");
        test.unique_index("scans", doc! { "code": 1 }).await;
        let mut batch = ["a", "a", "b", "c"].map(|code| Scan { code, image: "x".repeat(15 << 20), number: 0 });
        let error = Scan::insert_many_with_seq(&mut batch, &scans).ordered(ordered).await.unwrap_err();
        assert_eq!((incomplete(&error)[0].clone(), test.sent.named("insert").len()), (stored, commands));
        assert_eq!(refusals(&error), [(1, 11_000)]);
    }
}

/// Many small documents: a transaction of few large ones may be refused as too large for the cache of a busy server.
#[tokio::test]
async fn a_large_gapless_batch_is_one_transaction() {
    let test = TestDb::new().await;
    let collection: Collection<Line> = test.db.collection("lines");
    let mut batch = vec![Line { text: String::new(), number: 0 }; 100_001];
    Line::insert_many_with_seq(&mut batch, &collection).gapless().await.unwrap();
    assert!(batch.iter().map(|line| line.number).eq(1..=100_001));
    assert_eq!((test.sent.named("insert").len(), test.sent.named("commitTransaction").len()), (2, 1));
}

#[tokio::test]
async fn what_is_not_confirmed_is_unknown() {
    let test = TestDb::with_faults().await;
    let collection: Collection<Line> = test.db.collection("lines");
    Line::insert_many_with_seq(&mut lines(["x"]), &collection).await.unwrap();
    let failure = doc! { "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" } };
    test.fail(&["insert"], doc! { "times": 1 }, failure).await;
    let mut batch = lines(["a", "b"]);
    let error = Line::insert_many_with_seq(&mut batch, &collection).await.unwrap_err();
    assert_eq!((incomplete(&error), numbers(&batch)), ([vec![], vec![], vec![0, 1]], vec![0, 0]));
    assert_eq!(error.number(), Some(2));
}

/// A reply with a duplicate of ours, and without a confirmation of the rest.
#[tokio::test]
async fn what_is_not_confirmed_is_unknown_even_beside_a_number_that_is_taken() {
    let test = TestDb::with_faults().await;
    test.import("_id", [3]).await;
    test.set_counter("orders._id", 1_i64).await;
    let failure = doc! { "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" } };
    test.fail(&["insert"], doc! { "times": 1 }, failure).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut batch = vec![order(); 3];
    test.sent.clear();
    let error = Order::insert_many_with_seq(&mut batch, &orders).await.unwrap_err();
    assert_eq!(incomplete(&error), [vec![], vec![1, 2], vec![0]]);
    assert!(batch.iter().all(|order| order.id == 0));
    assert_eq!(test.sent.named("insert").len(), 1);
}

/// The driver cuts a connection on which a command is under way when its monitor gives the server up.
#[tokio::test]
async fn a_command_on_a_connection_that_was_cut_is_unknown() {
    let test = TestDb::with_faults_and(|options| {
        options.connect_timeout = Some(Duration::from_millis(300));
        options.server_selection_timeout = Some(Duration::from_secs(1));
    })
    .await;
    let collection: Collection<Line> = test.db.collection("lines");
    Line::insert_many_with_seq(&mut lines(["x"]), &collection).await.unwrap();
    let block = doc! { "blockConnection": true, "blockTimeMS": 3000 };
    test.fail(&["hello", "isMaster", "ismaster", "insert"], "alwaysOn", block).await;
    let mut batch = lines(["a", "b"]);
    let error = Line::insert_many_with_seq(&mut batch, &collection).await.unwrap_err();
    test.fail(&["insert"], "off", doc! {}).await;
    assert_eq!(incomplete(&error), [vec![], vec![], vec![0, 1]]);
    assert_eq!(numbers(&batch), [0, 0]);
}

/// A comment goes out with every command.
#[tokio::test]
async fn a_large_comment_does_not_make_the_driver_cut_a_part() {
    let test = TestDb::with_faults().await;
    let collection: Collection<Line> = test.db.collection("lines");
    Line::insert_many_with_seq(&mut lines(["x"]), &collection).await.unwrap();
    test.fail(&["insert"], doc! { "skip": 1 }, doc! { "errorCode": 13 }).await;
    let mut batch = lines(["a", "b", "c"]);
    for line in &mut batch {
        line.text = line.text.repeat(15_900_000);
    }
    let comment = "c".repeat(1_000_000);
    let error = Line::insert_many_with_seq(&mut batch, &collection).comment(comment).await.unwrap_err();
    test.fail(&["insert"], "off", doc! {}).await;
    assert_eq!((incomplete(&error), numbers(&batch)), ([vec![0, 1], vec![2], vec![]], vec![2, 3, 0]));
}

/// The answer to the first part comes in time, and is looked at too late: this thread is held up.
#[tokio::test]
async fn a_part_whose_time_is_over_is_not_sent() {
    static INSERTS: AtomicUsize = AtomicUsize::new(0);
    let hold_up = |event| match event {
        CommandEvent::Started(started) if started.command_name == "insert" => drop(INSERTS.fetch_add(1, SeqCst)),
        CommandEvent::Succeeded(done) if done.command_name == "insert" => std::thread::sleep(Duration::from_secs(7)),
        _ => {}
    };
    let configure = |options: &mut ClientOptions| options.command_event_handler = Some(EventHandler::callback(hold_up));
    let test = TestDb::on(server().await, configure).await;
    let collection: Collection<Line> = test.db.collection("lines");
    let mut batch = large();
    let call = Line::insert_many_with_seq(&mut batch, &collection).time_limit(Duration::from_secs(1));
    let error = call.await.unwrap_err();
    test.client.clone().shutdown().await; // which waits for what goes on behind the call
    assert_eq!(incomplete(&error), [vec![0, 1, 2], vec![3], vec![]]);
    assert_eq!((numbers(&batch), error.number(), INSERTS.load(SeqCst)), (vec![1, 2, 3, 0], Some(4), 1));
}
