//! The client processes, and what they have told so far.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    sync::watch,
    task::JoinHandle,
};

use crate::{
    log::{Entry, Outcome},
    way::Way,
};

/// How long something that is sure to happen may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Everything that was told.
#[derive(Debug)]
pub struct Told {
    /// In the order in which it arrived.
    pub entries: Vec<Entry>,
    /// The longest time in which nothing was stored in one way, by what was done last before it ended.
    pub stalls: BTreeMap<&'static str, Duration>,
    /// For each way how many are stored, and when the last of them was.
    stored: Vec<(usize, Instant)>,
    /// What was done last.
    fault: &'static str,
}

/// What the processes share with whoever reads their output.
#[derive(Clone, Debug)]
struct Tape {
    told: Arc<Mutex<Told>>,
    news: Arc<watch::Sender<()>>,
}

/// Processes that insert.
#[derive(Debug)]
pub struct Clients {
    program: PathBuf,
    uri: String,
    database: String,
    ways: Vec<Way>,
    started: usize,
    running: Vec<(Child, JoinHandle<()>)>,
    tape: Tape,
}

impl Clients {
    /// Starts `n` processes of this program.
    #[must_use]
    pub fn start(program: impl Into<PathBuf>, n: usize, uri: &str, database: &str, ways: &[Way]) -> Self {
        let stored = vec![(0, Instant::now()); ways.len()];
        let told = Told { entries: Vec::new(), stalls: BTreeMap::new(), stored, fault: "nothing" };
        let tape = Tape { told: Arc::new(Mutex::new(told)), news: Arc::default() };
        let (program, uri, database, ways) = (program.into(), uri.to_owned(), database.to_owned(), ways.to_vec());
        let mut clients = Self { program, uri, database, ways, started: 0, running: Vec::new(), tape };
        (0..n).for_each(|_| clients.start_another());
        clients
    }

    fn start_another(&mut self) {
        let mut command = Command::new(&self.program);
        command.args([&self.uri, &self.database, &self.started.to_string()]);
        command.args(self.ways.iter().map(|way| way.name()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().expect("a client process cannot be started");
        let mut lines = BufReader::new(process.stdout.take().expect("it has a pipe")).lines();
        let tape = self.tape.clone();
        let reader = tokio::spawn(async move {
            // a line is written as a whole or not at all, also by one that is killed
            while let Ok(Some(line)) = lines.next_line().await {
                tape.lock().add(line.parse().expect("it tells nothing else"));
                tape.news.send_replace(());
            }
        });
        self.running.push((process, reader));
        self.started += 1;
    }

    /// How many processes were started.
    #[must_use]
    pub fn started(&self) -> usize {
        self.started
    }

    /// How many are running.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Kills one in the middle of everything, and starts another. What it has told up to then counts.
    pub async fn kill(&mut self, which: usize) {
        let (mut process, reader) = self.running.swap_remove(which);
        process.kill().await.expect("it was running");
        reader.await.expect("its output is read to the end");
        self.start_another();
    }

    /// From now on stalls are blamed on this.
    pub fn blame(&self, fault: &'static str) {
        self.tape.lock().fault = fault;
    }

    /// Waits until `n` more documents are stored in each way.
    pub async fn more(&self, n: usize) {
        let mut news = self.tape.news.subscribe();
        let stored = || self.tape.lock().stored.iter().map(|(stored, _)| *stored).collect::<Vec<_>>();
        let before = stored();
        let more = async {
            while stored().iter().zip(&before).any(|(now, before)| *now < before + n) {
                news.changed().await.expect("the sender is here");
            }
        };
        let waited = tokio::time::timeout(PATIENCE, more).await;
        assert!(waited.is_ok(), "no {n} more are stored in each of {:?}: {:?}, before {before:?}", self.ways, stored());
    }

    /// Lets all come to an end by themselves.
    pub async fn finish(mut self) -> Told {
        for (process, _) in &mut self.running {
            drop(process.stdin.take());
        }
        for (mut process, reader) in self.running {
            let ended = tokio::time::timeout(PATIENCE, process.wait()).await;
            let status = ended.expect("a process does not end").expect("it was running");
            assert!(status.success(), "a process ended with {status}");
            reader.await.expect("its output is read to the end");
        }
        let told = Arc::try_unwrap(self.tape.told).expect("all readers have ended");
        told.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    fn add(&mut self, entry: Entry) {
        self.entries.push(entry);
        if let (Outcome::Stored(_), Some((stored, last))) = (entry.outcome, self.stored.get_mut(entry.way)) {
            *stored += 1;
            let now = Instant::now();
            let stall = now - std::mem::replace(last, now);
            let longest = self.stalls.entry(self.fault).or_default();
            *longest = stall.max(*longest);
        }
    }
}
