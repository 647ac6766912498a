//! Looking after what is stored.

mod ensure;

pub use ensure::{EnsureSequences, EnsureSequencesFuture};
