//! The ways to insert a document that are compared.

mod by_hand;

use mongo_sequence::{AutoIncrement, SequencedCollection};
use mongodb::{Client, Collection, Database};
use serde::{Deserialize, Serialize};

pub(crate) use self::by_hand::ByHand;
use crate::{Result, check::Promise, measure::Work};

/// What is inserted in all of the numbered ways.
#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
pub(crate) struct Order {
    #[serde(rename = "_id")]
    #[auto_increment]
    pub(crate) id: i64,
    pub(crate) item: String,
}

/// The same document, whose `_id` is the driver's.
#[derive(Debug, Serialize)]
pub(crate) struct Unnumbered {
    pub(crate) item: String,
}

pub(crate) fn order() -> Order {
    Order { id: 0, item: item() }
}

pub(crate) fn item() -> String {
    "a kilogram of tea".to_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    InsertOne,
    TwoCommands,
    GaplessByHand,
    Plain,
    Sequenced,
    Blocks,
    PlainGapless,
    SequencedGapless,
}

impl Way {
    pub(crate) const ALL: [Self; 8] = [
        Self::InsertOne,
        Self::TwoCommands,
        Self::GaplessByHand,
        Self::Plain,
        Self::Sequenced,
        Self::Blocks,
        Self::PlainGapless,
        Self::SequencedGapless,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InsertOne => "insert_one",
            Self::TwoCommands => "by hand, two commands",
            Self::GaplessByHand => "by hand, gapless transaction",
            Self::Plain => "Collection",
            Self::Sequenced => "SequencedCollection",
            Self::Blocks => "SequencedCollection, block_size(100)",
            Self::PlainGapless => "Collection, gapless",
            Self::SequencedGapless => "SequencedCollection, gapless",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

    pub(crate) fn promise(self) -> Promise {
        match self {
            Self::InsertOne => Promise::Nothing,
            Self::TwoCommands | Self::Plain | Self::Sequenced | Self::Blocks => Promise::Unique,
            Self::GaplessByHand | Self::PlainGapless | Self::SequencedGapless => Promise::Gapless,
        }
    }

    /// On this collection, with the counter that belongs to it.
    pub(crate) fn on(self, client: &Client, db: &Database, collection: &str) -> Inserter {
        let orders = || db.collection(collection);
        let gapless = self.promise() == Promise::Gapless;
        match self {
            Self::InsertOne => Inserter::InsertOne(db.collection(collection)),
            Self::TwoCommands => Inserter::TwoCommands(ByHand::new(client, db, collection)),
            Self::GaplessByHand => Inserter::GaplessByHand(ByHand::new(client, db, collection)),
            Self::Plain | Self::PlainGapless => Inserter::Plain(orders(), gapless),
            Self::Blocks => Inserter::Sequenced(SequencedCollection::builder(orders()).block_size(100).build(), false),
            Self::Sequenced | Self::SequencedGapless => {
                Inserter::Sequenced(SequencedCollection::new(orders()), gapless)
            }
        }
    }
}

/// Inserts in one of the ways. The `bool` is whether without gaps.
#[derive(Clone, Debug)]
pub(crate) enum Inserter {
    InsertOne(Collection<Unnumbered>),
    TwoCommands(ByHand),
    GaplessByHand(ByHand),
    Plain(Collection<Order>, bool),
    Sequenced(SequencedCollection<Order>, bool),
}

impl Work for Inserter {
    async fn call(&self, told: &mut Vec<i64>) -> Result<usize> {
        let mut order = order();
        match self {
            Self::InsertOne(unnumbered) => {
                unnumbered.insert_one(Unnumbered { item: order.item }).await?;
                return Ok(1);
            }
            Self::TwoCommands(by_hand) => order.id = by_hand.two_commands().await?,
            Self::GaplessByHand(by_hand) => order.id = by_hand.gapless().await?,
            Self::Plain(orders, false) => drop(order.insert_with_seq(orders).await?),
            Self::Plain(orders, true) => drop(order.insert_with_seq(orders).gapless().await?),
            Self::Sequenced(orders, false) => drop(order.insert_with_seq(orders).await?),
            Self::Sequenced(orders, true) => drop(order.insert_with_seq(orders).gapless().await?),
        }
        told.push(order.id);
        Ok(1)
    }
}
