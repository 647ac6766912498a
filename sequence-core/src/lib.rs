//! The runtime of `mongo-sequence`: everything that talks to MongoDB. Use the crate `mongo-sequence`, which re-exports
//! this one together with the derive macro.

mod action;
mod capability;
mod counter;
mod data;
mod definition;
mod document;
mod duplicate;
mod error;
mod insert;
mod model;
mod number;
mod numbering;
mod sequence;
mod transaction;
mod value;

pub use action::{InsertWithSeq, InsertWithSeqFuture, NextValue, NextValueFuture, Reserve, ReserveFuture, Reserved};
pub use error::{Error, ErrorKind, Result};
pub use model::{AutoIncrement, InsertTarget};
pub use sequence::Sequence;
pub use value::SequenceValue;

use definition::Definition;

/// Not public API: what generated code names. May change in any release.
#[doc(hidden)]
pub mod __private {
    pub use mongodb::bson::RawDocumentBuf;
    pub use serde;

    pub use crate::{definition::Definition, document::render};
}
