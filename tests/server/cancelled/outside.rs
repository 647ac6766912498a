//! Counters on their own: a gap at most.

use mongo_sequence::{AutoIncrement, GetOrInsert};
use mongodb::bson::doc;

use super::{Gaps, Ticket, survives, tickets};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inserts_survive_dropped_calls() {
    survives(Gaps::MayBe, |_, db| {
        let tickets = tickets(db);
        move |token, cut| {
            let tickets = tickets.clone();
            cut.off(async move {
                let mut ticket = Ticket::new(token);
                ticket.insert_with_seq(&tickets).await.unwrap();
                vec![ticket]
            })
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_survive_dropped_calls() {
    // three documents for each token: the others are told apart by millions
    survives(Gaps::MayBe, |_, db| {
        let tickets = tickets(db);
        move |token, cut| {
            let tickets = tickets.clone();
            cut.off(async move {
                let mut batch = [0, 1_000_000, 2_000_000].map(|more| Ticket::new(token + more));
                Ticket::insert_many_with_seq(&mut batch, &tickets).await.unwrap();
                assert!(batch.is_sorted_by_key(|ticket| ticket.number));
                batch.to_vec()
            })
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_and_reservations_survive_dropped_calls() {
    survives(Gaps::MayBe, |_, db| {
        let sequence = Ticket::sequence(&tickets(db), "number").unwrap();
        move |token, cut| {
            let sequence = sequence.clone();
            cut.off(async move {
                let numbers = match token % 2 {
                    0 => vec![sequence.next_value().await.unwrap()],
                    _ => sequence.reserve(3).await.unwrap().collect(),
                };
                numbers.into_iter().map(Ticket::of_nothing).collect()
            })
        }
    })
    .await;
}

/// However far a counter was raised, and whoever has gone meanwhile: the numbers behind it are new ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counter_that_is_raised_survives_dropped_calls() {
    survives(Gaps::MayBe, |_, db| {
        let sequence = Ticket::sequence(&tickets(db), "number").unwrap();
        move |token, cut| {
            let sequence = sequence.clone();
            cut.off(async move {
                let raised = sequence.raise_to(10 * token).await.unwrap();
                assert!(raised >= 10 * token, "{raised} after it was raised to ten times {token}");
                let number = sequence.next_value().await.unwrap();
                assert!(number > raised, "{number} after it was raised to {raised}");
                vec![Ticket::of_nothing(number)]
            })
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_who_find_or_insert_survive_dropped_calls() {
    survives(Gaps::MayBe, |_, db| {
        let tickets = tickets(db);
        move |token, cut| {
            let tickets = tickets.clone();
            cut.off(async move {
                let (mut ticket, mut again) = (Ticket::new(token), Ticket::new(token));
                let filter = doc! { "token": token };
                assert!(ticket.get_or_insert_with_seq(&tickets, filter.clone()).await.unwrap() != GetOrInsert::Found);
                assert!(again.get_or_insert_with_seq(&tickets, filter).await.unwrap() == GetOrInsert::Found);
                assert_eq!(again.number, ticket.number);
                vec![ticket]
            })
        }
    })
    .await;
}
