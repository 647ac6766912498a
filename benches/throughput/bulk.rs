//! Section 2: batches of 1,000 documents.

use mongo_sequence::{AutoIncrement, SequencedCollection};
use mongodb::{Collection, Database};

use crate::{
    Result,
    arguments::Plan,
    at,
    check::{Promise, check},
    deployment::Deployment,
    measure::{Load, Work, measure},
    modes::{Order, Unnumbered, item, order},
    results::{Cell, Results, Section},
};

const BATCH: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    InsertMany,
    Plain,
    Blocks,
}

#[derive(Clone, Debug)]
enum Inserter {
    InsertMany(Collection<Unnumbered>),
    Plain(Collection<Order>),
    Blocks(SequencedCollection<Order>),
}

impl Way {
    const ALL: [Self; 3] = [Self::InsertMany, Self::Plain, Self::Blocks];

    fn name(self) -> &'static str {
        match self {
            Self::InsertMany => "insert_many",
            Self::Plain => "insert_many_with_seq, Collection",
            Self::Blocks => "insert_many_with_seq, block_size(1000)",
        }
    }

    fn on(self, db: &Database, collection: &str) -> Inserter {
        match self {
            Self::InsertMany => Inserter::InsertMany(db.collection(collection)),
            Self::Plain => Inserter::Plain(db.collection(collection)),
            Self::Blocks => {
                let blocks = SequencedCollection::builder(db.collection(collection)).block_size(1_000);
                Inserter::Blocks(blocks.build())
            }
        }
    }
}

impl Work for Inserter {
    async fn call(&self, told: &mut Vec<i64>) -> Result<usize> {
        let mut orders = Vec::new();
        if !matches!(self, Self::InsertMany(_)) {
            orders.extend((0..BATCH).map(|_| order()));
        }
        let inserted = match self {
            Self::InsertMany(unnumbered) => {
                unnumbered.insert_many((0..BATCH).map(|_| Unnumbered { item: item() })).await?
            }
            Self::Plain(collection) => Order::insert_many_with_seq(&mut orders, collection).await?,
            Self::Blocks(collection) => Order::insert_many_with_seq(&mut orders, collection).await?,
        };
        told.extend(orders.iter().map(|order| order.id));
        Ok(inserted.inserted_ids.len())
    }
}

pub(crate) fn cells() -> [Cell; 3] {
    Way::ALL.map(|way| Section::Bulk.cell(way.name(), 1))
}

pub(crate) async fn run(plan: &Plan, deployment: &Deployment, results: &mut Results) -> Result<()> {
    for (way, cell) in Way::ALL.into_iter().zip(cells()) {
        if !plan.wants(&cell.to_string()) {
            continue;
        }
        let name = deployment.fresh_name();
        let inserter = way.on(deployment.db(), &name);
        let load = Load { callers: 1, warm_up: plan.warm_up, window: plan.window };
        let (told, values) = measure(&inserter, load, deployment).await.map_err(at(cell))?;
        let promise = if way == Way::InsertMany { Promise::Nothing } else { Promise::Unique };
        check(deployment.db(), &name, told, promise).await.map_err(at(cell))?;
        results.add(cell, values);
    }
    Ok(())
}
