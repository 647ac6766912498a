//! Documents that wait for one task, in order.

use std::{collections::VecDeque, time::Duration};

use tokio::sync::Notify;

use super::lane::Item;
use crate::{
    Error, ErrorKind, Result,
    combiner::gather,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many documents may wait in one queue.
pub(super) const CAPACITY: usize = 10_000;
/// How many of them go out together at most.
const GROUP: usize = 1_000;
/// How long a queue is kept without work. To open one anew costs next to nothing.
const IDLE: Duration = Duration::from_secs(1);

#[derive(Debug)]
struct Queue {
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Debug)]
struct Waiting {
    items: VecDeque<Item>,
    is_open: bool,
    /// Whether the document is there for which it was opened. Until then it does not close for want of work, however long
    /// its opener was held up.
    is_used: bool,
}

/// The end at which documents are added. When it is dropped, no more come.
#[derive(Debug)]
pub(super) struct Entrance(Arc<Queue>);

/// The end at which they are taken. When it is dropped, with the runtime of its task, their callers get them back.
#[derive(Debug)]
pub(super) struct Exit(Arc<Queue>);

pub(super) fn queue() -> (Entrance, Exit) {
    let waiting = Waiting { items: VecDeque::new(), is_open: true, is_used: false };
    let queue = Arc::new(Queue { waiting: Mutex::new(waiting), news: Notify::new() });
    (Entrance(Arc::clone(&queue)), Exit(queue))
}

impl Entrance {
    /// Adds a document. It is given back if nobody takes any from this queue any more.
    pub(super) fn add(&self, item: Item) -> Result<Option<Item>> {
        let mut waiting = self.0.lock();
        if !waiting.is_open {
            return Ok(Some(item));
        }
        if waiting.items.len() >= CAPACITY {
            waiting.items.retain(Item::is_waited_for);
        }
        if waiting.items.len() >= CAPACITY {
            return Err(Error::new(ErrorKind::Overloaded { limit: CAPACITY }));
        }
        waiting.items.push_back(item);
        waiting.is_used = true;
        drop(waiting);
        self.0.news.notify_one();
        Ok(None)
    }

    pub(super) fn is_closed(&self) -> bool {
        !self.0.lock().is_open
    }
}

impl Exit {
    /// Waits for documents and takes the first of them. None, if none can come any more, or have come for a while: then
    /// the queue is closed.
    pub(super) async fn take(&self) -> Option<Vec<Item>> {
        while self.0.len() == 0 {
            let is_idle = tokio::time::timeout(IDLE, self.0.news.notified()).await.is_err();
            let mut waiting = self.0.lock();
            waiting.is_open &= !(is_idle && waiting.is_used && waiting.items.is_empty());
            if !waiting.is_open && waiting.items.is_empty() {
                return None;
            }
        }
        gather(|| self.0.len()).await;
        let mut waiting = self.0.lock();
        let size = waiting.items.len().min(GROUP);
        Some(waiting.items.drain(..size).collect())
    }
}

impl Queue {
    fn len(&self) -> usize {
        self.lock().items.len()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        self.0.lock().is_open = false;
        self.0.news.notify_one();
    }
}

impl Drop for Exit {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.is_open = false;
        waiting.items.drain(..).for_each(Item::give_back);
    }
}
