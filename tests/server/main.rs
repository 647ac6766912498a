//! Everything against a real server, in one binary so that the driver is linked once.

#![allow(clippy::too_many_lines, reason = "a test tells one story from its beginning to its end")]

mod abandoned;
mod adopt;
mod backfill;
mod blocking;
mod bulk;
mod cancelled;
mod concurrency;
mod corrupt;
mod deployments;
mod documents;
mod drift;
mod duplicates;
mod ensure;
mod existing;
mod failures;
mod first_use;
mod formats;
mod get_or_insert;
mod given_up;
mod held;
mod maintenance;
mod matrix;
mod models;
mod names;
mod own_numbers;
mod pauses;
mod repair;
mod scopes;
mod sequence;
mod sequenced;
mod shared;
mod stale;
mod state_machine;
mod story;
mod support;
mod transactions;
mod unset;
mod untrusted;
mod verify;
mod watch;
mod wire;
