//! Tasks.

pub use shuttle::future::yield_now;
