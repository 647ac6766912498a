//! A counter that was lost is found again behind the data of exactly its scope, whatever the scope is made of.

use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{
    Collection,
    bson::{Bson, DateTime, Document, Uuid, doc},
};
use serde::Serialize;

use crate::{models::SmallOrder, support::TestDb};

#[derive(Clone, Serialize, AutoIncrement)]
struct Bill<T> {
    tenant: T,
    #[auto_increment(scope(tenant))]
    number: i64,
}

/// Stores 3 bills of the first, 5 of the second, loses the counters and goes on in two ways.
async fn lost_and_found<T: Clone + Into<Bson> + Serialize + Send + Sync>(scopes: [T; 2]) {
    let test = TestDb::new().await;
    let bills: Collection<Bill<T>> = test.db.collection("bills");
    Bill::<T>::ensure_sequences(&bills).await.unwrap();
    for (tenant, many) in scopes.iter().zip([3, 5]) {
        let mut batch = vec![Bill { tenant: tenant.clone(), number: 0 }; many];
        Bill::insert_many_with_seq(&mut batch, &bills).await.unwrap();
    }
    // as another program stores it
    let foreign = scopes.clone().map(|tenant| doc! { "tenant": tenant, "number": 10_i64 });
    for gapless in [false, true] {
        test.counters().delete_many(doc! {}).await.unwrap();
        for (tenant, before) in scopes.iter().zip([3, 5]) {
            let mut bill = Bill { tenant: tenant.clone(), number: 0 };
            let insert = bill.insert_with_seq(&bills);
            if gapless { insert.gapless() } else { insert }.await.unwrap();
            assert_eq!(bill.number, before + 1 + i64::from(gapless), "{:?}", tenant.clone().into());
        }
        assert_eq!(test.counters().count_documents(doc! {}).await.unwrap(), 2);
    }
    test.counters().delete_many(doc! {}).await.unwrap();
    bills.clone_with_type::<Document>().insert_one(&foreign[1]).await.unwrap();
    for (tenant, expected) in scopes.iter().zip([6, 11]) {
        let scope = doc! { "tenant": tenant.clone() };
        let sequence = Bill::<T>::scoped_sequence(&bills, "number", scope).unwrap();
        assert_eq!(sequence.next_value().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn ids_times_and_bytes_find_their_own_numbers_again() {
    let uuid = |last| Uuid::from_bytes([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, last]);
    lost_and_found([uuid(1), uuid(2)]).await;
    lost_and_found([0, 1].map(DateTime::from_millis)).await;
    lost_and_found([-1, 253_402_300_800_000].map(DateTime::from_millis)).await;
    lost_and_found([i64::MIN, i64::MAX].map(DateTime::from_millis)).await;
    lost_and_found([i64::MIN, i64::MAX]).await;
    lost_and_found(["", "\0"]).await;
    lost_and_found([None, Some(true)]).await;
}

/// Somebody has counted on with a wider type: nothing is inserted, and nothing moves.
#[tokio::test]
async fn a_counter_beyond_the_type_of_the_field_is_told_before_anything_is_inserted() {
    for beyond in [i64::from(i32::MAX) + 1, i64::from(i32::MAX) + 10, i64::MAX] {
        let test = TestDb::new().await;
        let orders: Collection<SmallOrder> = test.db.collection("orders");
        test.set_counter("orders._id", beyond).await;
        let before = test.counter("orders._id").await;
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let (mut model, mut batch) = (SmallOrder { id: -1 }, vec![SmallOrder { id: -1 }; 2]);
        let errors = [
            model.insert_with_seq(&orders).await.unwrap_err(),
            model.insert_with_seq(&orders).gapless().await.unwrap_err(),
            model.insert_with_seq(&orders).session(&mut session).gapless().await.unwrap_err(),
            model.insert_with_seq(&orders).session(&mut session).await.unwrap_err(),
            SmallOrder::insert_many_with_seq(&mut batch, &orders).await.unwrap_err(),
            SmallOrder::sequence(&orders, "id").unwrap().next_value().await.unwrap_err(),
        ];
        for error in errors {
            match error.kind() {
                ErrorKind::Exhausted { value, limit, remaining: 0, .. } => {
                    assert_eq!((*value, *limit), (beyond, i64::from(i32::MAX)));
                }
                other => panic!("{other:?}"),
            }
            assert!(error.to_string().contains("give the field a wider type"), "{error}");
        }
        session.commit_transaction().await.unwrap();
        assert_eq!((model.id, &batch[..]), (-1, &[SmallOrder { id: -1 }, SmallOrder { id: -1 }][..]));
        assert!(test.sent.named("insert").is_empty());
        assert_eq!(test.counter("orders._id").await, before);
    }
}

/// What the data says beyond the type of the field does not count.
#[tokio::test]
async fn data_beyond_the_type_of_the_field_does_not_end_the_sequence() {
    let test = TestDb::new().await;
    test.import("_id", [7_i64, i64::from(i32::MAX) + 5, 1_700_000_000_000]).await;
    let orders: Collection<SmallOrder> = test.db.collection("orders");
    let mut model = SmallOrder { id: 0 };
    model.insert_with_seq(&orders).await.unwrap();
    assert_eq!(model.id, 8);
}
