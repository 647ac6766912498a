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

mod insert_with_seq;
mod next_value;
mod reserve;

use mongodb::ClientSession;

pub use insert_with_seq::{InsertWithSeq, InsertWithSeqFuture};
pub use next_value::{NextValue, NextValueFuture};
pub use reserve::{Reserve, ReserveFuture, Reserved};

use crate::{Result, counter::Counter, numbering, transaction};

/// The last of the next `n` numbers, inside the session's transaction if there is a session.
async fn take(counter: &Counter, n: u64, session: Option<&mut ClientSession>) -> Result<i64> {
    let Some(session) = session else {
        return counter.advance(n).await;
    };
    transaction::require_in_progress(session).await?;
    numbering::prepare(counter).await?;
    numbering::take_in(counter, n, session).await
}
