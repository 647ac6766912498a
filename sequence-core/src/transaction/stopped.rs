//! Why a transaction of the library's did not get through.

use mongodb::error::{RETRYABLE_WRITE_ERROR, TRANSIENT_TRANSACTION_ERROR};

use crate::{Error, ErrorKind, numbering::Numbers};

/// Why nothing was stored.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(crate) error: Error,
    /// In a group, what has to be done before the others are tried again.
    pub(crate) blame: Option<Blame>,
    /// The numbers of the last try.
    pub(crate) numbers: Numbers,
}

/// What a group has to do about one of its documents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Blame {
    /// This document was refused.
    Refused(usize),
    /// One of them waits for somebody else's transaction.
    Waits,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self { error, blame: None, numbers: Numbers::default() }
    }
}

/// Whether another run may succeed: after a transient error, and, for what is done between two runs, after a lost
/// connection or a wait behind somebody's transaction. Without a server the driver has waited for one already, as long
/// as it was told to.
pub(super) fn may_pass(error: &Error) -> bool {
    let unreachable =
        |error: &mongodb::error::Error| matches!(&*error.kind, mongodb::error::ErrorKind::ServerSelection { .. });
    let labels = [TRANSIENT_TRANSACTION_ERROR, RETRYABLE_WRITE_ERROR];
    matches!(error.kind(), ErrorKind::CounterHeld { .. })
        || labels.iter().any(|label| error.contains_label(label)) && !error.driver_error().is_some_and(unreachable)
}
