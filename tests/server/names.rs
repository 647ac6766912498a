//! Names as real services have them: of models, fields, serde's, counters.

use std::collections::BTreeMap;

use mongo_sequence::AutoIncrement;
use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
};
use serde::{Deserialize, Serialize};

use crate::support::{TestDb, integer};

async fn only(collection: &Collection<impl Send + Sync>) -> Document {
    let stored = collection.clone_with_type::<Document>();
    assert_eq!(stored.count_documents(doc! {}).await.unwrap(), 1);
    stored.find_one(doc! {}).await.unwrap().unwrap()
}

/// Models with the names that generated code would use, were it not careful.
mod awkward {
    use mongo_sequence::AutoIncrement;
    use serde::Serialize;

    #[derive(Serialize, AutoIncrement)]
    pub(crate) struct Result {
        #[auto_increment]
        pub(crate) id: i64,
    }
    #[derive(Serialize, AutoIncrement)]
    pub(crate) struct Option {
        #[auto_increment]
        pub(crate) r#type: u32,
        pub(crate) number: std::option::Option<u8>,
    }
    #[derive(Serialize, AutoIncrement)]
    pub(crate) struct Error<Some> {
        #[auto_increment(by_default)]
        pub(crate) session: std::option::Option<i64>,
        #[auto_increment(scope(ordered))]
        pub(crate) seq: i64,
        #[auto_increment]
        pub(crate) number: i64,
        #[auto_increment]
        pub(crate) count: i64,
        #[auto_increment]
        pub(crate) numbers: i64,
        #[auto_increment]
        pub(crate) visit: i64,
        #[auto_increment]
        pub(crate) value_0: i64,
        #[auto_increment]
        pub(crate) model: i64,
        #[auto_increment(format = sequence)]
        pub(crate) sequence: String,
        pub(crate) ordered: Some,
    }
    pub(crate) fn sequence(number: i64) -> String {
        number.to_string()
    }
}

#[tokio::test]
async fn models_and_fields_may_have_any_name() {
    let test = TestDb::new().await;
    let mut result = awkward::Result { id: 0 };
    result.insert_with_seq(&test.db.collection("a")).await.unwrap();
    let mut option = awkward::Option { r#type: 0, number: None };
    option.insert_with_seq(&test.db.collection("b")).await.unwrap();
    assert_eq!((result.id, option.r#type, option.number), (1, 1, None));
    let mut error = awkward::Error {
        session: None,
        seq: 0,
        number: 0,
        count: 0,
        numbers: 0,
        visit: 0,
        value_0: 0,
        model: 0,
        sequence: String::new(),
        ordered: true,
    };
    let errors = test.db.collection("c");
    awkward::Error::<bool>::ensure_sequences(&errors).await.unwrap();
    error.insert_with_seq(&errors).await.unwrap();
    let stored = only(&errors).await;
    for field in ["session", "seq", "number", "count", "numbers", "visit", "value_0", "model"] {
        assert_eq!(integer(stored.get(field).unwrap()), 1, "{field}");
    }
    assert_eq!((error.sequence, error.count), ("1".to_owned(), 1));
    assert_eq!(test.value("b.type").await, Some(1));
}

/// Everything that serde does to other fields and to names.
#[tokio::test]
async fn serde_decides_how_a_model_is_stored() {
    mod as_text {
        use serde::{Deserialize, Deserializer, Serializer};

        #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
        pub(super) fn serialize<S: Serializer>(cents: &u32, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(&format!("{}.{:02}", cents / 100, cents % 100))
        }
        pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
            String::deserialize(deserializer).map(|text| text.replace('.', "").parse().unwrap())
        }
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
    #[serde(rename_all = "camelCase", rename = "not the collection")]
    struct Order {
        #[serde(rename(serialize = "_id", deserialize = "_id"))]
        #[auto_increment]
        id: i64,
        #[serde(alias = "nr", alias = "no")]
        #[auto_increment(start = 10)]
        serial_number: i32,
        #[serde(with = "as_text")]
        total_price: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lines: Vec<String>,
        #[serde(skip)]
        cached: u8,
        #[serde(flatten)]
        more: BTreeMap<String, Bson>,
    }
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let more = BTreeMap::from([("note".to_owned(), Bson::from("x"))]);
    let mut order = Order { id: 0, serial_number: 0, total_price: 1999, lines: vec![], cached: 7, more };
    order.insert_with_seq(&orders).await.unwrap();
    let expected = doc! { "_id": 1_i64, "serialNumber": 10, "totalPrice": "19.99", "note": "x" };
    assert_eq!(only(&orders).await, expected);
    assert_eq!(test.value("orders.serialNumber").await, Some(10));
    order.cached = 0;
    assert_eq!(orders.find_one(doc! {}).await.unwrap(), Some(order));
}

/// `into` stores another struct; the number is found in it by its name.
#[tokio::test]
async fn a_model_may_be_stored_as_another_struct() {
    #[derive(Clone, Serialize, AutoIncrement)]
    #[serde(into = "Stored")]
    struct Order {
        #[auto_increment]
        number: i64,
        items: Vec<&'static str>,
    }
    #[derive(Serialize)]
    struct Stored {
        items: String,
        number: i64,
    }
    impl From<Order> for Stored {
        fn from(Order { number, items }: Order) -> Self {
            Self { items: items.join(","), number }
        }
    }
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut order = Order { number: 0, items: vec!["tea", "milk"] };
    order.insert_with_seq(&orders).await.unwrap();
    order.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!((order.number, test.numbers("orders", "number").await), (2, [1, 2].into()));
}

/// A text that is made of the number and other fields, as the reference shows it.
#[tokio::test]
async fn a_printed_number_may_hold_the_scope() {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
    #[serde(into = "Stored", from = "Stored")]
    struct Invoice {
        year: i32,
        #[auto_increment(scope(year), gapless)]
        number: i64,
    }
    #[derive(Serialize, Deserialize)]
    struct Stored {
        year: i32,
        number: i64,
        printed: String,
    }
    impl From<Invoice> for Stored {
        fn from(Invoice { year, number }: Invoice) -> Self {
            Self { year, number, printed: format!("INV-{year}-{number:06}") }
        }
    }
    impl From<Stored> for Invoice {
        fn from(Stored { year, number, .. }: Stored) -> Self {
            Self { year, number }
        }
    }
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");
    Invoice::ensure_sequences(&invoices).await.unwrap();
    for (year, number) in [(2026, 1), (2027, 1), (2026, 2)] {
        let mut invoice = Invoice { year, number: 0 };
        invoice.insert_with_seq(&invoices).await.unwrap();
        assert_eq!(invoice.number, number);
        let printed = doc! { "printed": format!("INV-{year}-00000{number}") };
        assert_eq!(invoices.find_one(printed).await.unwrap(), Some(invoice));
    }
}

/// The sequence belongs to the collection, not to the type.
#[tokio::test]
async fn one_struct_has_a_sequence_in_every_collection_and_database() {
    mod other {
        #[derive(serde::Serialize, mongo_sequence::AutoIncrement)]
        pub(super) struct Page {
            #[serde(rename = "_id")]
            #[auto_increment]
            pub(super) id: i64,
        }
    }
    #[derive(Serialize, AutoIncrement)]
    struct Page {
        #[serde(rename = "_id")]
        #[auto_increment]
        id: i64,
    }
    let (test, elsewhere) = (TestDb::new().await, TestDb::new().await);
    let mut page = Page { id: 0 };
    for expected in 1..=2 {
        for collection in [test.db.collection("a"), test.db.collection("b"), elsewhere.db.collection("a")] {
            page.insert_with_seq(&collection).await.unwrap();
            assert_eq!(page.id, expected);
        }
    }
    let mut same = other::Page { id: 0 };
    same.insert_with_seq(&test.db.collection("a")).await.unwrap();
    assert_eq!(same.id, 3, "another struct of the same collection goes on");
    assert_eq!((test.value("a._id").await, elsewhere.value("a._id").await), (Some(3), Some(2)));
}

#[tokio::test]
async fn two_services_may_keep_their_counters_apart() {
    #[derive(Serialize, AutoIncrement)]
    #[auto_increment(counters = "billing_counters", value_field = "last")]
    struct Invoice {
        #[auto_increment(name = "invoices")]
        number: i64,
    }
    #[derive(Serialize, AutoIncrement)]
    #[auto_increment(counters = "shop_counters")]
    struct Order {
        #[auto_increment(name = "invoices")]
        number: i64,
    }
    let test = TestDb::new().await;
    let (mut invoice, mut order) = (Invoice { number: 0 }, Order { number: 0 });
    invoice.insert_with_seq(&test.db.collection("invoices")).await.unwrap();
    order.insert_with_seq(&test.db.collection("orders")).await.unwrap();
    assert_eq!((invoice.number, order.number), (1, 1));
    let billing: Collection<Document> = test.db.collection("billing_counters");
    assert_eq!(only(&billing).await, doc! { "_id": "invoices", "last": 1_i64 });
}

/// What is inside of documents takes its numbers from a reservation.
#[tokio::test]
async fn the_lines_of_a_document_are_numbered_by_a_reservation() {
    #[derive(Serialize)]
    struct Line {
        number: i64,
    }
    let test = TestDb::new().await;
    let lines = mongo_sequence::Sequence::new(&test.db, "orders.lines").start(1);
    let numbered: Vec<Line> = lines.reserve(3).await.unwrap().map(|number| Line { number }).collect();
    let orders: Collection<Document> = test.db.collection("orders");
    let lines: Vec<Document> = numbered.iter().map(|line| doc! { "number": line.number }).collect();
    orders.insert_one(doc! { "lines": lines }).await.unwrap();
    assert_eq!(test.sent.named("findAndModify").len(), 3, "a miss, the counter, the reservation");
}

/// A deleted document's number does not come back, and an emptied collection goes on.
#[tokio::test]
async fn deleting_documents_gives_no_numbers_back() {
    let test = TestDb::new().await;
    let orders: Collection<crate::models::Order> = test.db.collection("orders");
    let mut order = crate::models::order();
    for expected in 1..=3 {
        order.insert_with_seq(&orders).await.unwrap();
        assert_eq!(order.id, expected);
        orders.delete_one(doc! { "_id": order.id }).await.unwrap();
    }
    orders.drop().await.unwrap();
    order.insert_with_seq(&orders).await.unwrap();
    assert_eq!(order.id, 4);
}
