//! The library, on a real server.

use futures_util::future::join_all;
use mongo_sequence::{AutoIncrement, Reserved, Result, Sequence, SharedSequence};
use mongodb::{
    Collection, Database,
    bson::{Bson, doc},
};
use proptest_state_machine::StateMachineTest;
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use super::{
    calls::{Call, Calls, Handle, State},
    reference::{Outcome, Prefetch, Reference},
};
use crate::support::TestDb;

#[derive(Debug, Serialize, Deserialize, AutoIncrement)]
struct Bill {
    tenant: i32,
    #[auto_increment(scope(tenant))]
    number: i64,
}

pub(super) struct Machine {
    parts: Parts,
    /// Of one thread: who calls together is heard together. Dropped last.
    runtime: Runtime,
}

struct Parts {
    counters: Vec<Handles>,
    bills: Collection<Bill>,
    test: TestDb,
}

/// Of one counter.
struct Handles {
    key: Bson,
    plain: [Sequence; 2],
    shared: SharedSequence,
    blocks: [SharedSequence; 2],
}

impl Handles {
    fn new(key: Bson, plain: [Sequence; 2], reference: &Reference) -> Self {
        let blocks = blocks(&plain, reference);
        Self { key, shared: SharedSequence::new(plain[0].clone()), blocks, plain }
    }

    async fn next(&self, handle: Handle) -> Outcome {
        let taken = match handle {
            Handle::Plain(client) => self.plain[client].next_value().await,
            Handle::Shared => self.shared.next_value().await,
            Handle::Blocks(handle) => self.blocks[handle].next_value().await,
        };
        taken.map_or_else(Outcome::from, |number| Outcome::Numbers(vec![number]))
    }

    async fn reserve(&self, handle: Handle, n: u64) -> Outcome {
        numbers(match handle {
            Handle::Plain(client) => self.plain[client].reserve(n).await,
            Handle::Shared => self.shared.reserve(n).await,
            Handle::Blocks(handle) => self.blocks[handle].reserve(n).await,
        })
    }

    async fn raise_to(&self, handle: Handle, n: i64) -> Outcome {
        let raised = match handle {
            Handle::Plain(client) => self.plain[client].raise_to(n).await,
            Handle::Shared => self.shared.raise_to(n).await,
            Handle::Blocks(handle) => self.blocks[handle].raise_to(n).await,
        };
        raised.map_or_else(Outcome::from, Outcome::StandsAt)
    }

    async fn reserve_in_transaction(&self, test: &TestDb, amounts: &[u64], commits: bool) -> Vec<Outcome> {
        let mut session = test.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        let mut outcomes = Vec::new();
        for &n in amounts {
            outcomes.push(numbers(self.plain[0].reserve(n).session(&mut session).await));
            if matches!(outcomes.last(), Some(Outcome::Exhausted { .. })) {
                break;
            }
        }
        if commits && !matches!(outcomes.last(), Some(Outcome::Exhausted { .. })) {
            session.commit_transaction().await.unwrap();
        } else {
            session.abort_transaction().await.unwrap();
        }
        outcomes
    }

    async fn restart(&mut self, client: usize, n: i64, are_stopped: bool, reference: &Reference) -> Outcome {
        let restart = self.plain[client].restart(n);
        let restarted = if are_stopped { restart.assume_stopped().await } else { restart.await };
        match restarted {
            Ok(()) => {
                if are_stopped {
                    self.blocks = blocks(&self.plain, reference);
                }
                Outcome::Restarted
            }
            Err(error) => error.into(),
        }
    }
}

/// One on each client.
fn blocks(plain: &[Sequence; 2], reference: &Reference) -> [SharedSequence; 2] {
    [0, 1].map(|handle: usize| {
        SharedSequence::builder(plain[handle].clone()).block_size(reference.blocks[handle].size).build()
    })
}

fn numbers(reserved: Result<Reserved>) -> Outcome {
    reserved.map_or_else(Outcome::from, |numbers| Outcome::Numbers(numbers.collect()))
}

impl Parts {
    async fn new(state: &State) -> Self {
        let test = TestDb::new().await;
        let databases = [test.db.clone(), test.another_client().1];
        let bills = databases.each_ref().map(|database| database.collection::<Bill>("bills"));
        Bill::ensure_sequences(&bills[0]).await.unwrap();
        let handles = |(counter, reference)| {
            if counter == 0 {
                let named = databases.each_ref().map(|database| named(database, reference));
                return Handles::new("tickets".into(), named, reference);
            }
            let tenant = i32::try_from(counter).unwrap();
            let of_tenant = |bills| Bill::scoped_sequence(bills, "number", doc! { "tenant": tenant }).unwrap();
            let key = doc! { "seq": "bills.number", "tenant": tenant };
            Handles::new(key.into(), bills.each_ref().map(of_tenant), reference)
        };
        let counters = state.counters.iter().enumerate().map(handles).collect();
        let [bills, _] = bills;
        Self { counters, bills, test }
    }

    async fn step(&mut self, state: &State, counter: usize, call: Call) {
        let before = self.answered();
        let reference = &state.counters[counter];
        assert_eq!(self.call(counter, call, reference).await, state.outcomes);
        let Prefetch { moves, reads } = state.prefetch;
        if moves > 0 {
            self.test.sent.until_answered("findAndModify", before.moves + moves).await;
            self.test.sent.until_answered("find", before.reads + reads).await;
        }
        assert_eq!(self.counters[counter].plain[0].current_value().await.unwrap(), reference.value);
    }

    async fn call(&mut self, place: usize, call: Call, reference: &Reference) -> Vec<Outcome> {
        let counter = &mut self.counters[place];
        match call {
            Call::Next(handle) => vec![counter.next(handle).await],
            Call::Reserve(handle, n) => vec![counter.reserve(handle, n).await],
            Call::ReserveTogether(amounts) => {
                join_all(amounts.into_iter().map(|n| counter.reserve(Handle::Shared, n))).await
            }
            Call::ReserveInTransaction { amounts, commits } => {
                counter.reserve_in_transaction(&self.test, &amounts, commits).await
            }
            Call::RaiseTo(handle, n) => vec![counter.raise_to(handle, n).await],
            Call::Restart { client, n, are_stopped } => {
                vec![counter.restart(client, n, are_stopped, reference).await]
            }
            Call::Insert => {
                let mut bill = Bill { tenant: i32::try_from(place).unwrap(), number: 0 };
                bill.insert_with_seq(&self.bills).await.unwrap();
                vec![Outcome::Numbers(vec![bill.number])]
            }
            Call::Lose => {
                self.test.counters().delete_one(doc! { "_id": &counter.key }).await.unwrap();
                Vec::new()
            }
        }
    }

    fn answered(&self) -> Prefetch {
        Prefetch { moves: self.test.sent.answered("findAndModify"), reads: self.test.sent.answered("find") }
    }
}

impl StateMachineTest for Machine {
    type SystemUnderTest = Self;
    type Reference = Calls;

    fn init_test(state: &State) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let parts = runtime.block_on(Parts::new(state));
        Self { parts, runtime }
    }

    fn apply(mut machine: Self, state: &State, (counter, call): (usize, Call)) -> Self {
        machine.runtime.block_on(machine.parts.step(state, counter, call));
        machine
    }
}

fn named(database: &Database, reference: &Reference) -> Sequence {
    let sequence = Sequence::new(database, "tickets").start(reference.start).step(reference.step);
    if reference.step > 0 { sequence.max(reference.last) } else { sequence.min(reference.last) }
}
