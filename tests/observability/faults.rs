//! What is told when something goes wrong.

use std::{future::IntoFuture, pin::pin, time::Duration};

use futures_util::poll;
use mongo_sequence::{AutoIncrement, ErrorKind};
use mongodb::{bson::doc, error::TRANSIENT_TRANSACTION_ERROR};
use tokio::runtime::Builder;

use crate::{
    Stage,
    models::{Order, order},
    seen::SEEN,
    support::TestDb,
    table,
};

const ENDED: &str = "transaction ended without its caller";

/// The call that is told of last, and one before it that has made the counter.
async fn prepared() -> Stage {
    let stage = Stage::with_faults().await;
    order().insert_with_seq(&stage.orders).await.unwrap();
    stage.test.sent.clear();
    stage
}

fn counted(name: &str, sequence: &str, mode: &str) -> u64 {
    SEEN.counted(name, sequence).into_iter().find(|(found, _)| found == mode).map_or(0, |(_, n)| n)
}

pub(crate) async fn a_conflict_at_a_counter_is_told_and_so_is_each_repetition() {
    let Stage { test, orders, sequence } = prepared().await;
    test.fail(&["findAndModify"], doc! { "times": 3 }, doc! { "errorCode": 112 }).await;
    order().insert_with_seq(&orders).await.unwrap();
    let span = SEEN.of("insert_with_seq", &sequence).remove(1);
    assert_eq!(span.values(["attempts", "number", "error"]), [Some("4"), Some("2"), None]);
    let conflicts = SEEN.of("counter conflict", &sequence);
    assert_eq!(conflicts.len(), 3);
    assert!(conflicts.iter().all(|conflict| conflict.parent == Some(span.place)));
    let again: Vec<_> = SEEN.of("trying again", &sequence).iter().map(|it| it.number("attempt").unwrap()).collect();
    assert_eq!(again, [2, 3, 4]);
    assert_eq!(SEEN.of("trying again", &sequence)[0].value("what"), Some("counter command"));
    assert_eq!(counted("counter_conflicts_total", &sequence, "plain"), 3);
    assert_eq!(counted("retries_total", &sequence, "plain"), 3);
}

/// It is not repeated here.
pub(crate) async fn a_conflict_in_a_transaction_of_the_callers_is_told() {
    let Stage { test, orders, sequence } = prepared().await;
    let mut sessions = [test.client.start_session().await.unwrap(), test.client.start_session().await.unwrap()];
    for session in &mut sessions {
        session.start_transaction().await.unwrap();
    }
    let [first, second] = &mut sessions;
    order().insert_with_seq(&orders).session(&mut *first).gapless().await.unwrap();
    let error = order().insert_with_seq(&orders).session(&mut *second).gapless().await.unwrap_err();
    assert!(error.contains_label(TRANSIENT_TRANSACTION_ERROR));
    let conflict = SEEN.the("counter conflict", &sequence);
    assert_eq!(conflict.value("mode"), Some("transaction"));
    assert_eq!(counted("counter_conflicts_total", &sequence, "transaction"), 1);
    assert_eq!(SEEN.counted("retries_total", &sequence), []);
    let span = SEEN.of("insert_with_seq", &sequence).remove(2);
    assert_eq!(span.values(["attempts", "number", "error"]), [None, None, Some("Driver")]);
    first.abort_transaction().await.unwrap();
    second.abort_transaction().await.unwrap();
}

pub(crate) async fn a_transaction_that_is_run_again_is_told() {
    let Stage { test, orders, sequence } = prepared().await;
    let transient = doc! { "errorCode": 251, "errorLabels": [TRANSIENT_TRANSACTION_ERROR] };
    test.fail(&["insert"], doc! { "times": 2 }, transient).await;
    order().insert_with_seq(&orders).gapless().await.unwrap();
    let span = SEEN.of("insert_with_seq", &sequence).remove(1);
    assert_eq!(span.values(["mode", "attempts", "number"]), [Some("gapless"), Some("3"), Some("2")]);
    let again = SEEN.of("trying again", &sequence);
    let told: Vec<_> = again.iter().map(|it| it.values(["what", "attempt", "mode"])).collect();
    let transaction = |attempt| [Some("transaction"), Some(attempt), Some("gapless")];
    assert_eq!(told, [transaction("2"), transaction("3")]);
    assert!(again.iter().all(|event| event.parent == Some(span.place)), "the task runs in the span of its caller");
    // what was rolled back was not taken
    assert_eq!(counted("numbers_total", &sequence, "gapless"), 1);
    assert_eq!(counted("retries_total", &sequence, "gapless"), 2);
}

pub(crate) async fn numbers_of_refused_documents_are_burnt() {
    let Stage { test, orders, sequence } = prepared().await;
    test.unique_index(orders.name(), doc! { "item": 1 }).await;
    order().insert_with_seq(&orders).await.unwrap_err();
    let burnt = SEEN.the("numbers burnt", &sequence);
    assert_eq!(burnt.values(["mode", "count", "number"]), [Some("plain"), Some("1"), Some("2")]);
    let span = SEEN.of("insert_with_seq", &sequence).remove(1);
    assert_eq!(span.values(["number", "burnt", "error"]), [None, Some("2"), Some("Driver")]);
    assert_eq!(burnt.parent, Some(span.place));

    // of a batch those that were refused, and those behind them that were not tried
    let item = |item: &str| Order { id: 0, item: item.to_owned() };
    let mut batch = [item("milk"), item("tea"), item("salt"), item("tea")];
    Order::insert_many_with_seq(&mut batch, &orders).ordered(false).await.unwrap_err();
    assert_eq!(counted("numbers_burnt_total", &sequence, "plain"), 1 + 2);
    assert_eq!(SEEN.of("numbers burnt", &sequence)[1].values(["count", "number"]), [Some("2"), Some("4")]);
    Order::insert_many_with_seq(&mut [item("tea"), item("rice")], &orders).await.unwrap_err();
    assert_eq!(counted("numbers_burnt_total", &sequence, "plain"), 3 + 2);
    let batches = SEEN.of("insert_many_with_seq", &sequence);
    assert_eq!(batches[0].values(["number", "burnt", "error"]), [Some("3"), Some("4"), Some("Incomplete")]);

    // a rollback gives numbers back
    order().insert_with_seq(&orders).gapless().await.unwrap_err();
    assert_eq!(counted("numbers_burnt_total", &sequence, "gapless"), 0);
    assert_eq!(counted("numbers_total", &sequence, "gapless"), 0);
}

pub(crate) async fn numbers_that_are_not_confirmed_are_burnt() {
    let Stage { test, orders, sequence } = prepared().await;
    let unconfirmed = doc! { "writeConcernError": { "code": 64, "errmsg": "injected" }, "errorLabels": [] };
    test.fail(&["findAndModify"], doc! { "times": 1 }, unconfirmed).await;
    let error = Order::sequence(&orders, "id").unwrap().reserve(5).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unconfirmed { .. }), "{error:?}");
    let burnt = SEEN.the("numbers burnt", &sequence);
    assert_eq!(burnt.values(["count", "number"]), [Some("5"), Some("2")]);
    assert_eq!(SEEN.the("reserve", &sequence).value("error"), Some("Unconfirmed"));
    assert_eq!(counted("numbers_burnt_total", &sequence, "plain"), 5);
    assert_eq!(counted("numbers_total", &sequence, "plain"), 1 + 5);
}

pub(crate) async fn an_insert_whose_answer_is_lost_is_unknown() {
    let Stage { test, orders, sequence } = prepared().await;
    test.fail(&["insert"], doc! { "times": 2 }, doc! { "closeConnection": true }).await;
    order().insert_with_seq(&orders).await.unwrap_err();
    let unknown = SEEN.the("outcome unknown", &sequence);
    assert_eq!(unknown.values(["mode", "count", "number"]), [Some("plain"), Some("1"), Some("2")]);
    assert_eq!(counted("numbers_unknown_total", &sequence, "plain"), 1);
    assert_eq!(counted("numbers_burnt_total", &sequence, "plain"), 1);
}

pub(crate) async fn a_counter_command_whose_answer_is_lost_is_unknown() {
    let Stage { test, orders, sequence } = prepared().await;
    test.fail(&["findAndModify"], doc! { "times": 2 }, doc! { "closeConnection": true }).await;
    Order::sequence(&orders, "id").unwrap().reserve(3).await.unwrap_err();
    let unknown = SEEN.the("outcome unknown", &sequence);
    assert_eq!(unknown.values(["count", "number"]), [Some("3"), None]);
    assert_eq!(counted("numbers_unknown_total", &sequence, "plain"), 3);
    // an answer is an answer
    test.fail(&["findAndModify"], doc! { "times": 1 }, doc! { "errorCode": 8000 }).await;
    Order::sequence(&orders, "id").unwrap().next_value().await.unwrap_err();
    assert_eq!(SEEN.of("outcome unknown", &sequence).len(), 1);
    assert_eq!(SEEN.counted("numbers_burnt_total", &sequence), []);
}

/// Lets all commits be carried out and not confirmed, so that they are sent again and again.
async fn confirm_no_commit(test: &TestDb) {
    let unknown = doc! { "writeConcernError": { "code": 64, "errmsg": "injected" } };
    test.fail(&["commitTransaction"], "alwaysOn", unknown).await;
}

async fn confirm_commits(test: &TestDb) {
    test.fail(&["commitTransaction"], "off", doc! {}).await;
}

pub(crate) async fn a_commit_that_stays_unknown_is_told_and_its_transaction_ended() {
    let Stage { test, orders, sequence } = prepared().await;
    confirm_no_commit(&test).await;
    let limit = Duration::from_millis(300);
    let error = order().insert_with_seq(&orders).gapless().time_limit(limit).await.unwrap_err();
    confirm_commits(&test).await;
    assert!(matches!(error.kind(), ErrorKind::UnknownOutcome { .. }), "{error:?}");
    let span = SEEN.of("insert_with_seq", &sequence).remove(1);
    assert_eq!(span.values(["burnt", "error"]), [Some("2"), Some("UnknownOutcome")]);
    let unknown = SEEN.the("outcome unknown", &sequence);
    assert_eq!(unknown.values(["mode", "count", "number"]), [Some("gapless"), Some("1"), Some("2")]);
    let ended = SEEN.the(ENDED, &sequence);
    assert_eq!(ended.value("end"), Some("doubtful"));
    assert!([unknown, ended].iter().all(|event| event.parent == Some(span.place)));
    test.sent.until("abortTransaction", 1).await;
}

pub(crate) async fn a_dropped_call_tells_what_became_of_its_transaction() {
    // before it has said that these are its documents
    let Stage { orders, sequence, .. } = prepared().await;
    let mut dropped = order();
    assert!(poll!(pin!(dropped.insert_with_seq(&orders).gapless().into_future())).is_pending());
    assert_eq!(SEEN.until(ENDED, &sequence).await.value("end"), Some("aborted"));
    assert_eq!(counted("numbers_total", &sequence, "gapless"), 0);

    // while it is committed
    let Stage { test, orders, sequence } = prepared().await;
    confirm_no_commit(&test).await;
    {
        let mut dropped = order();
        let mut call = pin!(dropped.insert_with_seq(&orders).gapless().into_future());
        tokio::select! {
            () = test.sent.until("commitTransaction", 1) => {}
            done = call.as_mut() => panic!("{done:?}"),
        }
    }
    confirm_commits(&test).await;
    assert_eq!(SEEN.until(ENDED, &sequence).await.value("end"), Some("committed"));
    assert_eq!(counted("numbers_total", &sequence, "gapless"), 1);

    let all = ["committed", "aborted", "doubtful", "abandoned"];
    assert_eq!(table::words("end"), all.map(str::to_owned).into());
}

pub(crate) async fn a_runtime_that_ends_is_told() {
    let Stage { test, orders, sequence } = prepared().await;
    confirm_no_commit(&test).await;
    let ended = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    ended.spawn(async move { order().insert_with_seq(&orders).gapless().await.map(drop) });
    test.sent.until("commitTransaction", 1).await;
    ended.shutdown_background();
    assert_eq!(SEEN.until(ENDED, &sequence).await.value("end"), Some("abandoned"));
    confirm_commits(&test).await;
}
