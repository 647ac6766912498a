//! Stored values that a function makes of the numbers, and sequences that several models share.

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
};
use serde::{Deserialize, Serialize};

use crate::support::{TestDb, code};

fn slug(number: i64) -> String {
    const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut rest = usize::try_from(number).unwrap();
    let mut slug = Vec::new();
    while rest > 0 || slug.is_empty() {
        slug.insert(0, DIGITS[rest % 62]);
        rest /= 62;
    }
    String::from_utf8(slug).unwrap()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Link {
    #[serde(rename = "_id")]
    #[auto_increment(format = slug, start = 60)]
    slug: String,
    url: String,
}

fn link() -> Link {
    Link { slug: String::new(), url: "https://example.com".to_owned() }
}

#[tokio::test]
async fn a_format_makes_the_stored_value_in_every_mode() {
    let test = TestDb::new().await;
    let links: Collection<Link> = test.db.collection("links");
    let mut session = test.client.start_session().await.unwrap();
    let mut seen = Vec::new();
    for way in 0..3 {
        let mut link = link();
        let result = match way {
            0 => link.insert_with_seq(&links).await.unwrap(),
            1 => link.insert_with_seq(&links).gapless().await.unwrap(),
            _ => {
                session.start_transaction().await.unwrap();
                let inserted = link.insert_with_seq(&links).session(&mut session).gapless().await.unwrap();
                session.commit_transaction().await.unwrap();
                inserted
            }
        };
        assert_eq!(result.inserted_id, Bson::String(link.slug.clone()));
        assert_eq!(links.find_one(doc! { "_id": &link.slug }).await.unwrap().as_ref(), Some(&link));
        seen.push(link.slug);
    }
    let mut batch = vec![link(); 2];
    Link::insert_many_with_seq(&mut batch, &links).await.unwrap();
    seen.extend(batch.into_iter().map(|link| link.slug));
    assert_eq!(seen, ["Y", "Z", "10", "11", "12"]);
    assert_eq!(test.value("links._id").await, Some(64));
}

/// "Z" is the furthest text, and the number behind "12" was not 64: nothing is read back.
#[tokio::test]
async fn a_missing_counter_of_formatted_numbers_is_an_error_once_there_are_any() {
    let test = TestDb::new().await;
    let links: Collection<Link> = test.db.collection("links");
    link().insert_with_seq(&links).await.unwrap();
    test.counters().delete_many(doc! {}).await.unwrap();
    for gapless in [false, true] {
        let mut link = link();
        let insert = link.insert_with_seq(&links);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
        assert!(error.to_string().contains("`raise_to`"), "{error}");
        assert_eq!((link, test.counter("links._id").await), (self::link(), None));
    }
    let error = Link::ensure_sequences(&links).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
    // what the message says
    let sequence = Link::sequence(&links, "slug").unwrap();
    sequence.raise_to(60).await.unwrap();
    let mut next = link();
    next.insert_with_seq(&links).await.unwrap();
    assert_eq!(next.slug, "Z");
    let error = sequence.restart(60).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{error:?}");
    links.delete_many(doc! {}).await.unwrap();
    sequence.restart(60).await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 60);
}

/// Other types than text, and documents that are not numbered yet.
#[tokio::test]
async fn what_is_no_formatted_number_does_not_keep_a_sequence_from_starting() {
    fn scrambled(number: i64) -> i64 {
        number ^ 0x5_5555
    }
    fn bytes(number: i64) -> [u8; 2] {
        [u8::try_from(number).unwrap(), 0]
    }
    #[derive(Serialize, AutoIncrement)]
    struct Scrambled {
        #[auto_increment(format = scrambled)]
        code: i64,
    }
    #[derive(Serialize, AutoIncrement)]
    struct Bytes {
        #[auto_increment(format = bytes)]
        code: [u8; 2],
    }
    let test = TestDb::new().await;
    test.import("code", [Bson::Null]).await;
    test.import("other", [1]).await;
    let mut first = Scrambled { code: 0 };
    first.insert_with_seq(&test.db.collection("orders")).await.unwrap();
    assert_eq!(first.code, scrambled(1));
    test.counters().delete_many(doc! {}).await.unwrap();
    let error = first.insert_with_seq(&test.db.collection("orders")).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "a number is not read as one: {error:?}");

    let codes: Collection<Bytes> = test.db.collection("codes");
    codes.clone_with_type::<Document>().insert_one(doc! { "code": null }).await.unwrap();
    let mut bytes = Bytes { code: [0, 0] };
    bytes.insert_with_seq(&codes).await.unwrap();
    assert_eq!(bytes.code, [1, 0]);
    test.counters().delete_many(doc! {}).await.unwrap();
    let error = bytes.insert_with_seq(&codes).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
}

/// The counter cannot be repaired from it, so the caller hears of the collision.
#[tokio::test]
async fn a_formatted_number_that_is_taken_is_the_callers_error() {
    let test = TestDb::new().await;
    let links: Collection<Link> = test.db.collection("links");
    link().insert_with_seq(&links).await.unwrap();
    links.clone_with_type::<Document>().insert_one(doc! { "_id": "Z" }).await.unwrap();
    for gapless in [true, false] {
        let mut taken = link();
        let insert = taken.insert_with_seq(&links);
        let error = if gapless { insert.gapless() } else { insert }.await;
        match error {
            Err(error) => assert!(gapless && code(&error) == Some(11_000), "{error:?}"),
            Ok(_) => assert_eq!((gapless, &*taken.slug), (false, "10"), "outside, the next number is another one"),
        }
    }
}

#[tokio::test]
async fn a_format_in_a_scope_has_an_index_of_its_own_kind() {
    fn number(number: i64) -> String {
        format!("{number:06}")
    }
    #[derive(Serialize, AutoIncrement)]
    struct Invoice {
        tenant: &'static str,
        year: i32,
        #[auto_increment(scope(tenant, year), format = number, gapless)]
        number: String,
    }
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    Invoice::ensure_sequences(&invoices).await.unwrap();
    let mut seen = Vec::new();
    for (tenant, year) in [("a", 2026), ("a", 2027), ("a", 2026), ("b", 2026)] {
        let mut invoice = Invoice { tenant, year, number: String::new() };
        invoice.insert_with_seq(&invoices).await.unwrap();
        seen.push(invoice.number);
    }
    assert_eq!(seen, ["000001", "000001", "000002", "000001"]);
    test.counters().delete_many(doc! {}).await.unwrap();
    let mut known = Invoice { tenant: "a", year: 2026, number: String::new() };
    let error = known.insert_with_seq(&invoices).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
    let mut new = Invoice { tenant: "a", year: 2028, number: String::new() };
    new.insert_with_seq(&invoices).await.unwrap();
    assert_eq!(new.number, "000001");
}

#[derive(Clone, Debug, PartialEq, Serialize, AutoIncrement)]
struct Letter {
    #[serde(rename = "_id")]
    #[auto_increment(name = "documents", shared)]
    id: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, AutoIncrement)]
struct Contract {
    #[auto_increment(name = "documents", shared)]
    number: i64,
}

#[tokio::test]
async fn models_that_share_a_name_share_the_numbers() {
    let test = TestDb::new().await;
    let (letters, contracts) = (test.db.collection("letters"), test.db.collection("contracts"));
    Letter::ensure_sequences(&letters).await.unwrap();
    Contract::ensure_sequences(&contracts).await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (mut letter, mut contract) = (Letter { id: 0 }, Contract { number: 0 });
        letter.insert_with_seq(&letters).gapless().await.unwrap();
        contract.insert_with_seq(&contracts).await.unwrap();
        seen.extend([letter.id, contract.number]);
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
}

/// No collection alone can say where a lost counter stood.
#[tokio::test]
async fn a_missing_shared_counter_is_an_error_until_every_model_was_asked() {
    let test = TestDb::new().await;
    let letters: Collection<Letter> = test.db.collection("letters");
    let contracts: Collection<Contract> = test.db.collection("contracts");
    letters.clone_with_type::<Document>().insert_one(doc! { "_id": 10_i64 }).await.unwrap();
    contracts.clone_with_type::<Document>().insert_one(doc! { "number": 500_i64 }).await.unwrap();
    let mut letter = Letter { id: 0 };
    let error = letter.insert_with_seq(&letters).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CounterMissing { .. }), "{error:?}");
    assert!(error.to_string().contains("`ensure_sequences`"), "{error}");
    assert_eq!(test.counter("documents").await, None);
    let sequence = Letter::sequence(&letters, "id").unwrap();
    assert!(matches!(sequence.next_value().await.unwrap_err().kind(), ErrorKind::CounterMissing { .. }));
    sequence.raise_to(700).await.unwrap();
    assert_eq!(sequence.next_value().await.unwrap(), 701, "or by what the user says");
    test.counters().delete_many(doc! {}).await.unwrap();
    for _ in 0..2 {
        Letter::ensure_sequences(&letters).await.unwrap();
        Contract::ensure_sequences(&contracts).await.unwrap();
    }
    letter.insert_with_seq(&letters).await.unwrap();
    assert_eq!(letter.id, 501);
}

/// A shared counter behind the documents of one collection still catches up.
#[tokio::test]
async fn a_shared_counter_behind_the_data_of_one_model_catches_up() {
    let test = TestDb::new().await;
    let letters: Collection<Letter> = test.db.collection("letters");
    letters.clone_with_type::<Document>().insert_many((1..=9).map(|id| doc! { "_id": id })).await.unwrap();
    test.set_counter("documents", 4_i64).await;
    let mut letter = Letter { id: 0 };
    letter.insert_with_seq(&letters).await.unwrap();
    assert_eq!((letter.id, test.value("documents").await), (10, Some(10)));
}
