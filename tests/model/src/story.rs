//! Callers of one combiner, and what happens to them meanwhile.

use shuttle::{
    future::{JoinHandle, block_on},
    rand::{Rng, thread_rng},
};

use crate::{
    Error, ErrorKind,
    combiner::{BlockSize, Combiner, Run},
    counter::Counter,
    ledger::Ledger,
    runtime::Handle,
    sync::Arc,
    task::yield_now,
    time::turns,
};

/// How long what nobody waits for may take.
const PATIENCE: usize = 1_000;

/// What happens in a story.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    /// The size of its blocks.
    pub block: u32,
    /// How many callers there are on each runtime.
    pub callers: usize,
    /// How often each of them asks.
    pub calls: usize,
    /// How many of the runtimes end meanwhile. One more does not.
    pub ends: usize,
    /// Whether commands fail.
    pub fails: bool,
    /// Whether callers give up waiting.
    pub gives_up: bool,
    /// How often the counter is lost.
    pub lost: usize,
    /// How often somebody raises the counter, and throws the blocks away.
    pub raised: usize,
    /// The last number.
    pub last: i64,
}

impl Story {
    /// In which nothing goes wrong.
    pub const PLAIN: Self = Self {
        block: 0,
        callers: 3,
        calls: 2,
        ends: 0,
        fails: false,
        gives_up: false,
        lost: 0,
        raised: 0,
        last: i64::MAX,
    };

    /// Lets it happen once, in the order that shuttle chooses.
    ///
    /// # Panics
    ///
    /// If a caller was told what cannot be true, or was not told anything.
    pub fn happen(self) {
        let ledger = Arc::default();
        let counter = Counter::new(self.last, self.fails, &ledger);
        let combiner = Arc::new(Combiner::new(counter.clone(), BlockSize::fixed(self.block)));
        let cast = Cast { story: self, counter, combiner, ledger };
        block_on(cast.play());
    }

    fn is_plain(self) -> bool {
        !self.fails && !self.gives_up && self.ends == 0 && self.lost == 0 && self.raised == 0 && self.last == i64::MAX
    }
}

#[derive(Clone, Debug)]
struct Cast {
    story: Story,
    counter: Counter,
    combiner: Arc<Combiner>,
    ledger: Arc<Ledger>,
}

impl Cast {
    async fn play(self) {
        let runtimes: Vec<_> = (0..=self.story.ends).map(|_| Handle::new()).collect();
        let mut tasks = Vec::new();
        for runtime in &runtimes {
            for _ in 0..self.story.callers {
                tasks.push(runtime.spawn(self.clone().ask()));
            }
        }
        let events = shuttle::future::spawn(self.clone().meanwhile(runtimes[1..].to_vec()));
        for task in tasks {
            answered(task).await;
        }
        events.await.unwrap();
        self.ledger.check(&self.counter.taken());
        self.counter.recover();
        answered(runtimes[0].spawn(self.clone().settle_down())).await;
        self.ledger.check(&self.counter.taken());
        self.balance();
    }

    /// One caller.
    async fn ask(self) {
        for _ in 0..self.story.calls {
            if self.story.gives_up && thread_rng().gen_ratio(1, 3) {
                real_tokio::select! {
                    biased;
                    () = self.call() => {}
                    () = turns() => {}
                }
            } else {
                self.call().await;
            }
        }
    }

    async fn call(&self) {
        let began = self.ledger.now();
        let n = thread_rng().gen_range(1..=3);
        let (runs, error) = match thread_rng().gen_range(0..3) {
            0 => self.one().await,
            1 => match self.combiner.take(n).await {
                Ok(runs) => {
                    assert_eq!(runs.iter().map(|run| run.n).sum::<u64>(), n);
                    (runs, None)
                }
                Err(error) => (Vec::new(), Some(error)),
            },
            _ => {
                let (runs, error) = self.combiner.take_up_to(n).await;
                let got = runs.iter().map(|run| run.n).sum::<u64>();
                assert!(got == n || got < n && error.is_some(), "{got} of {n}, {error:?}");
                (runs, error)
            }
        };
        if !runs.is_empty() {
            self.ledger.told(began, &runs);
        }
        if let Some(error) = error {
            self.hear(&error);
        }
    }

    /// As `SharedSequence::next_value`.
    async fn one(&self) -> (Vec<Run>, Option<Error>) {
        let run = |last| vec![Run { n: 1, last }];
        if let Some(number) = self.combiner.try_next() {
            return (run(number), None);
        }
        match self.combiner.take_one().await {
            Ok(number) => (run(number), None),
            Err(error) => (Vec::new(), Some(error)),
        }
    }

    fn hear(&self, error: &Error) {
        let is_possible = match error.kind() {
            ErrorKind::Driver | ErrorKind::Unconfirmed {} => self.story.fails,
            ErrorKind::Exhausted { .. } => self.story.last < i64::MAX,
            ErrorKind::ShutDown => Handle::try_current().is_ok_and(|own| own.has_ended()),
            ErrorKind::Overloaded { .. } | ErrorKind::CounterMissing => false,
        };
        assert!(is_possible, "{error:?}");
        if let Some(number) = error.number() {
            self.ledger.burnt(number);
        }
    }

    /// What others do.
    async fn meanwhile(self, ending: Vec<Handle>) {
        for _ in 0..self.story.lost {
            turns().await;
            self.counter.lose();
        }
        for _ in 0..self.story.raised {
            turns().await;
            let value = self.counter.raise(50);
            yield_now().await;
            self.combiner.discard();
            self.ledger.nothing_up_to(value);
        }
        for runtime in ending {
            turns().await;
            runtime.end();
        }
    }

    /// The counter works again: so does the combiner, and it comes to rest.
    async fn settle_down(self) {
        self.call().await;
        for _ in 0..PATIENCE {
            if self.combiner.is_idle() {
                return;
            }
            yield_now().await;
        }
        panic!("something is still under way: {:?}", self.combiner);
    }

    /// Nothing is lost when nothing goes wrong. (A block can be overtaken by four more: not in a story this short.)
    fn balance(&self) {
        let left = self.combiner.discard();
        let taken: i64 = self.counter.taken().iter().map(|(first, last)| last - first + 1).sum();
        let known = i64::try_from(self.ledger.len() + left).unwrap();
        assert!(known <= taken, "{known} of {taken}");
        if self.story.is_plain() && self.counter.taken().len() < 4 {
            assert_eq!(known, taken, "{:?}", self.ledger);
        }
    }
}

/// The task has ended. (Shuttle fails if it cannot any more.)
async fn answered(task: JoinHandle<Option<()>>) {
    task.await.unwrap();
}
