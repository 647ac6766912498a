//! Gapless numbers, in the library's own transaction and in the caller's.

use mongo_sequence::AutoIncrement;
use mongodb::{ClientSession, bson::doc};

use super::{Cut, Gaps, Ticket, survives, tickets};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_of_the_librarys_survive_dropped_calls() {
    survives(Gaps::Never, |_, db| {
        let tickets = tickets(db);
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

/// What the caller does with a transaction in which a call was dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Abort,
    /// Which it must not: there may be a hole.
    Commit,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_of_the_callers_survive_dropped_calls() {
    of_the_caller(Gaps::Never, Then::Abort).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_of_the_callers_that_are_committed_all_the_same_give_no_number_twice() {
    of_the_caller(Gaps::MayBe, Then::Commit).await;
}

async fn of_the_caller(gaps: Gaps, then: Then) {
    survives(gaps, |client, db| {
        let (client, tickets) = (client.clone(), tickets(db));
        move |token, cut: Cut| {
            let (client, tickets) = (client.clone(), tickets.clone());
            async move {
                loop {
                    let mut session = client.start_session().await.unwrap();
                    session.start_transaction().await.unwrap();
                    let mut ticket = Ticket::new(token);
                    let call = ticket.insert_with_seq(&tickets).session(&mut session).gapless();
                    match cut.off(call).await {
                        None => {
                            end(session, then, tickets.clone_with_type()).await;
                            return None;
                        }
                        Some(Ok(_)) if session.commit_transaction().await.is_ok() => return Some(vec![ticket]),
                        Some(_) => {
                            let _aborted_already = session.abort_transaction().await; // a conflict: once more
                        }
                    }
                }
            }
        }
    })
    .await;
}

/// The driver ends no transaction whose first command was dropped, so one more is sent, whatever it answers.
async fn end(mut session: ClientSession, then: Then, tickets: mongodb::Collection<mongodb::bson::Document>) {
    let _any = tickets.find_one(doc! {}).session(&mut session).await;
    let _ended = match then {
        Then::Abort => session.abort_transaction().await,
        Then::Commit => session.commit_transaction().await,
    };
}
