//! A session of the library's own, whose transaction does not stay open when nobody goes on with it.

use std::{sync::Arc, thread, time::Duration};

use mongodb::ClientSession;
use tokio::runtime::Builder;

use crate::{counter::Counter, observe::End};

/// How long to try.
const TIME: Duration = Duration::from_secs(10);

/// An open transaction holds its counter for a minute. The driver ends none that it has tried to commit, whose first
/// command was dropped, or whose runtime has ended.
pub(crate) struct Open {
    pub(crate) session: Option<ClientSession>,
    pub(crate) counter: Arc<Counter>,
    /// Whether the server may have a transaction open.
    pub(crate) may_be: bool,
}

impl Open {
    /// Sees to it that none is open. The caller need not wait for that.
    pub(crate) fn close_if_it_may_be(self) {
        if self.may_be {
            self.counter.observed.ended(End::Doubtful);
            tokio::spawn(self.close());
        }
    }

    async fn close(mut self) {
        if let Some(session) = &mut self.session {
            end(session, &self.counter).await;
        }
        self.may_be = false;
    }
}

impl Drop for Open {
    /// Where the task is dropped its runtime is ending, so this takes another. A client that was made on the one that ends
    /// sends nothing any more; then it is left to the server, as after a kill.
    fn drop(&mut self) {
        let Some(mut session) = self.session.take().filter(|_| self.may_be) else { return };
        let counter = Arc::clone(&self.counter);
        counter.observed.ended(End::Abandoned);
        let ending = thread::Builder::new().name("mongo-sequence".to_owned()).spawn(move || {
            if let Ok(runtime) = Builder::new_current_thread().enable_all().build() {
                let _too_late =
                    runtime.block_on(async { tokio::time::timeout(TIME, end(&mut session, &counter)).await });
            }
        });
        drop(ending); // without a thread it is left to the server
    }
}

/// One more command in the session, whatever it answers, and then an abort. After a commit it begins another transaction,
/// with which the server ends the one before.
async fn end(session: &mut ClientSession, counter: &Counter) {
    let _is_in_progress = session.start_transaction().await;
    let _answer = counter.read(Some(&mut *session)).await;
    let _aborted = session.abort_transaction().await;
}
