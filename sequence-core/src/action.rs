//! The actions: one file each, always constructor, struct, setters, `IntoFuture`.

/// The named, opaque future of an action, as the driver has one for each of its own.
macro_rules! opaque_future {
    ($(#[$doc:meta])* $name:ident -> $output:ty) => {
        $(#[$doc])*
        #[must_use = "nothing is sent until it is awaited"]
        pub struct $name<'a>(mongodb::BoxFuture<'a, $output>);

        impl std::future::Future for $name<'_> {
            type Output = $output;

            fn poll(
                mut self: std::pin::Pin<&mut Self>,
                context: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Self::Output> {
                self.0.as_mut().poll(context)
            }
        }

        impl std::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use opaque_future;

/// The setters that all inserts have; the action holds its [`Call`](crate::insert::Call) in `call`.
macro_rules! insert_setters {
    ($name:ident) => {
        impl<T: Send + Sync> $name<'_, T> {
            /// The time limit: for a transaction of the library's own how long it is repeated (120 s by default), and for
            /// every counter command outside transactions its `maxTimeMS` (at most, and by default, 5 s). For numbers that
            /// callers of a `SequencedCollection` share it is how long to wait for them.
            ///
            /// A server that says nothing at all, stopped or cut off, is waited for 5 s longer than that, once for all that the
            /// call does. Then the error is [`Deadline`](crate::ErrorKind::Deadline) if nothing is stored, else
            /// [`UnknownOutcome`](crate::ErrorKind::UnknownOutcome). An insert with a session, and without a limit numbers
            /// that may have gaps and their insert, wait until the driver gives up.
            pub fn time_limit(mut self, limit: std::time::Duration) -> Self {
                self.call.time_limit = Some(limit);
                self
            }

            /// Attaches a comment to the insert and to the counter's increment (unless callers of a `SequencedCollection`
            /// share that), visible in the server's logs and profiler.
            pub fn comment(mut self, comment: impl Into<mongodb::bson::Bson>) -> Self {
                self.call.options.comment = Some(comment.into());
                self
            }

            /// Lets the insert pass a validator of the collection.
            pub fn bypass_document_validation(mut self, bypass: bool) -> Self {
                self.call.options.bypass_document_validation = Some(bypass);
                self
            }

            /// Calls `set` with the value if there is one, for options that are known at run time.
            pub fn optional<V>(self, value: Option<V>, set: impl FnOnce(Self, V) -> Self) -> Self {
                match value {
                    Some(value) => set(self, value),
                    None => self,
                }
            }
        }
    };
}

mod get_or_insert_with_seq;
mod insert_many_with_seq;
mod insert_with_seq;
mod next_value;
mod raise_to;
mod reserve;
mod restart;

use mongodb::ClientSession;

pub use get_or_insert_with_seq::{GetOrInsert, GetOrInsertWithSeq, GetOrInsertWithSeqFuture};
pub use insert_many_with_seq::{InsertManyWithSeq, InsertManyWithSeqFuture};
pub use insert_with_seq::{InsertWithSeq, InsertWithSeqFuture};
pub use next_value::{NextValue, NextValueFuture};
pub use raise_to::{RaiseTo, RaiseToFuture};
pub use reserve::{Reserve, ReserveFuture, Reserved};
pub use restart::{Restart, RestartFuture};

use crate::{
    Result,
    counter::Counter,
    numbering,
    observe::{self, Mode},
    transaction,
};

/// The way of numbers that are taken with this session.
fn mode(session: &Option<&mut ClientSession>) -> Mode {
    if session.is_some() { Mode::Transaction } else { Mode::Plain }
}

/// The last of the next `n` numbers, inside the session's transaction if there is a session.
async fn take(counter: Counter, n: u64, session: Option<&mut ClientSession>) -> Result<i64> {
    let counter = counter.in_mode(mode(&session));
    let last = match session {
        None => counter.advance(n).await?,
        Some(session) => {
            transaction::require_in_progress(session).await?;
            numbering::prepare(&counter).await?;
            let last = numbering::take_in(&counter, n, session).await?;
            counter.observed.given(n, Some(last), &counter.progression);
            last
        }
    };
    observe::number(counter.progression.first_of(n, last));
    Ok(last)
}
