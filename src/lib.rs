#![doc = include_str!("../docs/guide/rustdoc-links.txt")]
#![doc = include_str!("../README.md")]
// As in `sequence-core`: nothing here panics.
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

#[cfg(doc)]
pub mod guide;

pub use sequence_core::*;
pub use sequence_derive::{AutoIncrement, SequenceValue};

#[doc(hidden)]
pub use sequence_core::__private;

#[doc = include_str!("../docs/observability.md")]
pub mod observability {}
