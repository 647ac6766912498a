//! The sources of the combiner and of the queues, compiled with what shuttle schedules: its locks and atomics in
//! `crate::sync`, and this crate where they say `tokio`. The counter is a model that fails, and is lost, as a server may.

extern crate self as tokio;

mod counter;
mod error;
pub mod explore;
mod ledger;
pub mod runtime;
pub mod story;
pub mod sync;
pub mod task;
pub mod time;
mod value {
    /// Named by the definition of a sequence.
    pub(crate) trait ByDefault {}
}

#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    unexpected_cfgs,
    unreachable_pub,
    missing_docs,
    private_bounds,
    reason = "another crate's"
)]
#[path = "../../../sequence-core/src"]
mod sources {
    pub(crate) mod combiner;
    pub(crate) mod definition;
    pub(crate) mod observe;
    pub(crate) mod sequenced {
        /// This package's own, in the place of the one that inserts documents.
        #[path = "../../../tests/model/src/lane.rs"]
        pub mod lane;
        pub(super) mod queue;
    }
}

use error::{Error, ErrorKind, Result};
pub use sources::sequenced::lane;
use sources::{combiner, definition, observe};
