//! What nobody would write, and somebody does: counters, numbers and scopes of any type, size and depth. Each works or
//! is told in a typed error, and what is not understood stays as it is.

mod counters;
mod data;
mod decimals;
mod recovery;
mod scopes;
mod values;
