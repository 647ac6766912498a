//! What threads and tasks share. Tokio's own channels have no schedule of their own to explore: whoever uses one does so
//! between two steps that shuttle orders.

pub use real_tokio::sync::{Notify, oneshot};
pub use shuttle::sync::{Arc, Mutex, MutexGuard, atomic};
pub use std::sync::PoisonError;
