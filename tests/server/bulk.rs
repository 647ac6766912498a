//! Many documents with one call.

use std::time::Duration;

use mongo_sequence::{AutoIncrement, Error, ErrorKind};
use mongodb::{
    Collection,
    bson::{Document, doc},
    error::{IndexedWriteError, TRANSIENT_TRANSACTION_ERROR},
};
use serde::{Deserialize, Serialize};

use crate::{
    models::{Invoice, Order, Page, invoice, order},
    support::TestDb,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Line {
    text: String,
    #[auto_increment]
    number: i64,
}

fn lines<const N: usize>(texts: [&str; N]) -> [Line; N] {
    texts.map(|text| Line { text: text.to_owned(), number: 0 })
}

fn numbers(lines: &[Line]) -> Vec<i64> {
    lines.iter().map(|line| line.number).collect()
}

/// A collection of lines in which no text is stored twice, and number 1 is "taken".
async fn taken() -> (TestDb, Collection<Line>) {
    let test = TestDb::with_faults().await;
    let collection = test.db.collection("lines");
    test.unique_index("lines", doc! { "text": 1 }).await;
    Line { text: "taken".to_owned(), number: 0 }.insert_with_seq(&collection).await.unwrap();
    test.sent.clear();
    (test, collection)
}

async fn stored(collection: &Collection<Line>) -> Vec<(String, i64)> {
    let mut cursor = collection.find(doc! {}).sort(doc! { "number": 1 }).await.unwrap();
    let mut stored = Vec::new();
    while cursor.advance().await.unwrap() {
        let Line { text, number } = cursor.deserialize_current().unwrap();
        stored.push((text, number));
    }
    stored
}

/// Which documents of a batch are stored, are not, may be.
fn incomplete(error: &Error) -> [Vec<usize>; 3] {
    match error.kind() {
        ErrorKind::Incomplete { inserted, not_inserted, unknown, .. } => {
            [inserted.clone(), not_inserted.clone(), unknown.clone()]
        }
        other => panic!("{other:?}"),
    }
}

fn refusals(error: &Error) -> Vec<(usize, i32)> {
    match &*error.driver_error().unwrap().kind {
        mongodb::error::ErrorKind::InsertMany(many) => {
            let place = |refusal: &IndexedWriteError| (refusal.index, refusal.code);
            many.write_errors.iter().flatten().map(place).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_thousand_documents_cost_one_round_trip_at_the_counter_and_keep_their_order() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    order().insert_with_seq(&orders).await.unwrap();
    test.sent.clear();
    let mut batch = vec![order(); 1000];
    let result = Order::insert_many_with_seq(&mut batch, &orders).await.unwrap();
    assert_eq!(test.sent.names(), ["findAndModify", "insert"]);
    assert!(batch.iter().map(|order| order.id).eq(2..=1001));
    assert!((0..1000).all(|index| result.inserted_ids[&index].as_i64() == Some(batch[index].id)));
    assert_eq!(test.ids().await, (1..=1001).collect());
}

#[tokio::test]
async fn an_empty_batch_is_stored_at_once() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    for gapless in [false, true] {
        let insert = Order::insert_many_with_seq(&mut [], &orders);
        let result = if gapless { insert.gapless() } else { insert }.await.unwrap();
        assert!(result.inserted_ids.is_empty());
    }
    assert!(test.sent.names().is_empty());
}

#[tokio::test]
async fn each_scope_of_a_batch_has_one_reservation() {
    #[derive(Serialize, AutoIncrement)]
    struct Bill {
        tenant: &'static str,
        #[auto_increment(scope(tenant), step = -1, start = -1)]
        number: i64,
    }
    let test = TestDb::new().await;
    let bills: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&bills).await.unwrap();
    for gapless in [false, true] {
        let mut batch = ["a", "b", "a", "c", "b", "a"].map(|tenant| Bill { tenant, number: 0 });
        let insert = Bill::insert_many_with_seq(&mut batch, &bills);
        if gapless { insert.gapless() } else { insert }.await.unwrap();
        let offset = |n| if gapless { n } else { 0 };
        let expected = [-1 - offset(3), -1 - offset(2), -2 - offset(3), -1 - offset(1), -2 - offset(2), -3 - offset(3)];
        assert_eq!(batch.map(|bill| bill.number), expected);
        test.sent.clear();
    }
    let mut batch = ["a", "b", "a"].map(|tenant| Bill { tenant, number: 0 });
    Bill::insert_many_with_seq(&mut batch, &bills).await.unwrap();
    assert_eq!(test.sent.names(), ["findAndModify", "findAndModify", "insert"]);
}

#[tokio::test]
async fn an_ordered_batch_ends_at_the_first_refused_document() {
    let (test, collection) = taken().await;
    let mut batch = lines(["a", "b", "taken", "c", "d"]);
    let error = Line::insert_many_with_seq(&mut batch, &collection).await.unwrap_err();
    assert_eq!(incomplete(&error), [vec![0, 1], vec![2, 3, 4], vec![]]);
    assert_eq!((refusals(&error), error.number()), (vec![(2, 11_000)], Some(4)));
    assert!(error.to_string().contains("2 were, 3 were not"), "{error}");
    assert_eq!(numbers(&batch), [2, 3, 0, 0, 0]);
    assert_eq!(stored(&collection).await, [("taken".into(), 1), ("a".into(), 2), ("b".into(), 3)]);
    assert_eq!(test.sent.named("insert").len(), 1);
}

#[tokio::test]
async fn an_unordered_batch_stores_what_it_can() {
    let (_test, collection) = taken().await;
    let mut batch = lines(["taken", "a", "a", "b", "taken"]);
    let error = Line::insert_many_with_seq(&mut batch, &collection).ordered(false).await.unwrap_err();
    assert_eq!(incomplete(&error), [vec![1, 3], vec![0, 2, 4], vec![]]);
    assert_eq!(refusals(&error), [(0, 11_000), (2, 11_000), (4, 11_000)]);
    assert_eq!(numbers(&batch), [0, 3, 0, 5, 0]);
    assert_eq!(stored(&collection).await, [("taken".into(), 1), ("a".into(), 3), ("b".into(), 5)]);
}

#[tokio::test]
async fn a_gapless_batch_is_stored_whole_or_not_at_all() {
    for library in [true, false] {
        let (test, collection) = taken().await;
        let mut session = test.client.start_session().await.unwrap();
        for last in ["taken", "c"] {
            let mut batch = lines(["a", "b", last]);
            let inserted = if library {
                Line::insert_many_with_seq(&mut batch, &collection).gapless().await
            } else {
                session.start_transaction().await.unwrap();
                Line::insert_many_with_seq(&mut batch, &collection).session(&mut session).gapless().await
            };
            match inserted {
                Ok(result) => {
                    assert_eq!((last, result.inserted_ids.len(), numbers(&batch)), ("c", 3, vec![2, 3, 4]));
                    if !library {
                        session.commit_transaction().await.unwrap();
                    }
                }
                Err(error) => {
                    assert_eq!((last, numbers(&batch)), ("taken", vec![0, 0, 0]));
                    assert!(matches!(error.kind(), ErrorKind::Driver), "{error:?}");
                    assert_eq!(refusals(&error), [(2, 11_000)]);
                    if !library {
                        session.commit_transaction().await.unwrap_err();
                    }
                }
            }
        }
        assert_eq!((test.value("lines.number").await, stored(&collection).await.len()), (Some(4), 4));
    }
}

#[tokio::test]
async fn batches_of_several_tasks_without_gaps() {
    let test = TestDb::new().await;
    let tasks = (1..=8).map(|size| {
        let collection: Collection<Line> = test.db.collection("lines");
        let mut batch = vec![Line { text: String::new(), number: 0 }; size];
        tokio::spawn(async move {
            Line::insert_many_with_seq(&mut batch, &collection).gapless().await.unwrap();
            assert!(batch.windows(2).all(|pair| pair[1].number == pair[0].number + 1), "{batch:?}");
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(test.numbers("lines", "number").await, (1..=36).collect());
    assert_eq!(test.value("lines.number").await, Some(36));
}

/// With the counter outside, the error in the caller's transaction is the driver's, and running it again takes fresh
/// numbers.
#[tokio::test]
async fn a_batch_in_the_callers_transaction_is_run_again() {
    let (test, collection) = taken().await;
    let mut session = test.client.start_session().await.unwrap();
    let mut batch = lines(["a", "b"]);
    let mut runs = 0;
    test.with_conflict_on_insert(async || {
        session
            .start_transaction()
            .and_run2(async |session| {
                runs += 1;
                Line::insert_many_with_seq(&mut batch, &collection).session(session).await?;
                Ok(())
            })
            .await
            .unwrap();
    })
    .await;
    assert_eq!((runs, numbers(&batch)), (2, vec![4, 5]));

    session.start_transaction().await.unwrap();
    let mut refused = lines(["c", "taken", "d"]);
    let error =
        Line::insert_many_with_seq(&mut refused, &collection).session(&mut session).ordered(false).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Driver) && !error.contains_label(TRANSIENT_TRANSACTION_ERROR));
    assert_eq!((refusals(&error), error.number(), numbers(&refused)), (vec![(1, 11_000)], Some(6), vec![0, 0, 0]));
    session.abort_transaction().await.unwrap();
}

#[tokio::test]
async fn a_session_without_a_transaction_changes_nothing() {
    let (test, collection) = taken().await;
    let mut session = test.client.start_session().await.unwrap();
    let mut batch = lines(["a", "taken", "b"]);
    let insert = Line::insert_many_with_seq(&mut batch, &collection).session(&mut session).ordered(false);
    let error = insert.await.unwrap_err();
    assert_eq!(incomplete(&error), [vec![0, 2], vec![1], vec![]]);
    assert_eq!(numbers(&batch), [2, 0, 4]);
}

#[tokio::test]
async fn a_batch_that_does_not_fit_takes_nothing() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Few {
        #[auto_increment(max = 5)]
        number: i64,
    }
    let test = TestDb::new().await;
    let few: Collection<Few> = test.db.collection("few");
    let mut batch = [const { Few { number: 0 } }; 4];
    Few::insert_many_with_seq(&mut batch, &few).await.unwrap();
    for gapless in [false, true] {
        let insert = Few::insert_many_with_seq(&mut batch[..2], &few);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exhausted { value: 4, remaining: 1, .. }), "{error:?}");
    }
    Few::insert_many_with_seq(&mut batch[..1], &few).await.unwrap();
    assert_eq!(batch[0].number, 5);
}

/// Numbers that are in the data already are skipped, and what comes behind stays behind.
#[tokio::test]
async fn a_batch_passes_numbers_that_are_taken() {
    for (ordered, expected) in [(true, [3, 4, 8, 9, 10]), (false, [3, 4, 8, 6, 7])] {
        let test = TestDb::new().await;
        test.import("_id", [1, 2, 5]).await;
        test.set_counter("orders._id", 2_i64).await;
        let orders: Collection<Order> = test.db.collection("orders");
        let mut batch = vec![order(); 5];
        let result = Order::insert_many_with_seq(&mut batch, &orders).ordered(ordered).await.unwrap();
        let ids: Vec<_> = batch.iter().map(|order| order.id).collect();
        assert!((0..5).all(|index| result.inserted_ids[&index].as_i64() == Some(ids[index])));
        assert_eq!(test.ids().await, (1..=2).chain([5]).chain(ids.iter().copied()).collect());
        assert_eq!(ids, expected, "ordered: {ordered}");
    }
}

/// Free numbers before and between those that are taken are given, and nothing is lost if the batch is refused.
#[tokio::test]
async fn a_gapless_batch_passes_numbers_that_are_taken_and_leaves_no_hole() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Parcel {
        #[serde(rename = "_id")]
        #[auto_increment]
        id: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        item: Option<&'static str>,
    }
    for library in [true, false] {
        let test = TestDb::new().await;
        test.import("_id", [1, 2, 5, 7, 8, 1000]).await;
        let options = mongodb::options::IndexOptions::builder().unique(true).sparse(true).build();
        let parcels: Collection<Parcel> = test.db.collection("orders");
        let index = mongodb::IndexModel::builder().keys(doc! { "item": 1 }).options(options).build();
        parcels.create_index(index).await.unwrap();
        test.set_counter("orders._id", 2_i64).await;
        let mut session = test.client.start_session().await.unwrap();
        for (items, expected) in [([Some("a"), None, None, Some("a")], None), ([None; 4], Some([3, 4, 6, 9]))] {
            let mut batch = items.map(|item| Parcel { id: 0, item });
            let inserted = if library {
                Parcel::insert_many_with_seq(&mut batch, &parcels).gapless().await
            } else {
                session.start_transaction().await.unwrap();
                let inserted = Parcel::insert_many_with_seq(&mut batch, &parcels).session(&mut session).gapless().await;
                match &inserted {
                    Ok(_) => session.commit_transaction().await.unwrap(),
                    Err(_) => session.abort_transaction().await.unwrap(),
                }
                inserted
            };
            match expected {
                Some(expected) => assert_eq!(batch.map(|parcel| parcel.id), expected),
                None => assert!(inserted.unwrap_err().is_duplicate_key()),
            }
            assert_eq!(test.value("orders._id").await, Some(expected.map_or(2, |ids| ids[3])), "library: {library}");
        }
    }
}

/// With a run of taken numbers in the middle, longer than the batch.
#[tokio::test]
async fn a_gapless_batch_passes_a_long_run() {
    let test = TestDb::new().await;
    test.import("_id", 3..=5000).await;
    test.set_counter("orders._id", 0_i64).await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut batch = vec![order(); 4];
    test.sent.clear();
    Order::insert_many_with_seq(&mut batch, &orders).gapless().await.unwrap();
    assert!(batch.iter().map(|order| order.id).eq([1, 2, 5001, 5002]));
    assert!(test.sent.named("findAndModify").len() <= 4, "{:?}", test.sent.names());
}

#[tokio::test]
async fn a_batch_may_bring_some_numbers_along() {
    #[derive(Serialize, AutoIncrement)]
    struct Item {
        #[serde(rename = "_id")]
        #[auto_increment(by_default)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let items: Collection<Item> = test.db.collection("orders");
    let mut batch = [None, Some(100), None, Some(2), None].map(|id| Item { id });
    Item::insert_many_with_seq(&mut batch, &items).await.unwrap();
    assert_eq!(batch.map(|item| item.id), [Some(1), Some(100), Some(3), Some(2), Some(4)], "2 is passed over");
    assert_eq!(test.value("orders._id").await, Some(100));
    for (gapless, expected) in [(false, [101, 103, 50, 104]), (true, [105, 107, 51, 108])] {
        let mut batch = [None, None, Some(expected[2]), None].map(|id| Item { id });
        batch[0].id = Some(expected[0] + 1);
        let insert = Item::insert_many_with_seq(&mut batch, &items);
        if gapless { insert.gapless() } else { insert }.await.unwrap();
        let ids = batch.map(|item| item.id.unwrap());
        assert_eq!(ids, [expected[0] + 1, expected[0], expected[2], expected[1]]);
        assert_eq!(test.value("orders._id").await, Some(expected[1]));
        Item { id: None }.insert_with_seq(&items).await.unwrap();
    }
    assert_eq!(test.ids().await, [1, 2, 3, 4, 50, 51].into_iter().chain(100..=108).collect(), "and none is missing");
}

#[tokio::test]
async fn plain_and_gapless_numbers_of_a_batch() {
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    let mut batch = vec![invoice(); 3];
    Invoice::insert_many_with_seq(&mut batch, &invoices).await.unwrap();
    let seen: Vec<_> = batch.iter().map(|invoice| (invoice.id, invoice.serial_number)).collect();
    assert_eq!(seen, [(1000, 1), (1010, 2), (1020, 3)]);
}

#[tokio::test]
async fn documents_that_depend_on_their_number_are_stored_as_serde_says() {
    let test = TestDb::new().await;
    let pages: Collection<Page> = test.db.collection("pages");
    let mut batch = [const { Page { id: 0 } }; 2];
    Page::insert_many_with_seq(&mut batch, &pages).await.unwrap();
    Page::insert_many_with_seq(&mut batch, &pages).gapless().await.unwrap();
    let mut cursor = pages.clone_with_type::<Document>().find(doc! {}).await.unwrap();
    let mut seen = 0;
    while cursor.advance().await.unwrap() {
        let page = cursor.deserialize_current().unwrap();
        assert_eq!(page.get_str("slug").unwrap(), format!("page-{}", page.get_i64("id").unwrap()));
        seen += 1;
    }
    assert_eq!(seen, 4);
    // number 5 cannot be serialized: nothing of the batch is stored, and the counter's transaction is rolled back
    Page::insert_many_with_seq(&mut batch, &pages).gapless().await.unwrap_err();
    assert_eq!(test.value("pages.id").await, Some(4));
}

#[tokio::test]
async fn the_ids_of_documents_without_one_are_those_that_are_stored() {
    let (_test, collection) = taken().await;
    let mut batch = lines(["a", "b"]);
    let result = Line::insert_many_with_seq(&mut batch, &collection).await.unwrap();
    for (index, line) in batch.iter().enumerate() {
        let by_id = doc! { "_id": result.inserted_ids[&index].as_object_id().unwrap() };
        assert_eq!(collection.find_one(by_id).await.unwrap().as_ref(), Some(line));
    }
}

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

#[tokio::test]
async fn a_large_gapless_batch_is_one_transaction() {
    let test = TestDb::new().await;
    let collection: Collection<Line> = test.db.collection("lines");
    let mut batch = large();
    Line::insert_many_with_seq(&mut batch, &collection).gapless().await.unwrap();
    assert_eq!(numbers(&batch), [1, 2, 3, 4]);
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

#[tokio::test]
async fn a_document_that_cannot_be_stored_costs_the_batch_no_number() {
    let test = TestDb::new().await;
    let collection: Collection<Line> = test.db.collection("lines");
    let mut batch = lines(["a", ""]);
    batch[1].text = "x".repeat(16 << 20);
    for gapless in [false, true] {
        let insert = Line::insert_many_with_seq(&mut batch, &collection);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::DocumentTooLarge { .. }), "{error:?}");
    }
    assert!(test.sent.names().is_empty());
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

/// Numbers that cannot be repaired, to the end: the error says where.
#[tokio::test]
async fn documents_that_collide_to_the_end_are_reported_with_their_places() {
    fn named(number: i64) -> String {
        format!("N{number}")
    }
    #[derive(Serialize, AutoIncrement)]
    struct File {
        #[serde(rename = "_id")]
        #[auto_increment(format = named)]
        id: String,
    }
    let test = TestDb::new().await;
    let files: Collection<File> = test.db.collection("files");
    let file = || File { id: String::new() };
    file().insert_with_seq(&files).await.unwrap();
    let taken = (3..=20).map(|number| doc! { "_id": named(number) });
    files.clone_with_type::<Document>().insert_many(taken).await.unwrap();
    let mut batch = [file(), file()];
    let error = File::insert_many_with_seq(&mut batch, &files).await.unwrap_err();
    assert_eq!((incomplete(&error), refusals(&error)), ([vec![0], vec![1], vec![]], vec![(1, 11_000)]));
    assert!(error.to_string().contains("document 1: the server refused it with code 11000: E11000"), "{error}");
    assert!(!error.to_string().contains("RawDocumentBuf") && error.to_string().len() < 300, "{error}");
}

/// New scopes are found missing all at once, and not one by one from the beginning.
#[tokio::test]
async fn a_gapless_batch_over_many_new_scopes_is_made_in_two_runs() {
    #[derive(Serialize, AutoIncrement)]
    struct Scoped {
        tenant: i64,
        #[auto_increment(scope(tenant))]
        number: i64,
    }
    let test = TestDb::new().await;
    let scoped: Collection<Scoped> = test.db.collection("scoped");
    Scoped::ensure_sequences(&scoped).await.unwrap();
    let mut batch: Vec<Scoped> = (0..40).map(|tenant| Scoped { tenant, number: 0 }).collect();
    test.sent.clear();
    Scoped::insert_many_with_seq(&mut batch, &scoped).gapless().await.unwrap();
    assert!(batch.iter().all(|model| model.number == 1));
    // a miss, 40 creations, 40 numbers
    assert_eq!(test.sent.named("findAndModify").len(), 81);
}

#[tokio::test]
async fn without_an_acknowledgment_nothing_is_sent() {
    let test = TestDb::new().await;
    let mut options = mongodb::options::CollectionOptions::default();
    options.write_concern = Some(mongodb::options::WriteConcern::nodes(0));
    let orders: Collection<Order> = test.db.collection_with_options("orders", options);
    let error = order().insert_with_seq(&orders).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedCollection { .. }), "{error:?}");
    assert!(test.sent.names().is_empty());
}

#[derive(Clone, Debug, Serialize, AutoIncrement)]
struct Own {
    #[serde(rename = "_id")]
    #[auto_increment(by_default)]
    id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

fn own<const N: usize>(ids: [Option<i64>; N]) -> [Own; N] {
    ids.map(|id| Own { id, text: None })
}

fn ids(batch: &[Own]) -> Vec<i64> {
    batch.iter().map(|own| own.id.unwrap()).collect()
}

/// A number that the batch brings along, one that is stored, and the numbers between and behind them.
#[tokio::test]
async fn a_gapless_batch_passes_its_own_numbers_and_stored_ones() {
    for library in [true, false] {
        let test = TestDb::new().await;
        test.import("_id", [4]).await;
        test.set_counter("orders._id", 0_i64).await;
        let items: Collection<Own> = test.db.collection("orders");
        let mut session = test.client.start_session().await.unwrap();
        let mut batch = own([None, Some(2), None, None]);
        if library {
            Own::insert_many_with_seq(&mut batch, &items).gapless().await.unwrap();
        } else {
            session.start_transaction().await.unwrap();
            Own::insert_many_with_seq(&mut batch, &items).session(&mut session).gapless().await.unwrap();
            session.commit_transaction().await.unwrap();
        }
        assert_eq!((ids(&batch), test.value("orders._id").await), (vec![1, 2, 3, 5], Some(5)));
    }
}

/// The number of a document that is rolled back comes again.
#[tokio::test]
async fn a_refused_gapless_batch_loses_no_number_that_it_brought_along() {
    let test = TestDb::new().await;
    test.import("_id", [2]).await;
    test.set_counter("orders._id", 0_i64).await;
    let items: Collection<Own> = test.db.collection("orders");
    let options = mongodb::options::IndexOptions::builder().unique(true).sparse(true).build();
    let index = mongodb::IndexModel::builder().keys(doc! { "text": 1 }).options(options).build();
    items.create_index(index).await.unwrap();
    let mut batch = own([Some(1), None]);
    for own in &mut batch {
        own.text = Some("a");
    }
    let error = Own::insert_many_with_seq(&mut batch, &items).gapless().await.unwrap_err();
    assert!(error.is_duplicate_key(), "{error:?}");
    assert_eq!(test.value("orders._id").await, Some(0));
    let mut batch = own([None, None]);
    Own::insert_many_with_seq(&mut batch, &items).gapless().await.unwrap();
    assert_eq!(ids(&batch), [1, 3]);
}

/// At the end of all numbers, and of those that may be given: an error, and no search without end.
#[tokio::test]
async fn a_batch_at_the_limit_is_told_so() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Few {
        #[serde(rename = "_id")]
        #[auto_increment(by_default, max = 3)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let items: Collection<Own> = test.db.collection("items");
    own([Some(i64::MAX - 1)])[0].insert_with_seq(&items).await.unwrap();
    let error = Own::insert_many_with_seq(&mut own([Some(i64::MAX), None]), &items).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { .. }), "{error:?}");

    let few: Collection<Few> = test.db.collection("few");
    let mut batch = [None, Some(2), None, None].map(|id| Few { id });
    for gapless in [true, false] {
        let insert = Few::insert_many_with_seq(&mut batch, &few);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exhausted { limit: 3, .. }), "{error:?}");
    }
}

/// Every scope of the batch meets a number that is taken.
#[tokio::test]
async fn a_batch_over_many_scopes_passes_a_taken_number_in_each() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Scoped {
        tenant: i32,
        #[auto_increment(scope(tenant))]
        number: i64,
    }
    for way in 0..3 {
        let test = TestDb::new().await;
        let scoped: Collection<Scoped> = test.db.collection("scoped");
        Scoped::ensure_sequences(&scoped).await.unwrap();
        for tenant in 0..8 {
            let taken = doc! { "tenant": tenant, "number": 2 };
            scoped.clone_with_type::<Document>().insert_one(taken).await.unwrap();
            let key = doc! { "seq": "scoped.number", "tenant": tenant };
            test.counters().insert_one(doc! { "_id": key, "seq": 0_i64 }).await.unwrap();
        }
        let mut batch: Vec<Scoped> = (0..16).map(|n| Scoped { tenant: n / 2, number: 0 }).collect();
        let insert = Scoped::insert_many_with_seq(&mut batch, &scoped);
        match way {
            0 => insert.gapless().await.unwrap(),
            1 => insert.await.unwrap(),
            _ => insert.ordered(false).await.unwrap(),
        };
        assert_eq!(scoped.clone_with_type::<Document>().count_documents(doc! {}).await.unwrap(), 24);
        if way == 0 {
            assert!(batch.chunks(2).all(|pair| (pair[0].number, pair[1].number) == (1, 3)));
        }
    }
}

#[tokio::test]
async fn an_unknown_commit_tells_a_number_even_if_the_first_document_brings_its_own() {
    let test = TestDb::with_faults().await;
    let items: Collection<Own> = test.db.collection("orders");
    own([None])[0].insert_with_seq(&items).await.unwrap();
    let failure = doc! { "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" } };
    test.fail(&["commitTransaction"], "alwaysOn", failure).await;
    let mut batch = own([Some(50), None]);
    let call = Own::insert_many_with_seq(&mut batch, &items).gapless().time_limit(Duration::from_secs(1));
    let error = call.await.unwrap_err();
    test.fail(&["commitTransaction"], "off", doc! {}).await;
    assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
    assert_eq!(error.number(), Some(2));
}
