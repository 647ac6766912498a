#![doc = include_str!("../README.md")]

pub use sequence_core::*;
pub use sequence_derive::{AutoIncrement, SequenceValue};

#[doc(hidden)]
pub use sequence_core::__private;
