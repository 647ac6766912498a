//! What threads and tasks share. Tokio's own channels have no schedule of their own to explore: whoever uses one does so
//! between two steps that shuttle orders.

pub use real_tokio::sync::oneshot;
pub use shuttle::sync::{Arc, Mutex, MutexGuard, atomic};
pub use std::sync::PoisonError;

use real_tokio::sync::futures::Notified;

/// Tokio's own, each use of which is a step: news may come just before somebody waits for them.
#[derive(Debug, Default)]
pub struct Notify {
    tokio: real_tokio::sync::Notify,
    step: Mutex<()>,
}

#[allow(missing_docs, reason = "as the real one")]
impl Notify {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn notify_one(&self) {
        self.step();
        self.tokio.notify_one();
    }

    pub fn notified(&self) -> Notified<'_> {
        self.step();
        self.tokio.notified()
    }

    fn step(&self) {
        drop(self.step.lock());
    }
}
