//! Callers, connections, runtimes and handles that fail or end.

use std::collections::BTreeSet;

use mongo_sequence::{AutoIncrement, Error, ErrorKind};
use mongodb::bson::{Document, doc};

use super::{insert_all, line, lines};

/// A caller that is gone stores nothing if its turn has not come, and holds nobody up.
#[tokio::test]
async fn a_cancelled_caller_holds_nobody_up() {
    for gapless in [false, true] {
        let (test, lines) = lines().await;
        let calls = (0..400).map(|n| {
            let lines = lines.clone();
            tokio::spawn(async move {
                let mut line = line(n.to_string());
                let insert = line.insert_with_seq(&lines);
                if gapless { insert.gapless() } else { insert }.await.map(|_| line.number)
            })
        });
        let calls: Vec<_> = calls.collect();
        for (n, call) in calls.iter().enumerate() {
            if n % 3 == 0 {
                call.abort();
            }
            tokio::task::yield_now().await;
        }
        let mut told = BTreeSet::new();
        for call in calls {
            if let Ok(number) = call.await {
                assert!(told.insert(number.unwrap()), "told twice");
            }
        }
        lines.shutdown().await;
        let stored = test.numbers("lines", "number").await;
        assert!(told.is_subset(&stored) && told.len() >= 266);
        if gapless {
            let last = i64::try_from(stored.len()).unwrap();
            assert_eq!((stored, test.value("lines.number").await), ((1..=last).collect(), Some(last)));
        }
    }
}

/// One document waits for a stranger's transaction; the others do not wait for it.
#[tokio::test]
async fn a_document_that_waits_for_somebody_elses_transaction_waits_alone() {
    let (test, lines) = lines().await;
    let mut stranger = test.client.start_session().await.unwrap();
    stranger.start_transaction().await.unwrap();
    let theirs = doc! { "text": "wanted", "number": 1000 };
    lines.clone_with_type::<Document>().insert_one(theirs).session(&mut stranger).await.unwrap();
    let waiting = {
        let lines = lines.clone();
        tokio::spawn(async move { insert_all(&lines, ["wanted".to_owned()], true).await.remove(0) })
    };
    test.sent.until("insert", 2).await;
    let others = insert_all(&lines, (0..20).map(|n| n.to_string()), true).await;
    assert!(others.iter().all(Result::is_ok) && !waiting.is_finished(), "{others:?}");
    stranger.abort_transaction().await.unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(test.numbers("lines", "number").await, (1..=22).collect());
}

#[tokio::test]
async fn a_document_that_cannot_be_stored_costs_no_number() {
    let (test, lines) = lines().await;
    let mut large = line("x".repeat(16 << 20));
    for gapless in [false, true] {
        let insert = large.insert_with_seq(&lines);
        let error = if gapless { insert.gapless() } else { insert }.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::DocumentTooLarge { .. }), "{error:?}");
    }
    assert!(test.sent.names().is_empty());
}

#[tokio::test]
async fn a_lost_connection_is_everybodys_error_and_nobodys_number() {
    let (test, lines) = lines().await;
    test.fail(&["insert"], doc! { "times": 2 }, doc! { "closeConnection": true }).await;
    let outcomes = insert_all(&lines, (0..10).map(|n| n.to_string()), false).await;
    let errors: Vec<&Error> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    let burnt: BTreeSet<Option<i64>> = errors.iter().map(|error| error.number()).collect();
    assert!(!errors.is_empty() && burnt.len() == errors.len() && !burnt.contains(&None), "{errors:?}");
    // without gaps it is run again
    test.fail(&["insert"], doc! { "times": 2 }, doc! { "closeConnection": true }).await;
    let outcomes = insert_all(&lines, (20..30).map(|n| n.to_string()), true).await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handle_outlives_the_runtime_of_its_first_caller() {
    let (test, lines) = lines().await;
    let handle = lines.clone();
    let first_caller = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { line("other").insert_with_seq(&handle).await.map(drop) }).unwrap();
    });
    tokio::task::spawn_blocking(move || first_caller.join().unwrap()).await.unwrap();
    let after = insert_all(&lines, ["here".to_owned()], false).await;
    assert_eq!((after[0].as_ref().ok(), test.value("lines.number").await), (Some(&3), Some(3)));
}

#[tokio::test]
async fn after_shutdown_nothing_is_taken() {
    let (test, lines) = lines().await;
    let waiting: Vec<_> = (0..50)
        .map(|n| {
            let lines = lines.clone();
            tokio::spawn(async move { line(n.to_string()).insert_with_seq(&lines).gapless().await.map(drop) })
        })
        .collect();
    test.sent.until("findAndModify", 1).await;
    lines.shutdown().await;
    let mut refused = 0;
    for call in waiting {
        if let Err(error) = call.await.unwrap() {
            assert!(matches!(error.kind(), ErrorKind::ShutDown), "{error:?}");
            refused += 1;
        }
    }
    assert_eq!(test.numbers("lines", "number").await.len(), 51 - refused);
    let error = line("late").insert_with_seq(&lines).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShutDown), "{error:?}");
}
