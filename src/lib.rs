#![doc = include_str!("../docs/guide/rustdoc-links.txt")]
#![doc = include_str!("../docs/guide/pictures/rustdoc.txt")]
#![doc = include_str!("../README.md")]
//!
//! ## Cargo features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `tracing` | off | spans and events: [`guide::observability`] |
//! | `metrics` | off | counters, histograms and a gauge, there too |
//! | `cli` | off | the program `mongo-sequence`: [`guide::command_line`]. The library is the same without it |
//! | `bson-2` | on | the driver's: `mongodb::bson` is version 2 of `bson` |
//! | `bson-3` | off | the driver's: version 3. With both on it is 3, for everything in the build that uses the driver |
//! | `rustls-tls` | on | the driver's: TLS by `rustls` with `ring` |
//! | `rustls-tls-aws-lc` | off | the driver's: TLS by `rustls` with `aws-lc-rs` |
//! | `openssl-tls` | off | the driver's: TLS by OpenSSL |
//! | `dns-resolver` | on | the driver's: `mongodb+srv` addresses |
//! | `sync` | off | the driver's: its blocking API; [`guide::blocking_programs`] shows the two together |
//!
//! With `default-features = false` the driver needs one of its `bson` and one of its TLS features. It has more of them: name
//! those at `mongodb` itself.
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
