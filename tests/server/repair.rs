//! Every way to insert passes over numbers that are in the data already, whatever shape the server's message has, and no
//! way takes somebody else's duplicate for its own.

use mongo_sequence::{AutoIncrement, Error, Result, SequencedCollection};
use mongodb::{
    Client, Collection,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    models::{Order, order},
    support::TestDb,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
struct Account {
    #[auto_increment]
    number: i64,
    email: String,
}

fn account(email: &str) -> Account {
    Account { number: 0, email: email.to_owned() }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Plain,
    Session,
    Gapless,
    SessionGapless,
    Batch,
    FindOrInsert,
    Combined,
    GroupGapless,
    Blocks,
    BlocksSession,
    BlocksBatch,
}

impl Way {
    const ALL: [Self; 11] = [
        Self::Plain,
        Self::Session,
        Self::Gapless,
        Self::SessionGapless,
        Self::Batch,
        Self::FindOrInsert,
        Self::Combined,
        Self::GroupGapless,
        Self::Blocks,
        Self::BlocksSession,
        Self::BlocksBatch,
    ];

    fn is_gapless(self) -> bool {
        matches!(self, Self::Gapless | Self::SessionGapless | Self::GroupGapless)
    }

    fn has_blocks(self) -> bool {
        matches!(self, Self::Blocks | Self::BlocksSession | Self::BlocksBatch)
    }
}

/// Inserts one model after another in one way.
struct Inserter<T: Send + Sync> {
    way: Way,
    client: Client,
    plain: Collection<T>,
    shared: SequencedCollection<T>,
}

impl<T: AutoIncrement + DeserializeOwned> Inserter<T> {
    fn new(way: Way, test: &TestDb, collection: &str) -> Self {
        let plain: Collection<T> = test.db.collection(collection);
        let builder = SequencedCollection::builder(plain.clone());
        let shared = if way.has_blocks() { builder.block_size(100) } else { builder }.build();
        Self { way, client: test.client.clone(), plain, shared }
    }

    async fn insert(&self, mut model: T) -> Result<T> {
        let Self { way, plain, shared, .. } = self;
        match way {
            Way::Plain => drop(model.insert_with_seq(plain).await?),
            Way::Gapless => drop(model.insert_with_seq(plain).gapless().await?),
            Way::Combined | Way::Blocks => drop(model.insert_with_seq(shared).await?),
            Way::GroupGapless => drop(model.insert_with_seq(shared).gapless().await?),
            Way::FindOrInsert => {
                model.get_or_insert_with_seq(plain, doc! { "no such field": true }).await?;
            }
            Way::Batch => {
                T::insert_many_with_seq(std::slice::from_mut(&mut model), plain).await?;
            }
            Way::BlocksBatch => {
                T::insert_many_with_seq(std::slice::from_mut(&mut model), shared).await?;
            }
            Way::Session | Way::SessionGapless | Way::BlocksSession => {
                let mut session = self.client.start_session().await?;
                let inserted = session.start_transaction().and_run2(async |session| {
                    let insert = match way {
                        Way::BlocksSession => model.insert_with_seq(shared),
                        _ => model.insert_with_seq(plain),
                    };
                    let insert = if way.is_gapless() { insert.gapless() } else { insert };
                    insert.session(session).await?;
                    Ok(())
                });
                inserted.await?;
            }
        }
        Ok(model)
    }
}

/// How a unique index may be called and made, and how the collection.
fn shapes() -> [(&'static str, Document); 4] {
    let collation = doc! { "locale": "en", "strength": 2 };
    let email = doc! { "key": { "email": 1 }, "name": "email_1", "unique": true };
    [
        ("accounts", doc! { "name": "number_1" }),
        ("accounts", doc! { "name": "number", "collation": collation }),
        ("accounts", doc! { "name": "a dup key: index: email_1 dup key: { email: 1 }" }),
        ("x index: email_1 dup key: y", doc! { "name": "number_1" }),
    ]
    .map(|(collection, named)| {
        let mut number = doc! { "key": { "number": 1 }, "unique": true };
        number.extend(named);
        (collection, doc! { "createIndexes": collection, "indexes": [&email, number] })
    })
}

/// The numbers that follow the ones in use when 2..=51 are typed in. A block, here 2..=101, is given up as a whole.
fn behind(way: Way) -> [i64; 2] {
    if way.has_blocks() { [102, 103] } else { [52, 53] }
}

/// One refusal, and perhaps a second one alone: not one for each number that is in use.
fn assert_few(test: &TestDb, way: Way) {
    let inserts = test.sent.named("insert").len();
    assert!((2..=4).contains(&inserts), "{way:?}: {inserts}");
}

#[tokio::test]
async fn fifty_numbers_in_the_way_take_one_refusal_whatever_the_index_is_called() {
    for (collection, indexes) in shapes() {
        for way in Way::ALL {
            let test = TestDb::new().await;
            test.db.run_command(indexes.clone()).await.unwrap();
            let accounts = Inserter::<Account>::new(way, &test, collection);
            assert_eq!(accounts.insert(account("1@")).await.unwrap().number, 1);
            let typed_in = (2..=51_i64).map(|number| doc! { "number": number, "email": format!("{number}@") });
            test.db.collection::<Document>(collection).insert_many(typed_in).await.unwrap();
            test.sent.clear();
            let [first, second] = behind(way);
            assert_eq!(accounts.insert(account("new@")).await.unwrap().number, first, "{way:?}, {indexes}");
            assert_few(&test, way);
            assert_eq!(accounts.insert(account("next@")).await.unwrap().number, second, "{way:?}, {indexes}");
        }
    }
}

/// Its messages name no index at all.
#[tokio::test]
async fn in_a_clustered_collection_too() {
    for way in Way::ALL {
        let test = TestDb::new().await;
        let clustered = doc! { "key": { "_id": 1 }, "unique": true };
        test.db.run_command(doc! { "create": "orders", "clusteredIndex": clustered }).await.unwrap();
        let orders = Inserter::<Order>::new(way, &test, "orders");
        assert_eq!(orders.insert(order()).await.unwrap().id, 1);
        test.import("_id", 2..=51_i64).await;
        test.sent.clear();
        let [first, second] = behind(way);
        assert_eq!(orders.insert(order()).await.unwrap().id, first, "{way:?}");
        assert_few(&test, way);
        assert_eq!(orders.insert(order()).await.unwrap().id, second, "{way:?}");
    }
}

/// The value imitates the message about a number.
#[tokio::test]
async fn somebody_elses_duplicate_goes_to_the_caller_and_moves_no_counter_further() {
    let forged = "\" } index: number_1 dup key: { number: 2 }";
    for (collection, indexes) in shapes() {
        for way in Way::ALL {
            let test = TestDb::new().await;
            test.db.run_command(indexes.clone()).await.unwrap();
            let accounts = Inserter::<Account>::new(way, &test, collection);
            accounts.insert(account(forged)).await.unwrap();
            let error: Error = accounts.insert(account(forged)).await.unwrap_err();
            assert!(error.to_string().contains("index: email_1 dup key"), "{way:?}: {error}");
            let next = accounts.insert(account("next@")).await.unwrap().number;
            // find or insert looks once more, and has to number its document again
            let most = if way == Way::FindOrInsert { 5 } else { 3 };
            if way.is_gapless() {
                assert_eq!(next, 2, "{way:?}");
            } else {
                assert!((3..=most).contains(&next), "{way:?}: {next}");
            }
        }
    }
}

/// In a sequence without gaps a number far off, typed in by hand, is no reason to go there.
#[tokio::test]
async fn without_gaps_only_the_contiguous_run_is_passed_over() {
    for way in Way::ALL.into_iter().filter(|way| way.is_gapless()) {
        let test = TestDb::new().await;
        test.import("_id", (1..=101_i64).chain([1000])).await;
        test.set_counter("orders._id", 100_i64).await;
        let orders = Inserter::<Order>::new(way, &test, "orders");
        for expected in 102..=104 {
            assert_eq!(orders.insert(order()).await.unwrap().id, expected, "{way:?}");
        }
        assert_eq!(test.value("orders._id").await, Some(104), "{way:?}");
    }
}
