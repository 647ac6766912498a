//! `SequencedCollection`: callers that wait at the same time share round trips, and nothing else.

mod faults;
mod groups;
mod runtimes;

use std::collections::BTreeSet;

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, Error, ErrorKind, SequencedCollection};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize};

use crate::{
    models::{Invoice, Order, Page, invoice, order},
    support::{TestDb, code},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Line {
    text: String,
    #[auto_increment]
    number: i64,
}

fn line(text: impl Into<String>) -> Line {
    Line { text: text.into(), number: 0 }
}

/// A collection of lines in which no text is stored twice.
async fn lines() -> (TestDb, SequencedCollection<Line>) {
    let test = TestDb::with_faults().await;
    let collection = test.db.collection("lines");
    test.unique_index("lines", doc! { "text": 1 }).await;
    test.unique_index_named("lines", doc! { "number": 1 }, "number").await;
    line("first").insert_with_seq(&collection).await.unwrap();
    test.sent.clear();
    (test, SequencedCollection::new(collection))
}

/// Inserts all of them at once; the numbers, or the errors.
async fn insert_all(
    lines: &SequencedCollection<Line>,
    texts: impl IntoIterator<Item = String>,
    gapless: bool,
) -> Vec<Result<i64, Error>> {
    join_all(texts.into_iter().map(|text| {
        let lines = lines.clone();
        async move {
            let mut line = line(text);
            let insert = line.insert_with_seq(&lines);
            let inserted = if gapless { insert.gapless() } else { insert }.await;
            assert!(inserted.is_ok() == (line.number != 0), "{line:?}");
            inserted.map(|_| line.number)
        }
    }))
    .await
}

#[tokio::test]
async fn those_who_wait_share_commands_and_a_lone_caller_sends_its_own() {
    for gapless in [false, true] {
        let (test, lines) = lines().await;
        let numbers = insert_all(&lines, (0..200).map(|n| n.to_string()), gapless).await;
        let numbers: BTreeSet<i64> = numbers.into_iter().map(Result::unwrap).collect();
        assert_eq!(numbers, (2..=201).collect());
        assert_eq!(test.numbers("lines", "number").await, (1..=201).collect());
        let (moves, inserts) = (test.sent.named("findAndModify").len(), test.sent.named("insert").len());
        assert!(moves <= 4 && inserts <= 4, "{moves} and {inserts} commands, gapless: {gapless}");
        test.sent.clear();
        let alone = insert_all(&lines, ["alone".to_owned()], gapless).await;
        assert_eq!(alone[0].as_ref().ok(), Some(&202));
        let expected: &[&str] =
            if gapless { &["findAndModify", "insert", "commitTransaction"] } else { &["findAndModify", "insert"] };
        assert_eq!(test.sent.names(), expected);
    }
}

#[tokio::test]
async fn numbers_follow_the_order_of_the_queue() {
    for gapless in [false, true] {
        let (_test, lines) = lines().await;
        let numbers = insert_all(&lines, (0..50).map(|n| n.to_string()), gapless).await;
        let numbers: Vec<i64> = numbers.into_iter().map(Result::unwrap).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
    }
}

/// As if it had been alone, and the others as if it had not been there.
#[tokio::test]
async fn a_refused_document_fails_alone_with_the_error_it_would_have_had() {
    for gapless in [false, true] {
        for bad in [1, 5, 40] {
            let (test, lines) = lines().await;
            let collection: &Collection<Line> = &lines;
            let alone = line("first").insert_with_seq(collection).gapless().await.unwrap_err();
            test.sent.clear();
            let texts = (0..40).map(|n| if n % (40 / bad) == 0 { "first".to_owned() } else { n.to_string() });
            let outcomes = insert_all(&lines, texts, gapless).await;
            let errors: Vec<&Error> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
            assert_eq!(errors.len(), bad);
            for error in errors {
                assert_eq!((code(error), error.number().is_some()), (Some(11_000), !gapless), "{error:?}");
                assert_eq!(error.to_string(), alone.to_string());
            }
            let stored = test.numbers("lines", "number").await;
            assert_eq!(stored.len(), 41 - bad);
            if gapless {
                let last = i64::try_from(41 - bad).unwrap();
                assert_eq!((stored, test.value("lines.number").await), ((1..=last).collect(), Some(last)));
                let inserts = test.sent.named("insert");
                assert!(inserts.len() <= 3 * bad + 4, "{} transactions for {bad} refused documents", inserts.len());
                let sent: usize = inserts.iter().map(|sent| sent.get_array("documents").unwrap().len()).sum();
                assert!(sent <= 4 * 40, "{sent} documents sent for 40, of which {bad} were refused");
            } else {
                assert!(test.sent.named("insert").len() <= 3);
            }
        }
    }
}

/// Y is told of a duplicate only if it is one when X, who stands before it with the same text, is stored.
#[tokio::test]
async fn two_of_a_group_with_one_text_are_told_apart() {
    for gapless in [false, true] {
        let (test, lines) = lines().await;
        let outcomes = insert_all(&lines, ["a", "b", "a", "c"].map(str::to_owned), gapless).await;
        assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
        if gapless {
            assert_eq!(test.numbers("lines", "number").await, (1..=4).collect());
        }
    }
}

#[tokio::test]
async fn a_group_passes_numbers_that_are_in_the_data() {
    for gapless in [false, true] {
        let (test, lines) = lines().await;
        let imported = [3_i64, 4, 7].map(|number| doc! { "text": format!("imported {number}"), "number": number });
        lines.clone_with_type::<Document>().insert_many(imported).await.unwrap();
        let outcomes = insert_all(&lines, (0..10).map(|n| n.to_string()), gapless).await;
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        let stored = test.numbers("lines", "number").await;
        assert_eq!(stored.len(), 14);
        if gapless {
            assert_eq!(stored, (1..=14).collect());
        }
    }
}

#[tokio::test]
async fn where_too_few_numbers_are_left_the_first_callers_get_them() {
    #[derive(Serialize, AutoIncrement)]
    struct Few {
        #[auto_increment(max = 5)]
        number: i64,
    }
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let few = SequencedCollection::new(test.db.collection::<Few>("few"));
        let outcomes = join_all((0..8).map(|_| {
            let few = few.clone();
            async move {
                let mut model = Few { number: 0 };
                let insert = model.insert_with_seq(&few);
                if gapless { insert.gapless() } else { insert }.await.map(|_| model.number)
            }
        }))
        .await;
        let served: Vec<i64> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok().copied()).collect();
        assert_eq!(served, [1, 2, 3, 4, 5], "gapless: {gapless}");
        for error in outcomes.iter().skip(5) {
            let error = error.as_ref().unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Exhausted { value: 5, remaining: 0, .. }), "{error:?}");
        }
    }
}

#[tokio::test]
async fn scopes_share_the_insert_and_fail_on_their_own() {
    #[derive(Serialize, AutoIncrement)]
    struct Bill {
        tenant: usize,
        #[auto_increment(scope(tenant))]
        number: i64,
    }
    for gapless in [false, true] {
        let test = TestDb::new().await;
        let bills = SequencedCollection::new(test.db.collection::<Bill>("bills"));
        Bill::ensure_sequences(&bills).await.unwrap();
        let corrupt = doc! { "_id": { "seq": "bills.number", "tenant": 3 }, "seq": "no number" };
        test.counters().insert_one(corrupt).await.unwrap();
        let outcomes = join_all((0..60).map(|n| {
            let bills = bills.clone();
            async move {
                let mut bill = Bill { tenant: n % 6, number: 0 };
                let insert = bill.insert_with_seq(&bills);
                let inserted = if gapless { insert.gapless() } else { insert }.await;
                (bill.tenant, inserted.map(|_| bill.number))
            }
        }))
        .await;
        for tenant in 0..6 {
            let of_tenant = outcomes.iter().filter(|(of, _)| *of == tenant).map(|(_, outcome)| outcome);
            if tenant == 3 {
                assert!(of_tenant.into_iter().all(|outcome| {
                    matches!(outcome.as_ref().unwrap_err().kind(), ErrorKind::CounterCorrupt { .. })
                }));
            } else {
                let numbers: BTreeSet<i64> = of_tenant.map(|outcome| *outcome.as_ref().unwrap()).collect();
                assert_eq!(numbers, (1..=10).collect(), "gapless: {gapless}");
            }
        }
    }
}

#[tokio::test]
async fn a_model_with_two_numbers_uses_each_in_its_own_way() {
    let test = TestDb::new().await;
    let invoices = SequencedCollection::new(test.db.collection::<Invoice>("invoices"));
    let seen = join_all((0..30).map(|_| {
        let invoices = invoices.clone();
        async move {
            let mut invoice = invoice();
            invoice.insert_with_seq(&invoices).await.unwrap();
            (invoice.id, invoice.serial_number)
        }
    }))
    .await;
    let (ids, serials): (BTreeSet<_>, BTreeSet<_>) = seen.into_iter().unzip();
    assert_eq!(ids, (0..30).map(|n| 1000 + 10 * n).collect());
    assert_eq!(serials, (1..=30).collect());
}

/// Several processes, here clients, compete for one counter without a gap.
#[tokio::test]
async fn groups_of_several_clients_share_a_counter() {
    let test = TestDb::new().await;
    let clients: Vec<_> = (0..3).map(|_| test.another_client()).collect();
    let calls = clients.iter().flat_map(|(_, db)| {
        let orders = SequencedCollection::new(db.collection::<Order>("orders"));
        (0..40).map(move |_| {
            let orders = orders.clone();
            async move { order().insert_with_seq(&orders).gapless().await.map(drop) }
        })
    });
    for call in join_all(calls).await {
        call.unwrap();
    }
    assert_eq!((test.ids().await, test.value("orders._id").await), ((1..=120).collect(), Some(120)));
}

/// What does not suit a group goes alone, and gives the same.
#[tokio::test]
async fn what_cannot_be_shared_goes_alone() {
    #[derive(Serialize, AutoIncrement)]
    struct Item {
        #[serde(rename = "_id")]
        #[auto_increment(by_default)]
        id: Option<i64>,
    }
    let test = TestDb::new().await;
    let pages = SequencedCollection::new(test.db.collection::<Page>("pages"));
    for (way, expected) in (1..=4).enumerate() {
        let mut page = Page { id: 0 };
        let insert = page.insert_with_seq(&pages);
        if way % 2 == 0 { insert } else { insert.gapless() }.await.unwrap();
        assert_eq!(page.id, expected);
    }
    let slugs = pages.clone_with_type::<Document>().count_documents(doc! { "slug": "page-4" }).await.unwrap();
    assert_eq!(slugs, 1);
    let items = SequencedCollection::new(test.db.collection::<Item>("orders"));
    for (own, expected) in [(Some(7), 7), (None, 8)] {
        let mut item = Item { id: own };
        item.insert_with_seq(&items).await.unwrap();
        assert_eq!(item.id, Some(expected));
    }
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut item = Item { id: None };
    item.insert_with_seq(&items).session(&mut session).gapless().await.unwrap();
    session.abort_transaction().await.unwrap();
    assert_eq!(test.value("orders._id").await, Some(8));
    let mut batch = [None, None].map(|id| Item { id });
    Item::insert_many_with_seq(&mut batch, &items).await.unwrap();
    assert_eq!(batch.map(|item| item.id), [Some(9), Some(10)]);
}

/// A group of 90 MB: as many transactions as it takes.
#[tokio::test]
async fn large_documents_go_out_in_several_groups() {
    let test = TestDb::new().await;
    let lines = SequencedCollection::new(test.db.collection::<Line>("lines"));
    for gapless in [false, true] {
        test.sent.clear();
        let outcomes = insert_all(&lines, (0..6).map(|n| n.to_string().repeat(15_000_000)), gapless).await;
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        assert!(test.sent.named("insert").len() >= 2);
    }
    assert_eq!(test.numbers("lines", "number").await, (1..=12).collect());
}

/// Each new scope has a queue of its own, which is gone soon.
#[tokio::test]
async fn many_scopes_one_after_another() {
    #[derive(Serialize, AutoIncrement)]
    struct Bill {
        tenant: i32,
        #[auto_increment(scope(tenant))]
        number: i64,
    }
    let test = TestDb::new().await;
    let bills = SequencedCollection::new(test.db.collection::<Bill>("bills"));
    Bill::ensure_sequences(&bills).await.unwrap();
    for tenant in 0..150 {
        let mut bill = Bill { tenant, number: 0 };
        bill.insert_with_seq(&bills).gapless().await.unwrap();
        assert_eq!(bill.number, 1);
    }
    let mut again = Bill { tenant: 7, number: 0 };
    again.insert_with_seq(&bills).gapless().await.unwrap();
    assert_eq!(again.number, 2);
}
