//! The counter as its callers see it: numbers, errors after which it has moved or not, and a document that may go.

use shuttle::rand::{Rng, thread_rng};

use crate::{
    Error, ErrorKind, Result,
    definition::Progression,
    ledger::Ledger,
    observe::Observed,
    sync::{Arc, Mutex},
    task::yield_now,
};

pub(crate) const CREATIONS: usize = 8;

/// A counter that was lost begins so much further on, so that a number tells in which life it was taken.
pub(crate) const LIFE: i64 = 1_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub(crate) progression: Progression,
    pub(crate) observed: Observed,
    server: Arc<Mutex<Server>>,
    ledger: Arc<Ledger>,
}

#[derive(Debug)]
struct Server {
    /// The last number taken, if the document is there.
    value: Option<i64>,
    lives: i64,
    fails: bool,
    /// First and last of what was taken together.
    taken: Vec<(i64, i64)>,
}

/// What becomes of one command.
enum Fate {
    Answered,
    /// It has not reached the server.
    Refused,
    /// The answer has not reached the client.
    Unknown,
    Unconfirmed,
}

impl Counter {
    pub(crate) fn new(last: i64, fails: bool, ledger: &Arc<Ledger>) -> Self {
        let server = Server { value: None, lives: 0, fails, taken: Vec::new() };
        let progression = Progression { start: Some(1), step: 1, last };
        Self {
            progression,
            observed: Observed::new(""),
            server: Arc::new(Mutex::new(server)),
            ledger: Arc::clone(ledger),
        }
    }

    pub(crate) async fn try_advance(&self, n: u64, _is_block: bool) -> Result<Option<i64>> {
        let fate = self.fate();
        yield_now().await;
        if let Fate::Refused = fate {
            return Err(Error::new(ErrorKind::Driver));
        }
        let moved = self.increment(n);
        yield_now().await;
        match (moved, fate) {
            (_, Fate::Unknown) => Err(Error::new(ErrorKind::Driver)),
            (Some(last), Fate::Unconfirmed) => Err(Error::new(ErrorKind::Unconfirmed {}).burning(Some(last))),
            (moved, _) => Ok(moved),
        }
    }

    fn increment(&self, n: u64) -> Option<i64> {
        let stride = self.progression.stride(n)?;
        let mut server = self.server.lock().unwrap();
        let before = server.value.filter(|&value| !self.progression.beyond(value, stride.bound))?;
        let last = before + stride.by;
        server.value = Some(last);
        server.taken.push((before + 1, last));
        Some(last)
    }

    pub(crate) async fn is_missing(&self, n: u64) -> Result<bool> {
        yield_now().await;
        let Some(value) = self.value() else { return Ok(true) };
        let remaining = self.progression.remaining(value);
        if remaining < n { Err(Error::new(ErrorKind::Exhausted { remaining })) } else { Ok(false) }
    }

    pub(crate) async fn create(&self) -> Result<()> {
        yield_now().await;
        let mut server = self.server.lock().unwrap();
        if server.value.is_none() {
            let seed = server.lives * LIFE;
            server.value = Some(seed);
            self.ledger.nothing_up_to(seed);
        }
        Ok(())
    }

    pub(crate) async fn used_up(&self) -> Error {
        yield_now().await;
        match self.value() {
            Some(value) => Error::new(ErrorKind::Exhausted { remaining: self.progression.remaining(value) }),
            None => self.removed_again(),
        }
    }

    #[allow(clippy::unused_self, reason = "as the real one")]
    pub(crate) fn removed_again(&self) -> Error {
        Error::new(ErrorKind::CounterMissing)
    }

    fn fate(&self) -> Fate {
        if !self.server.lock().unwrap().fails {
            return Fate::Answered;
        }
        match thread_rng().gen_range(0..8) {
            0 => Fate::Refused,
            1 => Fate::Unknown,
            2 => Fate::Unconfirmed,
            _ => Fate::Answered,
        }
    }
}

/// What others do to it, and know of it.
impl Counter {
    pub(crate) fn value(&self) -> Option<i64> {
        self.server.lock().unwrap().value
    }

    pub(crate) fn lose(&self) {
        let mut server = self.server.lock().unwrap();
        server.value = None;
        server.lives += 1;
    }

    /// Somebody else moves it. Returns where it stands.
    pub(crate) fn raise(&self, by: i64) -> i64 {
        let mut server = self.server.lock().unwrap();
        let value = server.value.unwrap_or_else(|| {
            self.ledger.found();
            server.lives * LIFE
        });
        server.value = Some(value + by);
        value + by
    }

    pub(crate) fn recover(&self) {
        self.server.lock().unwrap().fails = false;
    }

    pub(crate) fn taken(&self) -> Vec<(i64, i64)> {
        self.server.lock().unwrap().taken.clone()
    }
}
