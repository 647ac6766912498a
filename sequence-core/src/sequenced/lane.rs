//! The queues, and the tasks that serve them.
//!
//! A place in a queue belongs to the queue: what waits is bytes and a way to answer, so that a caller who is not polled,
//! or gone, holds nobody up.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use mongodb::bson::Bson;
use tokio::sync::{Semaphore, oneshot, watch};

use super::{
    combiners::Combiners,
    gapless, plain,
    queue::{CAPACITY, Entrance, Exit, queue},
};
use crate::{
    Error, ErrorKind, Result, combiner::BlockSize, document::Template, insert::TRANSACTION_TIME, numbering::Numbering,
    observe::Span, target::Target,
};

/// How many groups of plain numbers are under way: while one waits for its insert, the next takes its numbers.
const UNDER_WAY: usize = 2;
/// In how many queues a document is put, one after the other, whose runtimes end before anybody takes it.
const QUEUES: usize = 3;
/// From how many queues on those are looked for that have closed.
const MANY: usize = 64;

/// What the clones of one [`SequencedCollection`](super::SequencedCollection) share: at the counters, and the queues of
/// documents, one for plain numbers and one for each set of gapless counters.
#[derive(Debug)]
pub struct Shared {
    pub(crate) combiners: Combiners,
    lanes: Mutex<Lanes>,
    /// How many documents are queued or under way.
    pending: Arc<watch::Sender<usize>>,
    is_shut_down: AtomicBool,
}

#[derive(Debug, Default)]
struct Lanes {
    open: HashMap<Vec<u8>, Entrance>,
    /// How many there may be before the closed ones are removed again.
    most: usize,
}

impl Lanes {
    /// Removes the closed ones whenever their number has doubled.
    fn tidy(&mut self) {
        if self.open.len() >= self.most {
            self.open.retain(|_, lane| !lane.is_closed());
            self.most = (2 * self.open.len()).max(MANY);
        }
    }
}

/// One document on its way.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) template: Arc<Template>,
    /// The counters of this document.
    pub(super) numbering: Numbering,
    answer: oneshot::Sender<Answer>,
    caller: Span,
    _pending: Pending,
}

impl Item {
    pub(super) fn is_waited_for(&self) -> bool {
        !self.answer.is_closed()
    }

    pub(super) fn answer(self, outcome: Result<Stored>) {
        let _gone = self.answer.send(Answer::Outcome(outcome));
    }

    /// Nobody takes it from its queue any more.
    pub(super) fn give_back(self) {
        let Self { template, numbering, answer, .. } = self;
        let _gone = answer.send(Answer::GivenBack(template, numbering));
    }
}

/// What its caller hears.
#[derive(Debug)]
enum Answer {
    Outcome(Result<Stored>),
    /// It was not even looked at.
    GivenBack(Arc<Template>, Numbering),
}

/// What became of it.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) id: Bson,
    /// By sequence.
    pub(crate) numbers: Vec<Option<i64>>,
}

/// Counts a document for as long as it is not answered.
#[derive(Debug)]
struct Pending(Arc<watch::Sender<usize>>);

impl Pending {
    fn new(pending: &Arc<watch::Sender<usize>>) -> Self {
        pending.send_modify(|pending| *pending += 1);
        Self(Arc::clone(pending))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.send_modify(|pending| *pending -= 1);
    }
}

impl Shared {
    pub(super) fn new(size: BlockSize) -> Self {
        Self {
            combiners: Combiners::new(size),
            lanes: Mutex::default(),
            pending: Arc::default(),
            is_shut_down: AtomicBool::default(),
        }
    }

    /// Queues a document and waits for what comes of it.
    pub(crate) async fn insert(&self, template: Template, numbering: Numbering, target: &Target) -> Result<Stored> {
        let (mut template, mut numbering) = (Arc::new(template), numbering);
        for _ in 0..QUEUES {
            let (answer, answered) = oneshot::channel();
            self.enqueue(
                Item { template, numbering, answer, caller: Span::current(), _pending: Pending::new(&self.pending) },
                target,
            )?;
            (template, numbering) = match answered.await {
                Ok(Answer::Outcome(outcome)) => return outcome,
                Ok(Answer::GivenBack(template, numbering)) => (template, numbering),
                // a task that has taken it and does not answer has ended with its runtime
                Err(_) => return Err(Error::new(ErrorKind::UnknownOutcome { limit: TRANSACTION_TIME })),
            };
        }
        Err(Error::new(ErrorKind::ShutDown))
    }

    fn enqueue(&self, mut item: Item, target: &Target) -> Result<()> {
        if self.is_shut_down.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::ShutDown));
        }
        let is_gapless = item.numbering.is_gapless();
        let key = item.numbering.gapless_keys();
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.tidy();
        // the second is open, or has ended at once with its runtime
        for _ in 0..2 {
            let lane = lanes.open.entry(key.clone()).or_insert_with(|| open(is_gapless, target));
            match lane.add(item)? {
                None => return Ok(()),
                // closed for want of work, or its runtime is gone
                Some(returned) => item = returned,
            }
            lanes.open.remove(&key);
        }
        Err(Error::new(ErrorKind::ShutDown))
    }

    /// Takes no more documents and waits until all have been answered. How many there were, and how many numbers are left
    /// over.
    pub(super) async fn shut_down(&self) -> (usize, u64) {
        self.is_shut_down.store(true, Ordering::Release);
        let mut pending = self.pending.subscribe();
        let waited_for = *pending.borrow();
        let _never_closed = pending.wait_for(|pending| *pending == 0).await;
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner).open.clear();
        (waited_for, self.combiners.discard())
    }
}

fn open(is_gapless: bool, target: &Target) -> Entrance {
    let (entrance, exit) = queue();
    tokio::spawn(serve(exit, is_gapless, target.clone()));
    entrance
}

/// Takes what waits, as a group, whenever there is room for one more; until nobody can add to it any more.
async fn serve(queue: Exit, is_gapless: bool, target: Target) {
    let room = Arc::new(Semaphore::new(if is_gapless { 1 } else { UNDER_WAY }));
    let aside = Arc::new(Semaphore::new(CAPACITY));
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await
        && let Some(items) = queue.take().await
    {
        let (target, aside) = (target.clone(), Arc::clone(&aside));
        let observed = items.first().and_then(|item| item.numbering.observed());
        let span = Span::of_group(observed, items.iter().map(|item| &item.caller));
        tokio::spawn(span.around(async move {
            if is_gapless {
                gapless::insert(&target, items, &aside).await;
            } else {
                plain::insert(&target, items).await;
            }
            drop(permit);
        }));
    }
}
