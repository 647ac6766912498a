//! 10,000 documents with anything in the numbered field, looked at, continued and filled in.

use std::collections::BTreeMap;

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{
    Collection,
    bson::{Bson, Document, RawDocumentBuf, doc},
};
use serde::{Deserialize, Serialize};

use super::values::Values;
use crate::support::TestDb;

const DOCUMENTS: usize = 10_000;
const LAST: i64 = 1 << 40;
/// The smallest Decimal128 that is beyond every Int64 has so many digits.
const DIGITS: usize = 19;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Order {
    #[auto_increment(max = 1_099_511_627_776)]
    number: i64,
}

#[derive(Debug, PartialEq)]
enum Read {
    Nothing,
    Whole(i64),
    /// Of a number, below which lies this whole one.
    Fraction(i64),
    /// A number that no sequence has.
    Far,
    NoNumber,
}

/// What is to be made of a value, without the server.
fn read(value: Option<&Bson>) -> Read {
    match value {
        None | Some(Bson::Null | Bson::Undefined) => Read::Nothing,
        Some(Bson::Int32(number)) => Read::Whole((*number).into()),
        Some(Bson::Int64(number)) => Read::Whole(*number),
        Some(Bson::Double(double)) if !double.is_finite() => Read::NoNumber,
        Some(Bson::Double(double)) => {
            let whole = double.fract() == 0.0;
            if double.abs() >= 2_f64.powi(62) {
                return Read::Far;
            }
            #[allow(clippy::cast_possible_truncation, reason = "it is small enough")]
            let floor = double.floor() as i64;
            if whole { Read::Whole(floor) } else { Read::Fraction(floor) }
        }
        Some(Bson::Decimal128(decimal)) => of_decimal(&decimal.to_string()),
        Some(_) => Read::NoNumber,
    }
}

/// `-12.50`, `5E+3`, `NaN`.
fn of_decimal(text: &str) -> Read {
    let (digits, exponent) = text.split_once('E').unwrap_or((text, "0"));
    let Ok(exponent) = exponent.parse::<i64>() else { return Read::NoNumber };
    let negative = digits.starts_with('-');
    let (before, behind) =
        digits.trim_start_matches('-').split_once('.').unwrap_or((digits.trim_start_matches('-'), ""));
    let all = format!("{before}{behind}");
    if !all.bytes().all(|digit| digit.is_ascii_digit()) {
        return Read::NoNumber;
    }
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Read::Whole(0);
    }
    let zeros = i64::try_from(all.len() - all.trim_end_matches('0').len()).unwrap();
    let power = exponent - i64::try_from(behind.len()).unwrap() + zeros;
    let length = i64::try_from(significant.len()).unwrap() + power;
    if length > i64::try_from(DIGITS).unwrap() - 1 {
        return if power >= 0 { Read::Far } else { Read::Fraction(if negative { i64::MIN } else { i64::MAX }) };
    }
    let whole: i64 = if length <= 0 {
        0
    } else {
        let length = usize::try_from(length).unwrap();
        format!("{significant:0<length$}")[..length].parse().unwrap()
    };
    match (power >= 0, negative) {
        (true, false) => Read::Whole(whole),
        (true, true) => Read::Whole(-whole),
        (false, false) => Read::Fraction(whole),
        (false, true) => Read::Fraction(-whole - 1),
    }
}

async fn stored(orders: &Collection<Order>) -> BTreeMap<i32, RawDocumentBuf> {
    let mut found = BTreeMap::new();
    let mut cursor = orders.clone_with_type::<RawDocumentBuf>().find(doc! { "_id": { "$type": "int" } }).await.unwrap();
    while cursor.advance().await.unwrap() {
        let raw = cursor.current().to_owned();
        found.insert(raw.get_i32("_id").unwrap(), raw);
    }
    found
}

fn number(raw: &RawDocumentBuf) -> Option<Bson> {
    Document::try_from(raw.clone()).unwrap().remove("number")
}

#[tokio::test]
async fn numbers_of_any_type_are_told_continued_and_left_as_they_are() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let values = (0_i32..).zip(Values::new(2).take(DOCUMENTS));
    let documents: Vec<Document> = values.map(|(id, value)| doc! { "_id": id, "number": value }).collect();
    let raw = orders.clone_with_type::<Document>();
    raw.insert_many(&documents).await.unwrap();

    // many have one number
    let error = Order::ensure_sequences(&orders).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::DuplicateNumbers { .. }), "{error:?}");
    let dry = Order::ensure_sequences(&orders).dry_run().await.unwrap_err();
    assert!(matches!(dry.kind(), ErrorKind::DuplicateNumbers { .. }), "{dry:?}");
    let unindexed = Order::verify_sequences(&orders).await.unwrap().remove(0);
    let duplicates: u64 = unindexed.counters.iter().map(|counter| counter.duplicates).sum();
    assert!(duplicates > 0, "{unindexed}");

    // what a unique index leaves of them
    orders.drop().await.unwrap();
    Order::ensure_sequences(&orders).await.unwrap();
    test.counters().delete_many(doc! {}).await.unwrap();
    raw.insert_many(&documents).ordered(false).await.unwrap_err();
    let before = stored(&orders).await;
    let reads: Vec<Read> = before.values().map(|raw| read(number(raw).as_ref())).collect();
    let count = |is: &dyn Fn(&Read) -> bool| u64::try_from(reads.iter().filter(|read| is(read)).count()).unwrap();
    let in_range = |number: i64| (1..=LAST).contains(&number);
    let counted = count(&|read| matches!(read, Read::Whole(number) if in_range(*number)));
    let nothing = count(&|read| *read == Read::Nothing);
    let strays = count(&|read| matches!(read, Read::Fraction(_) | Read::NoNumber));
    assert!(counted > 100 && nothing > 100 && strays > 100 && before.len() > DOCUMENTS / 2);
    Order::ensure_sequences(&orders).dry_run().await.unwrap();
    for report in [unindexed, Order::verify_sequences(&orders).await.unwrap().remove(0)] {
        if report.indexed {
            let found = (report.documents, report.without_number, report.not_a_number, report.outside);
            let outside = u64::try_from(before.len()).unwrap() - counted - nothing - strays;
            assert_eq!(found, (counted, nothing, strays, outside), "{report}");
        }
        assert_eq!(report.first_not_a_number.len(), 20);
        for id in &report.first_not_a_number {
            let found = read(documents[usize::try_from(id.as_i32().unwrap()).unwrap()].get("number"));
            assert!(matches!(found, Read::Fraction(_) | Read::NoNumber), "{id}: {found:?}");
        }
    }
    assert!(stored(&orders).await == before, "nothing of this writes");

    // the next number lies behind all that the sequence can hand out, fractions too
    let furthest = reads.iter().filter_map(|read| match read {
        Read::Whole(number) | Read::Fraction(number) if in_range(*number) => Some(*number),
        _ => None,
    });
    let furthest = furthest.max().unwrap();
    let mut order = Order { number: 0 };
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.number, furthest + 1);
    order.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!(order.number, furthest + 2);

    let filled = Order::backfill_sequences(&orders).await.unwrap();
    assert_eq!(filled.numbered, nothing, "{filled:?}");
    let after = stored(&orders).await;
    for (id, raw) in &before {
        match read(number(raw).as_ref()) {
            Read::Nothing => assert!(after[id].get_i64("number").unwrap() > furthest + 2, "{id}"),
            _ => assert!(after[id] == *raw, "{id}: {raw:?}, and then {:?}", after[id]),
        }
    }
    assert_eq!(test.value("orders.number").await, Some(furthest + 2 + i64::try_from(nothing).unwrap()));
}
