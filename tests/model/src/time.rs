//! Time that passes whenever shuttle likes.

use std::{future::Future, pin::pin, time::Duration};

use shuttle::rand::{Rng, thread_rng};

use crate::task::yield_now;

/// How many turns a time limit lasts at most.
const TURNS: usize = 8;

/// Gives way once.
pub async fn sleep(_duration: Duration) {
    yield_now().await;
}

/// Comes to an end after a few turns, or never before the future does.
///
/// # Errors
///
/// That the time is over.
pub async fn timeout<F: Future>(_limit: Duration, future: F) -> Result<F::Output, Elapsed> {
    let future = pin!(future);
    if thread_rng().r#gen() {
        return Ok(future.await);
    }
    real_tokio::select! {
        biased;
        output = future => Ok(output),
        () = turns() => Err(Elapsed),
    }
}

/// The time is over.
#[derive(Debug)]
pub struct Elapsed;

/// A few turns, or none.
pub(crate) async fn turns() {
    for _ in 0..thread_rng().gen_range(0..TURNS) {
        yield_now().await;
    }
}
