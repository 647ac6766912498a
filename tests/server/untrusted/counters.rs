//! 10,000 counters that hold anything, and every way to use one.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use mongo_sequence::{AutoIncrement, Error, ErrorKind, Fault, Sequence, SequencedCollection, SharedSequence};
use mongodb::{
    Client, Collection,
    bson::{Bson, Document, RawDocumentBuf, doc},
};
use serde::{Deserialize, Serialize};

use super::values::{Values, kind, whole};
use crate::support::TestDb;

const COUNTERS: usize = 10_000;
const AT_ONCE: usize = 16;
/// Where a counter is raised to and restarted.
const FAR: i64 = 1 << 40;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Bill {
    tenant: i32,
    #[auto_increment(scope(tenant))]
    number: i64,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Next,
    NextInTransaction,
    Reserve,
    Insert,
    InsertMany,
    Gapless,
    GaplessInTransaction,
    PlainInTransaction,
    GetOrInsert,
    Combined,
    CombinedGapless,
    Shared,
    Blocks,
    Current,
    Raise,
    Restart,
}

const WAYS: [Way; 16] = [
    Way::Next,
    Way::NextInTransaction,
    Way::Reserve,
    Way::Insert,
    Way::InsertMany,
    Way::Gapless,
    Way::GaplessInTransaction,
    Way::PlainInTransaction,
    Way::GetOrInsert,
    Way::Combined,
    Way::CombinedGapless,
    Way::Shared,
    Way::Blocks,
    Way::Current,
    Way::Raise,
    Way::Restart,
];

impl Way {
    /// How many numbers it takes; none if it looks at the counter or sets it.
    fn takes(self) -> i64 {
        match self {
            Self::Reserve | Self::InsertMany => 3,
            Self::Current | Self::Raise | Self::Restart => 0,
            _ => 1,
        }
    }

    fn inserts(self) -> bool {
        !matches!(
            self,
            Self::Next
                | Self::NextInTransaction
                | Self::Reserve
                | Self::Shared
                | Self::Blocks
                | Self::Current
                | Self::Raise
                | Self::Restart
        )
    }

    /// Uses the counter; returns the numbers it got, or else where the counter stands.
    async fn go(self, client: &Client, bills: &SequencedCollection<Bill>, tenant: i32) -> Result<Vec<i64>, Error> {
        let sequence = Bill::scoped_sequence(bills, "number", doc! { "tenant": tenant })?;
        let plain: &Collection<Bill> = bills;
        let mut bill = Bill { tenant, number: 0 };
        let mut session = client.start_session().await?;
        if matches!(self, Self::NextInTransaction | Self::GaplessInTransaction | Self::PlainInTransaction) {
            session.start_transaction().await?;
        }
        let done = match self {
            Self::Next => return Ok(vec![sequence.next_value().await?]),
            Self::Reserve => return Ok(sequence.reserve(3).await?.collect()),
            Self::Shared => return Ok(vec![SharedSequence::new(sequence).next_value().await?]),
            Self::Blocks => {
                return Ok(vec![SharedSequence::builder(sequence).block_size(8).build().next_value().await?]);
            }
            Self::Current => return Ok(sequence.current_value().await?.into_iter().collect()),
            Self::Raise => return Ok(vec![sequence.raise_to(FAR).await?]),
            Self::Restart => return sequence.restart(FAR).await.map(|()| vec![FAR - 1]),
            Self::NextInTransaction => sequence.next_value().session(&mut session).await.map(|n| bill.number = n),
            Self::Insert => bill.insert_with_seq(plain).await.map(drop),
            Self::Gapless => bill.insert_with_seq(plain).gapless().await.map(drop),
            Self::GaplessInTransaction => bill.insert_with_seq(plain).session(&mut session).gapless().await.map(drop),
            Self::PlainInTransaction => bill.insert_with_seq(plain).session(&mut session).await.map(drop),
            Self::GetOrInsert => bill.get_or_insert_with_seq(plain, doc! { "tenant": tenant }).await.map(drop),
            Self::Combined => bill.insert_with_seq(bills).await.map(drop),
            Self::CombinedGapless => bill.insert_with_seq(bills).gapless().await.map(drop),
            Self::InsertMany => {
                let mut batch = vec![bill; 3];
                Bill::insert_many_with_seq(&mut batch, plain).await?;
                return Ok(batch.into_iter().map(|bill| bill.number).collect());
            }
        };
        // also after an error, as a careless caller would
        let committed = session.commit_transaction().await;
        done?;
        if matches!(self, Self::NextInTransaction | Self::GaplessInTransaction | Self::PlainInTransaction) {
            committed?;
        }
        Ok(vec![bill.number])
    }
}

/// What a counter with this value has to answer: the numbers, or the beginning of an error's kind and what it found.
fn expected(way: Way, found: &Bson) -> Result<Vec<i64>, &'static str> {
    let value = whole(found).ok_or("CounterCorrupt")?;
    let numbers: Vec<i64> = match way {
        Way::Current => vec![value],
        Way::Raise => vec![value.max(FAR)],
        Way::Restart => vec![FAR - 1],
        _ => (1..=way.takes()).map(|n| value.checked_add(n).ok_or("Exhausted")).collect::<Result<_, _>>()?,
    };
    // the sum of a Double must be the number
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "this is what is asked")]
    let exact = |double: f64| (double + way.takes() as f64) as i128 == i128::from(value) + i128::from(way.takes());
    match *found {
        Bson::Double(double) if way.takes() > 0 && !exact(double) => Err("CounterCorrupt"),
        _ => Ok(numbers),
    }
}

/// A block is reserved whole, and its end may be no Double where its first number is one.
fn may_refuse(way: Way, found: &Bson) -> bool {
    matches!((way, found), (Way::Blocks, Bson::Double(double)) if *double > 2_f64.powi(53) - 100.0)
}

async fn by_tenant(collection: &Collection<RawDocumentBuf>) -> BTreeMap<i32, Vec<RawDocumentBuf>> {
    let mut found: BTreeMap<i32, Vec<RawDocumentBuf>> = BTreeMap::new();
    let mut cursor = collection.find(doc! {}).await.unwrap();
    while cursor.advance().await.unwrap() {
        let raw = cursor.current().to_owned();
        let document = Document::try_from(raw.clone()).unwrap();
        let key = document.get_document("_id").unwrap_or(&document);
        found.entry(key.get_i32("tenant").unwrap()).or_default().push(raw);
    }
    found
}

fn value(counter: &[RawDocumentBuf]) -> Bson {
    Document::try_from(counter[0].clone()).unwrap().remove("seq").unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_that_holds_anything_is_continued_exactly_or_left_as_it_is() {
    let test = TestDb::new().await;
    let plain: Collection<Bill> = test.db.collection("bills");
    Bill::ensure_sequences(&plain).await.unwrap();
    let counters = (0_i32..).zip(Values::new(1).take(COUNTERS));
    let counters = counters
        .map(|(tenant, value)| doc! { "_id": { "seq": "bills.number", "tenant": tenant }, "seq": value, "note": "x" });
    test.counters().insert_many(counters).await.unwrap();
    let stored = test.counters().clone_with_type();
    let before = by_tenant(&stored).await;
    assert_eq!(before.len(), COUNTERS);

    let listed = Sequence::list(&test.db).await.unwrap();
    assert_eq!(listed.len(), COUNTERS);
    for (listed, counter) in listed.iter().zip(before.values()) {
        assert_eq!(listed.value, whole(&value(counter)), "{listed:?}");
    }
    let report = Bill::verify_sequences(&plain).await.unwrap().remove(0);
    assert_eq!(report.counters.len(), COUNTERS);
    for told in &report.counters {
        let found = value(&before[&told.scope.get_i32("tenant").unwrap()]);
        let is_told = told
            .faults
            .iter()
            .any(|fault| matches!(fault, Fault::CounterCorrupt(what) if what.starts_with(&kind(&found))));
        assert_eq!((told.value, is_told), (whole(&found), whole(&found).is_none()), "{found:?}: {told:?}");
    }
    assert!(by_tenant(&stored).await == before, "nothing of this writes");

    let bills = SequencedCollection::new(plain.clone());
    let calls = before.keys().map(|&tenant| {
        let (client, bills) = (test.client.clone(), bills.clone());
        let way = WAYS[usize::try_from(tenant).unwrap() % WAYS.len()];
        async move {
            let answer = tokio::spawn(async move { way.go(&client, &bills, tenant).await }).await;
            (tenant, way, answer.unwrap_or_else(|panic| panic!("{way:?} of {tenant}: {panic}")))
        }
    });
    let answers: Vec<_> = stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;

    let after = by_tenant(&stored).await;
    let documents = by_tenant(&plain.clone_with_type()).await;
    let mut outcomes = BTreeSet::new();
    for (tenant, way, answer) in answers {
        let found = value(&before[&tenant]);
        let context = format!("{way:?} at {found:?}: {answer:?}");
        let numbers = match (expected(way, &found), answer) {
            (Ok(expected), Ok(numbers)) => {
                assert_eq!(numbers, expected, "{context}");
                numbers
            }
            (expected, Err(error)) if expected.is_err() || may_refuse(way, &found) => {
                let expected = expected.err().unwrap_or("CounterCorrupt");
                assert!(format!("{:?}", error.kind()).starts_with(expected), "{context}");
                if let ErrorKind::CounterCorrupt { found: told, .. } = error.kind() {
                    let message = error.to_string();
                    assert!(told.starts_with(&kind(&found)), "{context}");
                    assert!(message.contains(told) && message.contains("expected a whole number"), "{message}");
                    assert!(message.contains("set `seq` to the last number handed out"), "{message}");
                }
                assert!(after[&tenant] == before[&tenant], "{context}, and then {:?}", after[&tenant]);
                assert_eq!(error.number(), None, "{context}");
                assert!(!documents.contains_key(&tenant), "{context}");
                outcomes.insert((format!("{way:?}"), expected));
                continue;
            }
            (expected, _) => panic!("{context}, expected {expected:?}"),
        };
        outcomes.insert((format!("{way:?}"), "a number"));
        let now = whole(&value(&after[&tenant]));
        assert!(after[&tenant][0].get_str("note").is_ok_and(|note| note == "x"), "{context}");
        match (way, numbers.last()) {
            (Way::Blocks, last) => assert!(now >= last.copied(), "{context}, and then {now:?}"),
            (_, last) => assert_eq!(now, last.copied(), "{context}"),
        }
        let inserted = documents.get(&tenant).into_iter().flatten();
        let inserted: Vec<i64> = inserted.map(|raw| raw.get_i64("number").unwrap()).collect();
        assert_eq!(inserted, if way.inserts() { numbers } else { Vec::new() }, "{context}");
    }
    assert!(outcomes.len() >= WAYS.len() * 3 - 3, "every way has met everything: {outcomes:?}");
}
