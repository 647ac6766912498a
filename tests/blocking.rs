//! `mongodb::sync` beside this library: one client, and one transaction, for both.
//!
//! `cargo test --test blocking --features sync`

use std::{collections::BTreeSet, thread};

use mongo_sequence::{AutoIncrement, Error, ErrorKind, Sequence};
use mongod_fixture::run_blocking;
use mongodb::{
    Client, ClientSession, Collection,
    bson::{Document, doc},
    error::ErrorKind as DriverErrorKind,
    sync,
};
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

#[derive(Serialize, AutoIncrement)]
struct Invoice {
    #[serde(rename = "_id")]
    #[auto_increment(gapless)]
    number: i64,
    #[auto_increment]
    ticket: i64,
}

fn invoice() -> Invoice {
    Invoice { number: 0, ticket: 0 }
}

/// Books an invoice with the two APIs in one transaction of the blocking one, which runs it again after a conflict.
fn book(
    runtime: &Runtime,
    blocking: &sync::Client,
    invoices: &Collection<Invoice>,
    fails: bool,
) -> mongodb::error::Result<i64> {
    let accounts: sync::Collection<Document> = blocking.database(&invoices.namespace().db).collection("accounts");
    let mut session = blocking.start_session().run()?;
    session.start_transaction().and_run(|session| {
        let mut invoice = invoice();
        runtime.block_on(async { invoice.insert_with_seq(invoices).session(&mut *session).await })?;
        let booking = doc! { "$inc": { "invoices": 1 } };
        accounts.update_one(doc! { "_id": 1 }, booking).upsert(true).session(&mut *session).run()?;
        if fails { Err(mongodb::error::Error::custom("not after all")) } else { Ok(invoice.number) }
    })
}

#[test]
fn both_are_in_one_transaction() {
    run_blocking(|uri, name| {
        let runtime = Runtime::new().unwrap();
        let client = runtime.block_on(Client::with_uri_str(uri))?;
        let invoices: Collection<Invoice> = client.database(name).collection("invoices");
        let blocking = sync::Client::from(client);
        assert_eq!(book(&runtime, &blocking, &invoices, false)?, 1);
        book(&runtime, &blocking, &invoices, true).unwrap_err();
        let told: BTreeSet<i64> = thread::scope(|scope| {
            let book = || (0..5).map(|_| book(&runtime, &blocking, &invoices, false).unwrap()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(book)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(told, (2..=21).collect());
        let stored = blocking.database(name).collection::<Document>("invoices").count_documents(doc! {}).run()?;
        let account = blocking.database(name).collection::<Document>("accounts").find_one(doc! {}).run()?.unwrap();
        assert_eq!((stored, account.get_i32("invoices").unwrap()), (21, 21));
        Ok::<_, Error>(())
    });
}

/// The client's own tasks run on the driver's runtime then, so that any will do for the library's.
#[test]
fn a_session_of_the_blocking_api_has_the_client_for_the_other() {
    run_blocking(|uri, name| {
        let blocking = sync::Client::with_uri_str(uri)?;
        let mut session = blocking.start_session().run()?;
        let client = <&mut ClientSession>::from(&mut session).client();
        let invoices: Collection<Invoice> = client.database(name).collection("invoices");
        for expected in [1, 2] {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            assert_eq!(book(&runtime, &blocking, &invoices, false)?, expected);
        }
        session.start_transaction().run()?;
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let numbers = Sequence::new(&client.database(name), "invoices._id");
        assert_eq!(runtime.block_on(async { numbers.next_value().session(&mut session).await })?, 3);
        session.abort_transaction().run()?;
        assert_eq!(runtime.block_on(numbers.current_value())?, Some(2));
        Ok::<_, Error>(())
    });
}

#[test]
fn a_session_of_another_client_is_refused_and_takes_no_gapless_number() {
    run_blocking(|uri, name| {
        let runtime = Runtime::new().unwrap();
        let client = runtime.block_on(Client::with_uri_str(uri))?;
        let invoices: Collection<Invoice> = client.database(name).collection("invoices");
        runtime.block_on(async { invoice().insert_with_seq(&invoices).await })?;
        let mut session = sync::Client::with_uri_str(uri)?.start_session().run()?;
        session.start_transaction().run()?;
        let mut refused = invoice();
        let call = async { refused.insert_with_seq(&invoices).session(&mut session).await };
        let error = runtime.block_on(call).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Driver), "{error:?}");
        let kind = &*error.driver_error().unwrap().kind;
        assert!(matches!(kind, DriverErrorKind::InvalidArgument { .. }), "{error:?}");
        let numbers = Sequence::new(&client.database(name), "invoices._id");
        assert_eq!(runtime.block_on(numbers.current_value())?, Some(1));
        assert_eq!(error.number(), Some(2)); // of the field that may have gaps
        Ok::<_, Error>(())
    });
}
