//! Transactions: is one in progress, and the library's own, run in a task of its own and repeated whole.

mod documents;
mod held;
mod open;
mod owned;
mod stage;
mod stopped;

use std::time::Duration;

use mongodb::{ClientSession, error::TRANSIENT_TRANSACTION_ERROR};

pub(crate) use self::{
    held::WRITE_CONFLICT,
    open::Open,
    owned::{Inserted, Insertion},
    stage::{GivenUp, Stage},
    stopped::{Blame, Stopped},
};

use crate::{Error, ErrorKind, Result, capability, counter::Counter, error::server_code, target::refusals};

/// Whether the session has a transaction in progress. Nothing is sent.
///
/// The driver has no way to ask. `start_transaction()` refuses to start a second one; where it starts one, that is
/// taken back. (After a commit whose outcome is unknown, this ends the right to repeat the commit.)
pub(crate) async fn is_in_progress(session: &mut ClientSession) -> Result<bool> {
    match session.start_transaction().await {
        Ok(()) => {
            session.abort_transaction().await?;
            Ok(false)
        }
        Err(error) => match refusal(&error) {
            Some(reason) => Ok(reason.contains("already in progress")),
            None => Err(error.into()),
        },
    }
}

pub(crate) async fn require_in_progress(session: &mut ClientSession) -> Result<()> {
    if is_in_progress(session).await? {
        return Ok(());
    }
    capability::check_transactions(&session.client()).await?;
    Err(Error::new(ErrorKind::NoTransaction))
}

/// Why the driver itself has refused to start a transaction, if it has.
///
/// It also does so, with "not supported by this deployment", for as long as it has lost all servers (3.9.1,
/// `update_transaction_support_status`): whether there are transactions is for a server to say.
fn refusal(error: &mongodb::error::Error) -> Option<&str> {
    match &*error.kind {
        mongodb::error::ErrorKind::Transaction { message, .. } => Some(message),
        _ => None,
    }
}

/// After a counter was moved in a transaction of the caller's and the document could not follow: sees to it that the
/// transaction cannot be committed without it.
///
/// A document that the server refused (a duplicate key) has aborted it, and so has an answer with the transient label.
/// Any other answer may have come before the transaction was looked at, a missing privilege for one; and where there was
/// none, because the connection was lost, the driver has set the label and the transaction is still open.
pub(crate) async fn forbid_commit(error: &Error, counter: &Counter, session: &mut ClientSession) {
    let is_answer = error.driver_error().and_then(server_code).is_some();
    if refusals(error).is_empty() && !(is_answer && error.contains_label(TRANSIENT_TRANSACTION_ERROR)) {
        counter.break_transaction(session).await;
    }
}

/// Jittered exponential backoff between whole transactions: the driver's own (5 ms, growing by half, at most 500 ms).
///
/// A group tries again sooner. There is one for each process, and whoever has just committed goes on at once: against
/// that, a pause that grows and grows would leave the others nothing.
#[derive(Debug)]
pub(crate) struct Backoff {
    attempts: i32,
    most: f64,
}

impl Backoff {
    pub(crate) fn new(is_group: bool) -> Self {
        Self { attempts: 0, most: if is_group { 0.02 } else { 0.5 } }
    }

    pub(crate) fn next(&mut self) -> Duration {
        let ceiling = (0.005 * 1.5_f64.powi(self.attempts)).min(self.most);
        self.attempts = (self.attempts + 1).min(64);
        Duration::from_secs_f64(ceiling * rand::random::<f64>())
    }
}
