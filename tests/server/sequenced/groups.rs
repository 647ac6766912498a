//! What befalls a group befalls each of its members as if it had been alone.

use std::{collections::BTreeSet, future::IntoFuture};

use futures_util::future::join_all;
use mongo_sequence::{
    AutoIncrement, Error, ErrorKind, InsertWithSeq, InsertWithSeqFuture, Sequence, SequencedCollection, SharedSequence,
};
use mongodb::bson::doc;

use super::{Line, insert_all, line, lines};
use crate::{
    models::{Invoice, Order, invoice, order},
    support::TestDb,
};

/// Each hears of its own number, which may be stored, and keeps its field as it was.
#[tokio::test]
async fn an_unknown_commit_is_everybodys_and_tells_each_its_number() {
    let (test, lines) = lines().await;
    let unconfirmed = doc! { "writeConcernError": { "code": 79, "errmsg": "injected" } };
    test.fail(&["commitTransaction"], doc! { "times": 1 }, unconfirmed).await;
    let outcomes = insert_all(&lines, ["a", "b", "c"].map(str::to_owned), true).await; // looks at the fields, too
    let errors: Vec<_> = outcomes.into_iter().map(Result::unwrap_err).collect();
    assert!(errors.iter().all(|error| matches!(error.kind(), ErrorKind::UnknownOutcome { .. })), "{errors:?}");
    assert_eq!(errors.iter().map(Error::number).collect::<Vec<_>>(), [Some(2), Some(3), Some(4)]);
    assert_eq!(test.numbers("lines", "number").await, (1..=4).collect());
    assert_eq!(test.sent.named("insert").len(), 1, "nothing is stored under another number");
}

fn call(insert: InsertWithSeq<'_, Line>, gapless: bool) -> InsertWithSeqFuture<'_> {
    if gapless { insert.gapless() } else { insert }.into_future()
}

/// Whoever is told that a text is there already, finds it there, even if the first who brought it has gone.
#[tokio::test]
async fn a_duplicate_of_one_who_is_gone_is_none() {
    for gapless in [false, true] {
        let (test, lines) = lines().await;
        let (mut gone, mut twin) = (line("twin"), line("twin"));
        let mut first = call(gone.insert_with_seq(&lines), gapless);
        assert!(futures_util::poll!(&mut first).is_pending());
        let mut second = call(twin.insert_with_seq(&lines), gapless);
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(first);
        let told = second.await.map(drop);
        let stored = lines.count_documents(doc! { "text": "twin" }).await.unwrap();
        assert_eq!(stored, 1, "{told:?}");
        assert_eq!(told.is_ok(), twin.number != 0);
        if gapless {
            assert_eq!(test.numbers("lines", "number").await, [1, 2].into());
        }
    }
}

/// A transaction of a caller's own that holds the counter ends a group after a while, in the words that a lone call hears.
#[tokio::test]
async fn a_group_behind_a_callers_own_transaction_is_told_so() {
    let test = TestDb::new().await;
    let orders = SequencedCollection::new(test.db.collection::<Order>("orders"));
    order().insert_with_seq(&orders).gapless().await.unwrap();
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    order().insert_with_seq(&orders).session(&mut session).gapless().await.unwrap();
    let behind = join_all((0..5).map(|_| async { order().insert_with_seq(&orders).gapless().await.map(drop) })).await;
    for outcome in behind {
        let error = outcome.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CounterHeld { .. }), "{error:?}");
    }
    session.commit_transaction().await.unwrap();
    order().insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(test.ids().await, [1, 2, 3].into());
}

/// Numbers that may have gaps are taken before the transaction, and once, however often it is repeated.
#[tokio::test]
async fn a_repeated_transaction_keeps_its_plain_numbers() {
    let test = TestDb::with_faults().await;
    let invoices = SequencedCollection::new(test.db.collection::<Invoice>("invoices"));
    invoice().insert_with_seq(&invoices).await.unwrap();
    test.sent.clear();
    test.with_conflict_on_insert(async || {
        invoice().insert_with_seq(&invoices).await.unwrap();
    })
    .await;
    let moved = test.sent.named("findAndModify");
    let of = |name: &str| {
        moved
            .iter()
            .filter(|sent| sent.get_document("query").unwrap().get_str("_id").is_ok_and(|id| id == name))
            .count()
    };
    assert_eq!((of("invoices._id"), of("invoices.serialNumber")), (1, 2));
    let ids: BTreeSet<i64> = test.numbers("invoices", "_id").await;
    assert_eq!(ids, [1000, 1010].into());
}

/// Many who come at once to a handle without a number share the command that fetches the block.
#[tokio::test]
async fn many_who_meet_an_empty_block_share_its_refill() {
    let test = TestDb::new().await;
    let tickets = Sequence::new(&test.db, "tickets").start(1);
    assert_eq!(tickets.next_value().await.unwrap(), 1);
    let shared = SharedSequence::builder(tickets).block_size(100).build();
    test.sent.clear();
    let numbers = join_all((0..100).map(|_| async { shared.next_value().await.unwrap() })).await;
    assert_eq!(numbers.into_iter().collect::<BTreeSet<_>>(), (2..=101).collect());
    assert!(test.sent.named("findAndModify").len() <= 2);
}
