//! Those who look after a collection, beside those who insert into it.

use mongo_sequence::{AutoIncrement, ForeignCounter, Sequence};
use mongodb::bson::{Document, doc};

use super::{Cut, Gaps, Ticket, survives, tickets};

/// Everything that maintains, each several hundred times. Whoever is not cut off goes through to the end, so the last one
/// leaves no document without a number.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn maintenance_survives_dropped_calls() {
    survives(Gaps::MayBe, |_, db| {
        let (db, tickets) = (db.clone(), tickets(db));
        let theirs = ForeignCounter::identity_counter("Ticket", "number");
        move |token, cut| {
            let (db, tickets, theirs) = (db.clone(), tickets.clone(), theirs.clone());
            async move {
                let sequence = Ticket::sequence(&tickets, "number").unwrap();
                let bare = tickets.clone_with_type::<Document>();
                bare.insert_many([0, 1_000_000].map(|more| doc! { "token": token + more })).await.unwrap();
                let foreign = doc! { "model": "Ticket", "field": "number", "count": 3 * token };
                db.collection("identitycounters").insert_one(foreign).await.unwrap();
                cut.off(async move {
                    let all = matches!(cut, Cut::Never);
                    if all || token % 5 == 0 {
                        Ticket::backfill_sequences(&tickets).await.unwrap();
                    }
                    if all || token % 5 == 1 {
                        Ticket::ensure_sequences(&tickets).await.unwrap();
                    }
                    if all || token % 5 == 2 {
                        Ticket::verify_sequences(&tickets).await.unwrap();
                    }
                    if all || token % 5 == 3 {
                        sequence.adopt(&theirs).await.unwrap();
                    }
                    if all || token % 5 == 4 {
                        Sequence::list(&db).await.unwrap();
                        sequence.current_value().await.unwrap();
                    }
                    vec![Ticket::of_nothing(sequence.next_value().await.unwrap())]
                })
                .await
            }
        }
    })
    .await;
}
