//! Runtimes that end, and drop their tasks wherever these are.

use std::{cell::RefCell, future::Future};

use real_tokio::sync::watch;
use shuttle::future::JoinHandle;

use crate::sync::Arc;

shuttle::thread_local! {
    static CURRENT: RefCell<Option<Handle>> = RefCell::new(None);
}

/// A runtime.
#[derive(Clone, Debug)]
pub struct Handle(Arc<watch::Sender<bool>>);

/// This is no task of a runtime.
#[derive(Debug)]
pub struct NoRuntime;

impl Handle {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// The runtime whose task this is.
    ///
    /// # Errors
    ///
    /// That it is none.
    pub fn try_current() -> Result<Self, NoRuntime> {
        CURRENT.with(|current| current.borrow().clone()).ok_or(NoRuntime)
    }

    /// Starts a task. `None` comes of it if the runtime has ended before; if it had already, the task is dropped at once.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        if self.has_ended() {
            drop(task);
            return shuttle::future::spawn(async { None });
        }
        let (runtime, mut ended) = (self.clone(), self.0.subscribe());
        shuttle::future::spawn(async move {
            CURRENT.with(|current| *current.borrow_mut() = Some(runtime));
            real_tokio::select! {
                biased;
                _ = ended.wait_for(|ended| *ended) => None,
                output = task => Some(output),
            }
        })
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) fn end(&self) {
        self.0.send_replace(true);
    }
}
