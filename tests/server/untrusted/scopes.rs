//! Scopes, names and documents of any size, depth and spelling.

use std::collections::BTreeMap;

use mongo_sequence::{AutoIncrement, ErrorKind, NumberedField, Sequence};
use mongodb::{
    Collection,
    bson::{Binary, Bson, Document, RawDocumentBuf, doc, spec::BinarySubtype},
};
use serde::Serialize;

use crate::support::{TestDb, code};

const MEGABYTE: usize = 1 << 20;
const INVALID_NAMESPACE: i32 = 73;

#[derive(Clone, Serialize, AutoIncrement)]
struct Bill<T> {
    tenant: T,
    #[auto_increment(scope(tenant))]
    number: i64,
}

async fn bills<T: Clone + Serialize + Send + Sync>(test: &TestDb) -> Collection<Bill<T>> {
    let bills = test.db.collection("bills");
    Bill::<T>::ensure_sequences(&bills).await.unwrap();
    bills
}

/// Each of them has a counter of its own, in every way to use it, also when the counter was lost.
async fn are_apart<T: Clone + Serialize + Send + Sync>(scopes: &[T]) {
    let test = TestDb::new().await;
    let bills = bills::<T>(&test).await;
    for expected in 1..=4 {
        for (place, tenant) in scopes.iter().enumerate() {
            let mut bill = Bill { tenant: tenant.clone(), number: 0 };
            let insert = bill.insert_with_seq(&bills);
            if expected % 2 == 0 { insert.gapless() } else { insert }.await.unwrap();
            assert_eq!(bill.number, expected, "of {place}");
        }
        assert_eq!(test.counters().count_documents(doc! {}).await.unwrap(), scopes.len() as u64);
        if expected == 2 {
            test.counters().delete_many(doc! {}).await.unwrap();
        }
    }
}

#[tokio::test]
async fn scopes_of_a_megabyte_differ_in_their_last_byte() {
    let text = |last: &str| "x".repeat(MEGABYTE) + last;
    are_apart(&[text(""), text("a"), text("b"), text("\0")]).await;
    let binary = |subtype, last| {
        let mut bytes = vec![0; MEGABYTE];
        bytes.push(last);
        Bson::Binary(Binary { subtype, bytes })
    };
    let (generic, own) = (BinarySubtype::Generic, BinarySubtype::UserDefined(200));
    are_apart(&[binary(generic, 1), binary(generic, 2), binary(own, 1)]).await;
}

/// Which is before anything is sent: no counter, no document.
#[tokio::test]
async fn a_scope_too_large_for_a_document_is_told() {
    let test = TestDb::new().await;
    let bills = bills::<String>(&test).await;
    test.sent.clear();
    let mut bill = Bill { tenant: "x".repeat(16 * MEGABYTE), number: 0 };
    for gapless in [false, true] {
        let insert = bill.insert_with_seq(&bills);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::DocumentTooLarge { .. }), "{:?}", error.kind());
    }
    assert!(test.sent.names().is_empty() && bill.number == 0);
}

#[tokio::test]
async fn texts_that_mean_something_elsewhere_are_only_texts() {
    let texts = [
        "",
        " ",
        "\0",
        "\0\0",
        "$gt",
        "$where",
        "$",
        "$$ROOT",
        "$tenant",
        "a.b",
        ".",
        "a..b",
        "{\"$gt\": \"\"}",
        "null",
        "1",
        "e\u{301}",
        "\u{e9}",
        "\u{212b}",
        "\u{c5}",
        "\u{feff}",
        "\u{200b}",
        "\u{10ffff}",
        "\u{d7ff}",
        "A",
        "a",
        "ss",
        "\u{df}",
    ];
    are_apart(&texts).await;
}

/// Extended JSON is a text or a document like others: no number, no id.
#[tokio::test]
async fn a_document_of_any_depth_is_no_scope() {
    let nested = |levels| (0..levels).fold(doc! { "$gt": "" }, |inner, _| doc! { "$or": inner });
    let documents = [0, 50, 100, 180, 250].map(nested).into_iter();
    for scope in documents.chain([doc! {}, doc! { "": "" }, doc! { "$numberLong": "5" }, doc! { "$oid": "" }]) {
        let test = TestDb::new().await;
        let bills = test.db.collection("bills");
        let mut bill = Bill { tenant: RawDocumentBuf::try_from(&scope).unwrap(), number: 0 };
        let of_scope = Bill::<RawDocumentBuf>::scoped_sequence(&bills, "number", doc! { "tenant": scope.clone() });
        let errors = [
            bill.insert_with_seq(&bills).await.unwrap_err(),
            bill.insert_with_seq(&bills).gapless().await.unwrap_err(),
            of_scope.unwrap_err(),
            NumberedField::new(&bills, "number").scope(["tenant"]).sequence(&doc! { "tenant": scope }).unwrap_err(),
        ];
        for error in errors {
            match error.kind() {
                ErrorKind::UnsupportedScope { field, found, .. } => {
                    assert_eq!((&**field, &**found), ("tenant", "EmbeddedDocument"));
                }
                other => panic!("{other:?}"),
            }
            assert!(error.to_string().contains("expected a string, a whole number"), "{error}");
        }
        assert!(test.sent.names().is_empty());
    }
}

/// The server decides how deep a document may be; a refusal leaves no gap where none may be, and else says which.
#[tokio::test]
async fn a_document_of_any_depth_is_stored_or_refused_whole() {
    #[derive(Clone, Serialize, AutoIncrement)]
    struct Page {
        #[auto_increment]
        number: i64,
        body: Document,
    }
    let mut refused = 0;
    for levels in [50, 100, 150, 180, 250] {
        let test = TestDb::new().await;
        let pages: Collection<Page> = test.db.collection("pages");
        Page::ensure_sequences(&pages).await.unwrap();
        let body = (0..levels).fold(doc! {}, |inner, _| doc! { "a": inner });
        let mut page = Page { number: 0, body };
        let gapless = page.insert_with_seq(&pages).gapless().await;
        let stored = pages.clone_with_type::<Document>().count_documents(doc! {}).await.unwrap();
        match gapless {
            Ok(_) => assert_eq!((page.number, stored, test.value("pages.number").await), (1, 1, Some(1))),
            Err(error) => {
                refused += 1;
                assert!(matches!(error.kind(), ErrorKind::Driver | ErrorKind::Serialization { .. }), "{error:?}");
                assert_eq!((page.number, stored, error.number()), (0, 0, None), "{levels}: {error}");
                assert!(matches!(test.value("pages.number").await, None | Some(0)), "{levels}");
                let error = page.insert_with_seq(&pages).await.unwrap_err();
                assert_eq!(error.number(), Some(1), "{levels}: {error}");
                assert_eq!(page.number, 0);
            }
        }
    }
    assert!(refused > 0, "the deepest is beyond what a server stores");
}

/// Each name is a counter of its own, or is told to be none; what is in the way of a query is told first.
#[tokio::test]
async fn names_of_any_spelling_are_sequences_of_their_own() {
    let long = "n".repeat(MEGABYTE);
    let names = ["", "$", "$where", "a.b", "a..", "\0", "a\0b", "e\u{301}", "\u{e9}", "sequences", "_id", "seq", &long];
    let test = TestDb::new().await;
    for expected in 1..=2 {
        for name in names {
            let sequence = Sequence::new(&test.db, name).start(1);
            assert_eq!(sequence.next_value().await.unwrap(), expected, "{:?}", name.get(..10));
        }
    }
    let listed = Sequence::list(&test.db).await.unwrap();
    let listed: BTreeMap<_, _> = listed.iter().map(|one| (one.key.as_str().unwrap(), one.value)).collect();
    assert_eq!(listed, names.iter().map(|name| (*name, Some(2))).collect());

    test.sent.clear();
    for field in ["", "$seq", "a.b", ".", "a\0b", "_id"] {
        let sequence = Sequence::new(&test.db, "n").start(1).value_field(field);
        let errors = [
            sequence.next_value().await.unwrap_err(),
            sequence.raise_to(5).await.unwrap_err(),
            sequence.current_value().await.unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{field:?}: {error:?}");
        }
    }
    for collection in ["", "$counters", "a\0b"] {
        let error = Sequence::new(&test.db, "n").start(1).counters(collection).next_value().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidSequence { .. }), "{collection:?}: {error:?}");
    }
    assert!(test.sent.names().is_empty(), "{:?}", test.sent.names());
    // the server's to judge
    for collection in [".", "a..b", ".a", "a.", "a b", "\u{e9}"] {
        let sequence = Sequence::new(&test.db, "n").start(1).counters(collection);
        match (sequence.next_value().await, sequence.next_value().await) {
            (Ok(first), Ok(second)) => assert_eq!((first, second), (1, 2), "{collection:?}"),
            (Err(first), Err(second)) => {
                assert_eq!((code(&first), code(&second)), (Some(INVALID_NAMESPACE), Some(INVALID_NAMESPACE)));
            }
            other => panic!("{collection:?}: {other:?}"),
        }
    }
}
