//! Commands outside transactions, repeated where they met a conflict.

use mongodb::error::Result;

use crate::{
    error::server_code,
    observe::Attempts,
    transaction::{Backoff, WRITE_CONFLICT},
};

/// How often a command is sent at most.
const ATTEMPTS: usize = 10;

/// A conflict says that the command was not carried out. The server repeats a single write by itself, so that this is what
/// it gives up on.
pub(super) async fn repeated<T, F: Future<Output = Result<T>>>(mut send: impl FnMut() -> F) -> Result<T> {
    let mut backoff = Backoff::new(false);
    let mut attempts = Attempts::default();
    for _ in 1..ATTEMPTS {
        attempts.begin();
        match send().await {
            Err(error) if server_code(&error) == Some(WRITE_CONFLICT) => tokio::time::sleep(backoff.next()).await,
            done => return done,
        }
    }
    attempts.begin();
    send().await
}
