//! The four calls, in the order in which the documentation tells them.

use std::collections::BTreeSet;

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{Collection, error::TRANSIENT_TRANSACTION_ERROR};

use crate::{
    models::{Invoice, Order, invoice, order},
    support::TestDb,
};

#[tokio::test]
async fn the_three_modes_on_one_collection() {
    let test = TestDb::new().await;
    let orders: Collection<Order> = test.db.collection("orders");
    let mut first = test.client.start_session().await.unwrap();
    let mut second = test.client.start_session().await.unwrap();

    let mut plain = order();
    let result = plain.insert_with_seq(&orders).await.unwrap();
    assert_eq!((plain.id, result.inserted_id.as_i64()), (1, Some(1)));

    // Counter outside: open transactions do not meet at the counter; what is rolled back leaves a gap.
    first.start_transaction().await.unwrap();
    second.start_transaction().await.unwrap();
    let (mut lost, mut kept) = (order(), order());
    lost.insert_with_seq(&orders).session(&mut first).await.unwrap();
    kept.insert_with_seq(&orders).session(&mut second).await.unwrap();
    assert_eq!((lost.id, kept.id), (2, 3));
    first.abort_transaction().await.unwrap();
    second.commit_transaction().await.unwrap();
    assert_eq!(test.ids().await, BTreeSet::from([1, 3]));

    // Counter inside: the second transaction conflicts, and is run again as a whole after the first has gone.
    first.start_transaction().await.unwrap();
    second.start_transaction().await.unwrap();
    let (mut lost, mut kept) = (order(), order());
    lost.insert_with_seq(&orders).session(&mut first).gapless().await.unwrap();
    assert_eq!(lost.id, 4);
    let conflict = kept.insert_with_seq(&orders).session(&mut second).gapless().await.unwrap_err();
    assert!(matches!(conflict.kind(), ErrorKind::Driver), "{conflict:?}");
    assert!(conflict.contains_label(TRANSIENT_TRANSACTION_ERROR), "{conflict:?}");
    assert_eq!((kept.id, conflict.number()), (0, None));
    first.abort_transaction().await.unwrap();
    second.abort_transaction().await.unwrap();
    second.start_transaction().await.unwrap();
    kept.insert_with_seq(&orders).session(&mut second).gapless().await.unwrap();
    second.commit_transaction().await.unwrap();
    assert_eq!(kept.id, 4);
    assert_eq!(test.ids().await, BTreeSet::from([1, 3, 4]));

    // A transaction of the library's own.
    let mut own = order();
    let result = own.insert_with_seq(&orders).gapless().await.unwrap();
    assert_eq!((own.id, result.inserted_id.as_i64()), (5, Some(5)));
    assert_eq!(orders.find_one(mongodb::bson::doc! { "_id": 5 }).await.unwrap(), Some(own));
    assert_eq!(test.value("orders._id").await, Some(5));
}

#[tokio::test]
async fn a_model_with_two_numbers_uses_each_in_its_own_way() {
    let test = TestDb::new().await;
    let invoices: Collection<Invoice> = test.db.collection("invoices");

    let mut own = invoice();
    own.insert_with_seq(&invoices).await.unwrap();
    assert_eq!((own.id, own.serial_number), (1000, 1));

    // Rolled back: the gapless number comes again, the other one does not.
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut lost = invoice();
    lost.insert_with_seq(&invoices).session(&mut session).await.unwrap();
    assert_eq!((lost.id, lost.serial_number), (1010, 2));
    session.abort_transaction().await.unwrap();

    let mut kept = invoice();
    kept.insert_with_seq(&invoices).await.unwrap();
    assert_eq!((kept.id, kept.serial_number), (1020, 2));
    assert_eq!(test.numbers("invoices", "serialNumber").await, BTreeSet::from([1, 2]));
    assert_eq!(test.value("invoices.serialNumber").await, Some(2));
}

#[tokio::test]
async fn a_document_that_depends_on_its_number_is_stored_as_serde_says_in_every_mode() {
    use crate::models::Page;
    let test = TestDb::new().await;
    let pages: Collection<Page> = test.db.collection("pages");
    let mut session = test.client.start_session().await.unwrap();
    Page { id: 0 }.insert_with_seq(&pages).await.unwrap();
    session.start_transaction().await.unwrap();
    Page { id: 0 }.insert_with_seq(&pages).session(&mut session).gapless().await.unwrap();
    session.commit_transaction().await.unwrap();
    Page { id: 0 }.insert_with_seq(&pages).gapless().await.unwrap();
    let stored = pages.clone_with_type::<mongodb::bson::Document>();
    for number in 1..=3_i64 {
        let page = stored.find_one(mongodb::bson::doc! { "id": number }).await.unwrap().unwrap();
        assert_eq!(page.get_str("slug").unwrap(), format!("page-{number}"));
    }
}
