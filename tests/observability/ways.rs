//! What is told of each way to take numbers when nothing goes wrong.

use mongo_sequence::{AutoIncrement, GetOrInsert, Sequence, SequencedCollection, SharedSequence};
use mongodb::{Collection, bson::doc};
use serde::{Deserialize, Serialize};

use crate::{
    Stage,
    models::{Invoice, Order, SmallOrder, invoice, order},
    seen::SEEN,
    table, unique,
};

pub(crate) async fn every_way_has_its_name() {
    let ways = ["plain", "session", "transaction", "gapless", "combined", "group", "block"];
    for way in ways {
        let Stage { test, orders, sequence } = Stage::new().await;
        let shared = SequencedCollection::new(orders.clone());
        let blocks = SequencedCollection::builder(orders.clone()).block_size(9).build();
        Order::ensure_sequences(&orders).await.unwrap(); // else a transaction finds no counter, and is run again
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let mut model = order();
        match way {
            "plain" => model.insert_with_seq(&orders).await,
            "session" => model.insert_with_seq(&orders).session(&mut session).await,
            "transaction" => model.insert_with_seq(&orders).session(&mut session).gapless().await,
            "gapless" => model.insert_with_seq(&orders).gapless().await,
            "combined" => model.insert_with_seq(&shared).await,
            "group" => model.insert_with_seq(&shared).gapless().await,
            _ => model.insert_with_seq(&blocks).await,
        }
        .unwrap();
        let span = SEEN.the("insert_with_seq", &sequence);
        let told = span.values(["mode", "count", "number", "attempts", "error"]);
        assert_eq!(told, [Some(way), Some("1"), Some("1"), None, None]);
        // the counter of a session's document is on its own
        let at_counter = if way == "session" { "plain" } else { way };
        let taken = if way == "block" { 10 } else { 1 };
        assert_eq!(SEEN.counted("numbers_total", &sequence), [(at_counter.to_owned(), taken)]);
        assert_eq!(SEEN.counted("numbers_burnt_total", &sequence), []);
        session.abort_transaction().await.unwrap();
    }
    assert_eq!(table::words("mode"), ways.map(str::to_owned).into());
}

/// As many as the driver has sent, whatever the way.
pub(crate) async fn each_command_at_a_counter_is_counted() {
    let Stage { test, orders, sequence } = Stage::new().await;
    let shared = SequencedCollection::builder(orders.clone()).block_size(3).build();
    let handle = Order::sequence(&orders, "id").unwrap();
    let mut session = test.client.start_session().await.unwrap();
    for _ in 0..5 {
        order().insert_with_seq(&orders).await.unwrap();
        order().insert_with_seq(&orders).gapless().await.unwrap();
        order().insert_with_seq(&shared).await.unwrap();
        session.start_transaction().await.unwrap();
        order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
        handle.next_value().session(&mut session).await.unwrap();
        session.commit_transaction().await.unwrap();
    }
    handle.raise_to(100).await.unwrap();
    handle.restart(200).await.unwrap();
    handle.restart(150).assume_stopped().await.unwrap();
    shared.shutdown().await;
    let is_at_counter = |name: &String| ["find", "findAndModify"].contains(&name.as_str());
    let mut names = test.sent.names();
    names.retain(is_at_counter);
    names.sort();
    names.dedup();
    let sent: Vec<_> =
        names.iter().flat_map(|name| test.sent.named(name).into_iter().map(move |it| (name, it))).collect();
    let at_counter =
        sent.iter().filter(|(name, command)| command.get_str(name.as_str()).is_ok_and(|it| it == "sequences")).count();
    let counted: u64 = SEEN.counted("counter_commands_total", &sequence).iter().map(|(_, n)| n).sum();
    assert_eq!(counted, at_counter as u64);
    assert!(at_counter > 30, "{at_counter}");
}

pub(crate) async fn numbers_without_documents_are_told() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("tickets");
    let tickets = Sequence::new(&test.db, name.as_str()).start(1000).step(10);
    tickets.next_value().await.unwrap();
    tickets.reserve(3).await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    tickets.reserve(2).session(&mut session).await.unwrap();
    session.abort_transaction().await.unwrap();
    let one = SEEN.the("next_value", &name);
    assert_eq!(one.values(["mode", "count", "number"]), [Some("plain"), Some("1"), Some("1000")]);
    let reserved: Vec<_> = SEEN.of("reserve", &name);
    let told: Vec<_> = reserved.iter().map(|span| span.values(["mode", "count", "number"])).collect();
    let outside = [Some("plain"), Some("3"), Some("1010")];
    assert_eq!(told, [outside, [Some("transaction"), Some("2"), Some("1040")]]);
    let taken = [("plain".to_owned(), 4), ("transaction".to_owned(), 2)];
    assert_eq!(SEEN.counted("numbers_total", &name), taken);

    let shared = SharedSequence::new(tickets);
    shared.reserve(2).await.unwrap();
    let combined = SEEN.of("reserve", &name).remove(2);
    assert_eq!(combined.values(["mode", "count", "number"]), [Some("combined"), Some("2"), Some("1040")]);
}

pub(crate) async fn a_batch_tells_its_first_number_and_how_many_there_are() {
    let Stage { orders, sequence, .. } = Stage::new().await;
    order().insert_with_seq(&orders).await.unwrap();
    Order::insert_many_with_seq(&mut vec![order(); 7], &orders).await.unwrap();
    let shared = SequencedCollection::builder(orders).block_size(10).build();
    Order::insert_many_with_seq(&mut vec![order(); 2], &shared).await.unwrap();
    let spans = SEEN.of("insert_many_with_seq", &sequence);
    let told: Vec<_> = spans.iter().map(|span| span.values(["mode", "count", "number"])).collect();
    assert_eq!(told, [[Some("plain"), Some("7"), Some("2")], [Some("block"), Some("2"), Some("9")]]);
    assert_eq!(SEEN.counted("numbers_total", &sequence), [("block".to_owned(), 12), ("plain".to_owned(), 8)]);
}

pub(crate) async fn one_that_is_found_takes_no_number() {
    let Stage { orders, sequence, .. } = Stage::new().await;
    let looked_for = doc! { "item": "tea" };
    order().get_or_insert_with_seq(&orders, looked_for.clone()).await.unwrap();
    let found = order().get_or_insert_with_seq(&orders, looked_for).await.unwrap();
    assert_eq!(found, GetOrInsert::Found);
    let spans = SEEN.of("get_or_insert_with_seq", &sequence);
    let told: Vec<_> = spans.iter().map(|span| span.values(["mode", "number"])).collect();
    assert_eq!(told, [[Some("plain"), Some("1")], [None, None]]);
}

/// One of them without gaps.
pub(crate) async fn a_model_of_two_sequences_tells_both() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("invoices");
    let invoices: Collection<Invoice> = test.db.collection(&name);
    invoice().insert_with_seq(&invoices).await.unwrap();
    let both = format!("{name}._id, {name}.serialNumber");
    let span = SEEN.the("insert_with_seq", &both);
    assert_eq!(span.values(["mode", "number"]), [Some("gapless"), Some("1000")]);
    assert_eq!(SEEN.counted("numbers_total", &format!("{name}._id")), [("plain".to_owned(), 1)]);
    assert_eq!(SEEN.counted("numbers_total", &format!("{name}.serialNumber")), [("gapless".to_owned(), 1)]);
}

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Patient {
    clinic: String,
    #[auto_increment(scope(clinic))]
    number: i64,
    #[serde(rename = "_id")]
    diagnosis: String,
}

/// Also of those that fail.
pub(crate) async fn neither_scopes_nor_documents_are_told() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("patients");
    let patients: Collection<Patient> = test.db.collection(&name);
    Patient::ensure_sequences(&patients).await.unwrap();
    let shared = SequencedCollection::builder(patients.clone()).block_size(2).build();
    for clinic in ["confidential-a", "confidential-b"] {
        let patient = || Patient { clinic: clinic.to_owned(), number: 0, diagnosis: format!("confidential {clinic}") };
        patient().insert_with_seq(&patients).await.unwrap();
        patient().insert_with_seq(&patients).await.unwrap_err();
        patient().insert_with_seq(&patients).gapless().await.unwrap_err();
        patient().insert_with_seq(&shared).await.unwrap_err();
        patient().insert_with_seq(&shared).gapless().await.unwrap_err();
        let sequence = Patient::scoped_sequence(&patients, "number", doc! { "clinic": clinic }).unwrap();
        sequence.next_value().await.unwrap();
        sequence.restart(1).await.unwrap_err();
    }
    // both scopes are one series
    let sequence = format!("{name}.number");
    assert_eq!(SEEN.of("insert_with_seq", &sequence).len(), 10);
    assert_eq!(SEEN.of("counter created", &sequence).len(), 2);
    assert!(SEEN.counted("numbers_total", &sequence).contains(&("plain".to_owned(), 6)));
    let all = format!("{:?} {:?}", SEEN.told(), SEEN.measured());
    assert!(all.contains(&sequence) && !all.contains("confidential"), "data are told");
}

/// There may be one for each of anything, and it may hold anything.
pub(crate) async fn a_key_of_another_form_is_not_told() {
    let Stage { test, .. } = Stage::new().await;
    for key in ["confidential-a", "confidential-b"] {
        let sequence = Sequence::new(&test.db, doc! { "user": key }).start(1);
        sequence.next_value().await.unwrap();
        let scoped = Sequence::new(&test.db, doc! { "seq": "confident", "user": key }).start(1);
        scoped.next_value().await.unwrap();
    }
    assert!(SEEN.of("next_value", "(other)").len() >= 2 && SEEN.of("next_value", "confident").len() >= 2);
    assert!(!format!("{:?} {:?}", SEEN.told(), SEEN.measured()).contains("confidential"), "keys are told");
}

pub(crate) async fn the_part_of_the_range_that_is_used_is_told() {
    let Stage { test, sequence, orders } = Stage::new().await;
    let small: Collection<SmallOrder> = orders.clone_with_type();
    SmallOrder { id: 0 }.insert_with_seq(&small).await.unwrap();
    let handle = SmallOrder::sequence(&small, "id").unwrap();
    let ratio = || SEEN.values("range_used_ratio", &sequence).last().copied().unwrap();
    assert!((ratio() - 1.0 / f64::from(i32::MAX)).abs() < 1e-15, "{}", ratio());
    handle.raise_to(i64::from(i32::MAX) - 2).await.unwrap();
    SmallOrder { id: 0 }.insert_with_seq(&small).gapless().await.unwrap();
    assert!((1.0 - ratio() - 1.0 / f64::from(i32::MAX)).abs() < 1e-15, "{}", ratio());
    handle.next_value().await.unwrap();
    assert!((ratio() - 1.0).abs() < 1e-15, "{}", ratio());
    drop(test);
}
