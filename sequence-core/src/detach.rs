//! Commands that come to their end though their caller has gone.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use mongodb::BoxFuture;
use tokio::{runtime::Handle, sync::Semaphore};

/// How many are left to themselves at one time. It is more than a client has connections: whoever comes behind them has sent
/// nothing yet, and a stopped server is not owed a command for everyone who has ever given it up.
const MOST: usize = 1_000;
static ROOM: Semaphore = Semaphore::const_new(MOST);

/// A write outside any session of the caller's. It goes on by itself if this is dropped before it is done.
///
/// Dropped itself, it would give its session back to the driver's pool while the server is still at work in it, and whoever
/// got that next would wait for the server to be done, or in vain.
pub(crate) struct Detached<T: Send + 'static> {
    command: Option<BoxFuture<'static, T>>,
    runtime: Option<Handle>,
}

impl<T: Send + 'static> Detached<T> {
    pub(crate) fn new(command: impl Future<Output = T> + Send + 'static) -> Self {
        Self { command: Some(Box::pin(command)), runtime: Handle::try_current().ok() }
    }
}

impl<T: Send + 'static> Future for Detached<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(mut command) = self.command.take() else { return Poll::Pending };
        let done = command.as_mut().poll(context);
        if done.is_pending() {
            self.command = Some(command);
        }
        done
    }
}

impl<T: Send + 'static> Drop for Detached<T> {
    fn drop(&mut self) {
        if let (Some(command), Some(runtime), Ok(room)) = (self.command.take(), &self.runtime, ROOM.try_acquire()) {
            runtime.spawn(async move {
                drop(command.await);
                drop(room);
            });
        }
    }
}
