//! The runtime of `mongo-sequence`: everything that talks to MongoDB. Use the crate `mongo-sequence`, which re-exports
//! this one together with the derive macro.

// A service must not stop at what it finds in its database, so library code has nothing that panics.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod action;
mod batch;
mod capability;
mod combiner;
mod counter;
mod data;
mod definition;
mod detach;
mod document;
mod duplicate;
mod error;
mod field;
mod generated;
mod index;
mod insert;
mod insert_target;
mod maintain;
mod model;
mod number;
mod numbering;
mod observe;
mod progress;
mod sequence;
mod sequenced;
mod sync;
mod target;
mod transaction;
mod value;

pub use action::{
    GetOrInsert, GetOrInsertWithSeq, GetOrInsertWithSeqFuture, InsertManyWithSeq, InsertManyWithSeqFuture,
    InsertWithSeq, InsertWithSeqFuture, NextValue, NextValueFuture, RaiseTo, RaiseToFuture, Reserve, ReserveFuture,
    Reserved, Restart, RestartFuture,
};
pub use error::{Error, ErrorKind, Result};
pub use field::NumberedField;
pub use insert_target::InsertTarget;
pub use maintain::{
    Adopted, BackfillProgress, BackfillSequences, BackfillSequencesFuture, Backfilled, CounterReport, Duplicate,
    EnsureSequences, EnsureSequencesFuture, Ensured, Fault, ForeignCounter, ListedCounter, SequenceReport,
    UnsetNumbers, UnsetNumbersFuture, VerifySequences, VerifySequencesFuture,
};
pub use model::AutoIncrement;
#[cfg(feature = "metrics")]
pub use observe::describe_metrics;
pub use sequence::{
    Sequence,
    shared::{NextSharedValue, SharedSequence, SharedSequenceBuilder},
};
pub use sequenced::{SequencedCollection, SequencedCollectionBuilder, Shutdown};
pub use value::SequenceValue;

use definition::Definition;

/// Not public API: what generated code names. May change in any release.
#[doc(hidden)]
pub mod __private {
    pub use mongodb::bson::RawDocumentBuf;
    pub use serde;

    pub use crate::{
        definition::Definition,
        generated::{exchange, formatted, render, value, with},
        value::ByDefault,
    };
}
