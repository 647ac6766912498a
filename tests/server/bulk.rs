//! Many documents with one call.

mod parts;
mod taken;

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
