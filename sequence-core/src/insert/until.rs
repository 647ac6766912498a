//! How long a call waits.

use std::time::Duration;

use tokio::time::Instant;

use crate::{Error, ErrorKind, Result};

/// How much longer than its time limit a call waits for a server that was told of it: one that says nothing at all has
/// stopped, or cannot be reached, which the driver itself finds out later.
pub(crate) const SILENCE: Duration = Duration::from_secs(5);

/// The limit of a call, if it has one, and when that has begun: one limit for whatever the call waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Until(Option<(Duration, Instant)>);

impl Until {
    pub(crate) fn from_now(limit: Option<Duration>) -> Self {
        Self(limit.map(|limit| (limit, Instant::now())))
    }

    pub(crate) fn since(began: Instant, limit: Duration) -> Self {
        Self(Some((limit, began)))
    }

    /// The limit and its beginning; this one, from now on, if there is none.
    pub(super) fn or(self, limit: Duration) -> (Duration, Instant) {
        self.0.unwrap_or_else(|| (limit, Instant::now()))
    }

    /// The limit, and the end of what goes on so much longer.
    fn end(self, longer: Duration) -> Option<(Duration, Instant)> {
        let (limit, began) = self.0?;
        Some((limit, began.checked_add(limit.saturating_add(longer))?))
    }

    /// What is done until so much behind the limit, or else the limit.
    pub(crate) async fn wait<T>(self, longer: Duration, work: impl Future<Output = T>) -> Result<T, Duration> {
        match self.end(longer) {
            Some((limit, end)) => tokio::time::timeout_at(end, work).await.map_err(|_| limit),
            None => Ok(work.await),
        }
    }

    /// Refuses to begin with anything so much behind the limit.
    pub(super) fn require_time(self, longer: Duration) -> Result<()> {
        match self.end(longer) {
            Some((limit, end)) if end <= Instant::now() => Err(Error::new(ErrorKind::Deadline { limit })),
            _ => Ok(()),
        }
    }

    /// Does what stores nothing.
    pub(crate) async fn get<T>(self, longer: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.wait(longer, work).await.unwrap_or_else(|limit| Err(Error::new(ErrorKind::Deadline { limit })))
    }
}
