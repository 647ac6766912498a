//! How models become documents.

use std::collections::BTreeMap;

use mongo_sequence::{AutoIncrement, ErrorKind, SequenceValue};
use mongodb::{
    Collection,
    bson::{Document, doc, oid::ObjectId},
};
use serde::{Serialize, Serializer};

use crate::support::TestDb;

/// Refused before a number is taken, with this in the message.
async fn refused<T: AutoIncrement>(mut model: T, what: &str) {
    let test = TestDb::new().await;
    let collection: Collection<T> = test.db.collection("models");
    let errors = [
        model.insert_with_seq(&collection).await.unwrap_err(),
        model.insert_with_seq(&collection).gapless().await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error.kind(), ErrorKind::Serialization { .. }), "{error:?}");
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(error.number(), None);
    }
    assert!(test.sent.names().is_empty(), "{:?}", test.sent.names());
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn as_text<S: Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

#[tokio::test]
async fn a_serde_attribute_that_changes_the_number_is_refused() {
    #[derive(Serialize, AutoIncrement)]
    struct Texted {
        #[serde(serialize_with = "as_text")]
        #[auto_increment]
        id: i64,
    }
    refused(Texted { id: 0 }, "`id` is not stored as the number").await;
}

#[derive(Serialize)]
struct Text(String);

impl SequenceValue for Text {
    const MIN: i64 = 1;
    const MAX: i64 = 99;

    fn from_number(number: i64) -> Option<Self> {
        Some(Self(number.to_string()))
    }
}

#[tokio::test]
async fn a_type_that_does_not_serialize_to_its_number_is_refused() {
    #[derive(Serialize, AutoIncrement)]
    struct Model {
        #[auto_increment]
        id: Text,
    }
    refused(Model { id: Text(String::new()) }, "does not serialize the number 1").await;
}

#[tokio::test]
async fn a_model_that_serde_stores_otherwise_is_refused() {
    #[derive(Serialize, AutoIncrement)]
    #[serde(into = "Other")]
    struct Model {
        #[auto_increment]
        id: i64,
    }
    #[derive(Serialize)]
    struct Other {
        number: i64,
    }
    impl From<Model> for Other {
        fn from(Model { id }: Model) -> Self {
            Self { number: id }
        }
    }
    impl Clone for Model {
        fn clone(&self) -> Self {
            Self { id: self.id }
        }
    }
    refused(Model { id: 0 }, "`id` is not stored as `id`").await;
}

#[tokio::test]
async fn a_type_of_ones_own_holds_numbers() {
    #[derive(Debug, PartialEq, Serialize)]
    struct InvoiceNumber(i64);
    impl SequenceValue for InvoiceNumber {
        const MIN: i64 = 1;
        const MAX: i64 = 2;

        fn from_number(number: i64) -> Option<Self> {
            Some(Self(number))
        }
    }
    #[derive(Serialize, AutoIncrement)]
    struct Invoice {
        #[auto_increment]
        number: InvoiceNumber,
    }
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    let mut invoice = Invoice { number: InvoiceNumber(0) };
    for expected in 1..=2 {
        invoice.insert_with_seq(&invoices).await.unwrap();
        assert_eq!(invoice.number, InvoiceNumber(expected));
    }
    let error = invoice.insert_with_seq(&invoices).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Exhausted { limit: 2, .. }), "{error:?}");
}

#[tokio::test]
async fn derived_types_hold_what_their_field_holds() {
    #[derive(Debug, PartialEq, Serialize, SequenceValue)]
    struct Plain(u32);
    #[derive(Debug, PartialEq, Serialize, SequenceValue)]
    #[serde(transparent)]
    struct Named<N: Copy> {
        number: N,
    }
    #[derive(Serialize, AutoIncrement)]
    struct Invoice {
        #[serde(rename = "_id")]
        #[auto_increment]
        id: Plain,
        #[auto_increment(gapless, start = 7)]
        number: Option<Named<i64>>,
    }
    assert_eq!((Plain::MIN, Plain::MAX), (0, i64::from(u32::MAX)));
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("orders");
    let mut invoice = Invoice { id: Plain(0), number: None };
    invoice.insert_with_seq(&invoices).await.unwrap();
    assert_eq!((&invoice.id, &invoice.number), (&Plain(1), &Some(Named { number: 7 })));
    assert_eq!((test.ids().await, test.numbers("orders", "number").await), ([1].into(), [7].into()));
}

/// Serde stores a struct with a named field as a document, in which no number can be found again.
#[tokio::test]
async fn a_derived_type_that_is_stored_as_a_document_is_refused() {
    #[derive(Serialize, SequenceValue)]
    struct Named {
        number: i64,
    }
    #[derive(Serialize, AutoIncrement)]
    struct Model {
        #[auto_increment]
        id: Named,
    }
    refused(Model { id: Named { number: 0 } }, "`#[serde(transparent)]`").await;
}

#[tokio::test]
async fn optional_and_non_zero_fields_are_numbered() {
    use std::num::NonZero;
    #[derive(Serialize, AutoIncrement)]
    struct Ticket {
        #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
        #[auto_increment]
        id: Option<NonZero<u32>>,
    }
    let test = TestDb::new().await;
    let tickets: Collection<Ticket> = test.db.collection("orders");
    let mut ticket = Ticket { id: None };
    for expected in 1..=2 {
        ticket.insert_with_seq(&tickets).await.unwrap();
        assert_eq!(ticket.id, NonZero::new(expected));
    }
    assert_eq!(test.ids().await, [1, 2].into());
}

/// Other bytes that follow from the number, in ways that no probe need notice.
#[tokio::test]
async fn what_depends_on_the_number_is_stored_as_serde_says() {
    #[derive(AutoIncrement)]
    struct Shelved {
        #[auto_increment]
        id: i64,
    }
    fn shelf(id: i64) -> &'static str {
        match id {
            4 => "the fourth",
            5..=6 => "behind it, and longer",
            _ => "any",
        }
    }
    impl Serialize for Shelved {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeMap;
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("id", &self.id)?;
            map.serialize_entry("shelf", shelf(self.id))?;
            map.end()
        }
    }
    let test = TestDb::new().await;
    let shelves: Collection<Shelved> = test.db.collection("shelves");
    let mut session = test.client.start_session().await.unwrap();
    for way in 0..9 {
        let mut book = Shelved { id: 0 };
        match way % 3 {
            0 => book.insert_with_seq(&shelves).gapless().await.unwrap(),
            1 => book.insert_with_seq(&shelves).await.unwrap(),
            _ => {
                session.start_transaction().await.unwrap();
                let inserted = book.insert_with_seq(&shelves).session(&mut session).gapless().await.unwrap();
                session.commit_transaction().await.unwrap();
                inserted
            }
        };
        assert_eq!(book.id, way + 1);
    }
    test.set_counter("shelves.id", 3_i64).await; // the fourth and the fifth again, the library's way
    for _ in 0..2 {
        Shelved { id: 0 }.insert_with_seq(&shelves).gapless().await.unwrap();
    }
    let mut stored = shelves.clone_with_type::<Document>().find(doc! {}).await.unwrap();
    let mut seen = 0;
    while stored.advance().await.unwrap() {
        let document = stored.deserialize_current().unwrap();
        assert_eq!(document.get_str("shelf").unwrap(), shelf(document.get_i64("id").unwrap()), "{document}");
        seen += 1;
    }
    assert_eq!(seen, 11);
}

/// Everything around the number, before and behind it, of any length, goes through byte for byte.
#[tokio::test]
async fn documents_are_stored_as_the_driver_would_store_them() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Rich<'text> {
        owner: ObjectId,
        text: &'text str,
        #[serde(skip_serializing_if = "is_zero")]
        #[auto_increment]
        number: u32,
        lines: Vec<BTreeMap<String, f64>>,
        nothing: Option<i32>,
        #[serde(flatten)]
        more: BTreeMap<String, String>,
    }
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    fn is_zero(number: &u32) -> bool {
        *number == 0
    }
    let test = TestDb::new().await;
    let umlauts = "ä\u{0}ö".repeat(1000);
    let more = BTreeMap::from([("number2".to_owned(), "1".to_owned()), ("numbe".to_owned(), String::new())]);
    let lines = vec![BTreeMap::from([("number".to_owned(), f64::NAN)]); 3];
    let mut rich = Rich { owner: ObjectId::new(), text: &umlauts, number: 0, lines, nothing: None, more };
    let collection: Collection<Rich<'_>> = test.db.collection("rich");
    rich.insert_with_seq(&collection).await.unwrap();
    rich.insert_with_seq(&collection).gapless().await.unwrap();
    let plain: Collection<Rich<'_>> = test.db.collection("plain");
    plain.insert_one(&rich).await.unwrap();
    let without_id = doc! { "_id": 0 };
    let stored = collection.clone_with_type::<Document>();
    let ours = stored.find_one(doc! { "number": 2 }).projection(without_id.clone()).await.unwrap().unwrap();
    let drivers = plain.clone_with_type::<Document>().find_one(doc! {}).projection(without_id).await.unwrap().unwrap();
    assert_eq!(format!("{ours:?}"), format!("{drivers:?}"));
    assert!(ours.get_array("lines").unwrap().len() == 3 && ours.contains_key("numbe"));
}
