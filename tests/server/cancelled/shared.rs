//! Callers that share commands, blocks and transactions with those who go away.

use futures_util::{FutureExt, future::LocalBoxFuture};
use mongo_sequence::{AutoIncrement, SequencedCollection, SharedSequence};
use mongodb::Database;

use super::{Cut, Gaps, Ticket, survives, tickets};

/// Documents, and numbers and reservations for nothing, of one counter in turn.
fn sharing(db: &Database, block: u32) -> impl Fn(i64, Cut) -> LocalBoxFuture<'static, Option<Vec<Ticket>>> + use<> {
    let sequence = Ticket::sequence(&tickets(db), "number").unwrap();
    let sequence = SharedSequence::builder(sequence).block_size(block).build();
    let tickets = SequencedCollection::builder(tickets(db)).block_size(block).build();
    move |token, cut| {
        let (tickets, sequence) = (tickets.clone(), sequence.clone());
        let call = async move {
            match token % 4 {
                0 => vec![Ticket::of_nothing(sequence.next_value().await.unwrap())],
                1 => sequence.reserve(5).await.unwrap().map(Ticket::of_nothing).collect(),
                _ => {
                    let mut ticket = Ticket::new(token);
                    ticket.insert_with_seq(&tickets).await.unwrap();
                    vec![ticket]
                }
            }
        };
        cut.off(call).boxed_local()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_share_commands_survive_dropped_ones() {
    survives(Gaps::MayBe, |_, db| sharing(db, 0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_with_blocks_survive_dropped_ones() {
    survives(Gaps::MayBe, |_, db| sharing(db, 7)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gapless_groups_survive_dropped_callers() {
    survives(Gaps::Never, |_, db| {
        let tickets = SequencedCollection::new(tickets(db));
        move |token, cut| {
            let tickets = tickets.clone();
            cut.off(async move {
                let mut ticket = Ticket::new(token);
                ticket.insert_with_seq(&tickets).gapless().await.unwrap();
                vec![ticket]
            })
        }
    })
    .await;
}
