//! The document that is there, or this one with a number.

use std::time::Duration;

use mongo_sequence::{AutoIncrement, ErrorKind, GetOrInsert, GetOrInsertWithSeq};
use mongodb::{
    Collection,
    bson::{Bson, Document, doc},
    error::TRANSIENT_TRANSACTION_ERROR,
};
use serde::{Deserialize, Serialize};

use crate::support::{TestDb, code};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Customer {
    #[serde(rename = "_id")]
    #[auto_increment]
    id: i64,
    email: String,
    #[serde(default)]
    visits: i32,
}

fn customer(email: &str) -> Customer {
    Customer { id: 0, email: email.to_owned(), visits: 0 }
}

/// Customers by their unique email; number 1 is "old@".
async fn customers() -> (TestDb, Collection<Customer>) {
    let test = TestDb::with_faults().await;
    let customers = test.db.collection("orders");
    test.unique_index("orders", doc! { "email": 1 }).await;
    let mut old = Customer { visits: 7, ..customer("old@") };
    old.insert_with_seq(&customers).await.unwrap();
    test.sent.clear();
    (test, customers)
}

fn by_email(email: &str) -> Document {
    doc! { "email": email }
}

#[tokio::test]
async fn a_document_that_is_there_is_returned_and_costs_no_number() {
    let (test, customers) = customers().await;
    let mut session = test.client.start_session().await.unwrap();
    for way in 0..4 {
        let mut customer = customer("old@");
        test.sent.clear();
        let call = customer.get_or_insert_with_seq(&customers, by_email("old@"));
        let found = match way {
            0 => call.await,
            1 => call.gapless().await,
            2 => call.session(&mut session).await,
            _ => {
                session.start_transaction().await.unwrap();
                let found = call.session(&mut session).gapless().await;
                session.abort_transaction().await.unwrap();
                found
            }
        };
        assert_eq!(found.unwrap(), GetOrInsert::Found);
        assert_eq!((customer.id, customer.visits), (1, 7));
        assert_eq!(test.sent.names(), ["find"], "way {way}");
    }
    assert_eq!(test.value("orders._id").await, Some(1));
}

#[tokio::test]
async fn a_document_that_is_missing_is_inserted() {
    let (test, customers) = customers().await;
    let mut session = test.client.start_session().await.unwrap();
    for (way, email) in ["a@", "b@", "c@", "d@"].into_iter().enumerate() {
        let mut customer = customer(email);
        let call = customer.get_or_insert_with_seq(&customers, by_email(email));
        let inserted = match way {
            0 => call.await,
            1 => call.gapless().await,
            2 => call.session(&mut session).await,
            _ => {
                session.start_transaction().await.unwrap();
                let inserted = call.session(&mut session).gapless().await;
                session.commit_transaction().await.unwrap();
                inserted
            }
        };
        match inserted.unwrap() {
            GetOrInsert::Inserted { inserted_id, .. } => assert_eq!(inserted_id, Bson::Int64(customer.id)),
            other => panic!("{other:?}"),
        }
        assert_eq!(customer.id, i64::try_from(way).unwrap() + 2);
        assert_eq!(customers.find_one(by_email(email)).await.unwrap(), Some(customer));
    }
    assert_eq!(test.value("orders._id").await, Some(5));
}

/// All agree, and only the numbers of those who were slower are missing; none without gaps.
#[tokio::test]
async fn concurrent_callers_agree_on_one_document() {
    for gapless in [false, true] {
        let (test, customers) = customers().await;
        let calls = (0..32).map(|_| {
            let customers = customers.clone();
            tokio::spawn(async move {
                let mut customer = customer("new@");
                let call = customer.get_or_insert_with_seq(&customers, by_email("new@"));
                let outcome = if gapless { call.gapless() } else { call }.await.unwrap();
                (customer.id, outcome != GetOrInsert::Found)
            })
        });
        let mut outcomes = Vec::new();
        for call in calls.collect::<Vec<_>>() {
            outcomes.push(call.await.unwrap());
        }
        let (id, _) = outcomes[0];
        assert!(outcomes.iter().all(|(other, _)| *other == id), "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|(_, inserted)| *inserted).count(), 1);
        assert_eq!(test.ids().await, [1, id].into());
        if gapless {
            assert_eq!((id, test.value("orders._id").await), (2, Some(2)));
        }
    }
}

/// The number that had been taken is a gap.
#[tokio::test]
async fn a_slower_caller_gets_the_faster_ones_document() {
    let (test, customers) = customers().await;
    // the server holds the insert back until the competitor's is stored
    test.fail(&["insert"], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 1000 }).await;
    let mut slower = customer("new@");
    let call = slower.get_or_insert_with_seq(&customers, by_email("new@")).into_future();
    let faster = async {
        test.sent.until("insert", 1).await;
        let theirs = Customer { id: 1000, visits: 3, ..customer("new@") };
        customers.insert_one(theirs).await.unwrap();
    };
    let (found, ()) = tokio::join!(call, faster);
    assert_eq!(found.unwrap(), GetOrInsert::Found);
    assert_eq!((slower.id, slower.visits, test.value("orders._id").await), (1000, 3, Some(2)));
}

/// An index that the filter does not speak of.
#[tokio::test]
async fn a_duplicate_that_the_filter_does_not_find_is_returned_after_three_rounds() {
    let (test, customers) = customers().await;
    let mut customer = customer("old@");
    let filter = doc! { "email": "old@", "visits": 8 };
    let error = customer.get_or_insert_with_seq(&customers, filter.clone()).await.unwrap_err();
    assert_eq!((code(&error), error.number()), (Some(11_000), Some(2)));
    assert_eq!((test.sent.named("insert").len(), customer.id), (3, 0));
    test.sent.clear();
    let error = customer.get_or_insert_with_seq(&customers, filter).gapless().await.unwrap_err();
    assert_eq!((code(&error), error.number(), test.sent.named("insert").len()), (Some(11_000), None, 3));
    assert_eq!(test.value("orders._id").await, Some(4));
}

/// Each round burns one, and the error tells the first.
#[tokio::test]
async fn a_number_that_an_earlier_round_has_burnt_is_told() {
    for command in ["find", "insert"] {
        let (test, customers) = customers().await;
        test.fail(&[command], doc! { "skip": 1 }, doc! { "errorCode": 13 }).await;
        let mut customer = customer("old@");
        let error = customer.get_or_insert_with_seq(&customers, doc! { "visits": 99 }).await.unwrap_err();
        test.fail(&[command], "off", doc! {}).await;
        assert_eq!((code(&error), error.number()), (Some(13), Some(2)), "{command}");
    }
}

/// Where a later round may have stored the document, its number is told, and not one that is a gap.
#[tokio::test]
async fn the_number_with_which_a_later_round_may_have_stored_it_is_told() {
    let is_lost = doc! { "closeConnection": true };
    let is_held_up = doc! { "blockConnection": true, "blockTimeMS": 7_000 };
    for (fault, limit) in [(is_lost, None), (is_held_up, Some(Duration::from_millis(100)))] {
        let (test, customers) = customers().await;
        test.fail(&["insert"], doc! { "skip": 1 }, fault).await;
        let mut customer = customer("old@");
        let call = customer.get_or_insert_with_seq(&customers, doc! { "visits": 99 });
        let error = call.optional(limit, GetOrInsertWithSeq::time_limit).await.unwrap_err();
        test.fail(&["insert"], "off", doc! {}).await;
        let is_driver = matches!(error.kind(), ErrorKind::Driver);
        assert!(is_driver && limit.is_none() || matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
        assert_eq!(error.number(), Some(3), "{error:?}");
    }
}

/// In a transaction of the caller's, somebody else's document in the making is a reason to run it again, and then it is
/// found.
#[tokio::test]
async fn in_a_transaction_a_competitor_is_found_in_the_next_run() {
    for gapless in [false, true] {
        let (test, customers) = customers().await;
        let (other, db) = test.another_client();
        let mut competitor = other.start_session().await.unwrap();
        competitor.start_transaction().await.unwrap();
        let theirs = doc! { "_id": 1000_i64, "email": "new@", "visits": 3 };
        db.collection::<Document>("orders").insert_one(theirs).session(&mut competitor).await.unwrap();

        let mut session = test.client.start_session().await.unwrap();
        let mut customer = customer("new@");
        let mut runs = 0;
        session
            .start_transaction()
            .and_run2(async |session| {
                runs += 1;
                let call = customer.get_or_insert_with_seq(&customers, by_email("new@")).session(session);
                let outcome = if gapless { call.gapless() } else { call }.await;
                if runs == 1 {
                    let error = outcome.as_ref().unwrap_err();
                    assert!(error.contains_label(TRANSIENT_TRANSACTION_ERROR), "{error:?}");
                    competitor.commit_transaction().await?;
                }
                assert!(outcome? == GetOrInsert::Found);
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!((runs, customer.id, customer.visits), (2, 1000, 3), "gapless: {gapless}");
    }
}

/// Plain, it also sees what the transaction has done so far.
#[tokio::test]
async fn what_the_same_transaction_has_inserted_is_found_with_the_counter_outside() {
    let (test, customers) = customers().await;
    let mut session = test.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let (mut first, mut second) = (customer("new@"), customer("new@"));
    first.get_or_insert_with_seq(&customers, by_email("new@")).session(&mut session).await.unwrap();
    let found = second.get_or_insert_with_seq(&customers, by_email("new@")).session(&mut session).await.unwrap();
    session.commit_transaction().await.unwrap();
    assert_eq!((found, first), (GetOrInsert::Found, second));
}

#[tokio::test]
async fn a_document_of_another_shape_is_the_drivers_error() {
    let (test, customers) = customers().await;
    test.import("name", ["x"]).await;
    let mut customer = customer("new@");
    let error = customer.get_or_insert_with_seq(&customers, doc! { "name": "x" }).await.unwrap_err();
    assert!(error.driver_error().is_some(), "{error:?}");
    assert_eq!((customer, test.value("orders._id").await), (self::customer("new@"), Some(1)));
}

/// The competitor is done between the look and the transaction's first command.
#[tokio::test]
async fn a_competitor_between_look_and_transaction_is_found_in_the_next_run() {
    let (test, customers) = customers().await;
    test.fail(&["findAndModify"], doc! { "times": 1 }, doc! { "blockConnection": true, "blockTimeMS": 1000 }).await;
    let mut session = test.client.start_session().await.unwrap();
    let mut customer = customer("new@");
    let mut runs = 0;
    let competitor = async {
        test.sent.until("findAndModify", 1).await;
        let theirs = Customer { id: 1000, visits: 3, ..self::customer("new@") };
        customers.insert_one(theirs).await.unwrap();
    };
    let ours = session.start_transaction().and_run2(async |session| {
        runs += 1;
        customer.get_or_insert_with_seq(&customers, by_email("new@")).session(session).gapless().await?;
        Ok(())
    });
    let (done, ()) = tokio::join!(ours, competitor);
    done.unwrap();
    assert_eq!((runs, customer.id, test.value("orders._id").await), (2, 1000, Some(1)));
}
