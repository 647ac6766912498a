//! Commands at a counter, and how often they are sent.

use std::future::IntoFuture;

use mongodb::error::Result;

use crate::{
    error::server_code,
    observe::{Attempts, Observed, Tried},
    transaction::{Backoff, WRITE_CONFLICT},
};

/// How often a command is sent at most.
const ATTEMPTS: usize = 10;

/// Outside transactions: repeated where it met a conflict. That says that it was not carried out. The server repeats a
/// single write by itself, so that this is what it gives up on.
pub(super) async fn repeated<T, F: Future<Output = Result<T>>>(
    observed: &Observed,
    mut send: impl FnMut() -> F,
) -> Result<T> {
    let mut backoff = Backoff::new(false);
    let mut attempts = Attempts::default();
    for _ in 1..ATTEMPTS {
        attempts.begin(Tried::Command, Some(observed));
        match once(observed, send()).await {
            Err(error) if is_conflict(&error) => tokio::time::sleep(backoff.next()).await,
            done => return done,
        }
    }
    attempts.begin(Tried::Command, Some(observed));
    once(observed, send()).await
}

/// For one that is not repeated, or not here.
pub(super) async fn once<T>(observed: &Observed, command: impl IntoFuture<Output = Result<T>>) -> Result<T> {
    observed.command();
    let done = command.await;
    if done.as_ref().is_err_and(is_conflict) {
        observed.conflict();
    }
    done
}

fn is_conflict(error: &mongodb::error::Error) -> bool {
    server_code(error) == Some(WRITE_CONFLICT)
}
