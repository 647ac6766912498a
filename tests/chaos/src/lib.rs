//! Client processes insert in every way while the servers under them step down, crash, freeze and lag, and while the
//! processes themselves are killed. In the end everything that anybody was told has to be true.
//!
//! [`cluster`] starts the servers and [`clients`] the processes, [`nemesis`] does the harm, [`history`] judges.

#![allow(clippy::missing_panics_doc, reason = "whatever does not go as it should ends the test")]

pub mod clients;
pub mod cluster;
pub mod history;
pub mod log;
pub mod nemesis;
pub mod way;
