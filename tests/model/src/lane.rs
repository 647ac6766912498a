//! What waits in a queue here, and the story of the callers who put it there. A lane is opened, left and served as those of
//! `sequenced/lane.rs`.

use std::sync::Mutex as Unordered;

use shuttle::future::{JoinHandle, block_on};

use super::queue::{Entrance, Exit, queue};
use crate::{
    runtime::Handle,
    sync::{Arc, Mutex, oneshot},
    task::yield_now,
    time::turns,
};

/// A document.
#[derive(Debug)]
pub(super) struct Item {
    /// How many were queued before it.
    place: u64,
    answer: oneshot::Sender<()>,
}

impl Item {
    pub(super) fn is_waited_for(&self) -> bool {
        !self.answer.is_closed()
    }

    /// Its caller is told nothing more.
    pub(super) fn give_back(self) {
        drop(self.answer);
    }
}

/// What happens in a story of documents that wait for a task.
#[derive(Clone, Copy, Debug)]
pub struct Documents {
    /// How many callers there are on each runtime.
    pub callers: usize,
    /// How many documents each of them has, one after the other.
    pub calls: usize,
    /// How many of the runtimes end meanwhile. One more does not.
    pub ends: usize,
}

impl Documents {
    /// Lets it happen once, in the order that shuttle chooses.
    ///
    /// # Panics
    ///
    /// If a document was neither taken nor given up with a runtime, or not in its turn.
    pub fn happen(self) {
        let runtimes = (0..=self.ends).map(|_| Handle::new()).collect();
        let cast = Cast { story: self, runtimes, lane: Arc::default(), served: Arc::default() };
        block_on(cast.play());
    }
}

#[derive(Debug, Default)]
struct Lane {
    open: Option<Entrance>,
    queued: u64,
}

/// Its locks are no steps for shuttle to order.
#[derive(Debug, Default)]
struct Served {
    tasks: Unordered<Vec<JoinHandle<Option<()>>>>,
    taken: Unordered<Vec<u64>>,
}

#[derive(Clone, Debug)]
struct Cast {
    story: Documents,
    runtimes: Vec<Handle>,
    lane: Arc<Mutex<Lane>>,
    served: Arc<Served>,
}

impl Cast {
    async fn play(self) {
        let callers: Vec<_> = self.runtimes.iter().flat_map(|runtime| self.on(runtime)).collect();
        for runtime in &self.runtimes[1..] {
            turns().await;
            runtime.end();
        }
        for caller in callers {
            caller.await.unwrap();
        }
        self.lane.lock().unwrap().open = None;
        // nobody can come any more: whoever serves goes
        let tasks: Vec<_> = self.served.tasks.lock().unwrap().drain(..).collect();
        for task in tasks {
            task.await.unwrap();
        }
        let taken = self.served.taken.lock().unwrap();
        assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "not in order: {taken:?}");
        if self.story.ends == 0 {
            assert_eq!(taken.len(), self.story.callers * self.story.calls);
        }
    }

    fn on(&self, runtime: &Handle) -> Vec<JoinHandle<Option<()>>> {
        (0..self.story.callers).map(|_| runtime.spawn(self.clone().call())).collect()
    }

    /// One caller.
    async fn call(self) {
        for _ in 0..self.story.calls {
            let is_answered = match self.enqueue() {
                Some(answered) => answered.await.is_ok(),
                None => false,
            };
            assert!(is_answered || self.runtimes.iter().any(Handle::has_ended), "nobody serves");
        }
    }

    fn enqueue(&self) -> Option<oneshot::Receiver<()>> {
        let mut lane = self.lane.lock().unwrap();
        let (answer, answered) = oneshot::channel();
        let mut item = Item { place: lane.queued, answer };
        lane.queued += 1;
        for _ in 0..2 {
            let entrance = lane.open.get_or_insert_with(|| self.open());
            match entrance.add(item).unwrap() {
                None => return Some(answered),
                Some(returned) => item = returned,
            }
            lane.open = None;
        }
        None
    }

    fn open(&self) -> Entrance {
        let (entrance, exit) = queue();
        let task = Handle::try_current().unwrap().spawn(serve(exit, Arc::clone(&self.served)));
        self.served.tasks.lock().unwrap().push(task);
        entrance
    }
}

async fn serve(queue: Exit, served: Arc<Served>) {
    while let Some(items) = queue.take().await {
        served.taken.lock().unwrap().extend(items.iter().map(|item| item.place));
        yield_now().await;
        for item in items {
            let _gone = item.answer.send(());
        }
    }
}
