//! What threads share. `tests/model` puts a model checker's types in the place of these, and compiles the same sources.

pub(crate) use std::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic};
