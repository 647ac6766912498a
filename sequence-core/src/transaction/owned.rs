//! An insert in a transaction of the library's own: counters first, then the document, then the commit.

use std::{sync::Arc, time::Duration};

use mongodb::{
    ClientSession,
    bson::Bson,
    error::{TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT},
    options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern},
};
use tokio::{sync::mpsc, time::Instant};

use super::{
    Backoff,
    documents::Request,
    held::{Held, WRITE_CONFLICT},
    open::Open,
    refusal,
    stage::Stage,
    stopped::{Blame, Stopped, may_pass},
};
use crate::{
    Error, ErrorKind, Result, capability,
    combiner::Run,
    counter::SHORTEST_TIME,
    document::Template,
    error::server_code,
    insert::MAX_REPAIRS,
    numbering::{Group, Numbering, Numbers},
    observe::{Attempts, End, Tried},
    target::{Failed, Target, refusals},
};

/// The most that one commit waits for a majority before it is sent again.
const COMMIT_TIME: Duration = Duration::from_secs(10);

/// Documents on their way through the library's own transaction. Holds nothing of the caller's, so that it comes to an
/// end, a commit or an abort, even if the caller is gone: a transaction dropped after its first command would lock the
/// counter for a minute.
#[derive(Debug)]
pub(crate) struct Insertion {
    pub(crate) numbering: Numbering,
    /// The numbers of the fields that may have gaps. They are kept over repetitions, nobody has seen them.
    pub(crate) numbers: Numbers,
    /// The bytes of the documents, unless they depend on the numbers.
    pub(crate) templates: Option<Vec<Arc<Template>>>,
    /// The caller, who has the models, for as long as it waits. Without one the templates stand for them.
    pub(crate) caller: Option<mpsc::Sender<Request>>,
    /// Whether others wait behind it: then what one document is to blame for ends it at once.
    pub(crate) is_group: bool,
    pub(crate) target: Target,
    pub(crate) time_limit: Duration,
    pub(crate) began: Instant,
    /// How far it is, for a caller that does not wait for its end.
    pub(crate) stage: Arc<Stage>,
}

/// What was committed.
#[derive(Debug)]
pub(crate) struct Inserted {
    pub(crate) ids: Vec<Bson>,
    pub(crate) numbers: Numbers,
    /// Whether the counters that may have gaps know the numbers which documents brought along.
    pub(crate) raised: Result<()>,
}

/// Where an attempt ended.
pub(super) enum Failure {
    /// The counter of this group is not there, or has no room for so many numbers.
    Miss(usize, u64),
    /// The counter of this group could not be moved.
    Counter(usize, Error),
    /// A document could not be inserted.
    Insert(Failed),
    /// The bytes turned out to depend on the numbers.
    Dependent,
    /// The driver had lost its servers for a moment.
    NotStarted,
    /// Everything else.
    Other(Error),
}

impl Insertion {
    /// Runs the transaction until it is committed, refused, or out of time.
    pub(crate) async fn run(mut self) -> Result<Inserted, Stopped> {
        let done = self.begin().await;
        if done.is_ok() {
            self.numbering.tell_taken(&self.numbers);
        }
        if self.caller.as_ref().is_some_and(mpsc::Sender::is_closed)
            && let Some(observed) = self.numbering.observed()
        {
            observed.ended(if done.is_ok() { End::Committed } else { End::Aborted });
        }
        let burnt = self.numbering.burnt(&self.numbers);
        let ids = match done {
            Ok(ids) => ids,
            Err(Stopped { error, blame, .. }) => {
                // of a group whoever answers its callers tells
                if self.caller.is_some() {
                    self.numbering.tell_burnt(|_| true, &self.numbers);
                }
                return Err(Stopped { error: error.burning(burnt), blame, numbers: self.numbers });
            }
        };
        let raised = self.numbering.raise_plain(None).await;
        Ok(Inserted { ids, numbers: self.numbers, raised })
    }

    async fn begin(&mut self) -> Result<Vec<Bson>, Stopped> {
        let Some((_, group)) = self.numbering.gapless().next() else {
            return Err(Error::new(ErrorKind::ShutDown).into()); // nothing to do it for
        };
        let counter = Arc::clone(&group.counter);
        let session = self.target.collection.client().start_session().await.map_err(Error::from)?;
        let mut open = Open { session: Some(session), counter, may_be: false };
        let Open { session: Some(session), may_be, .. } = &mut open else {
            return Err(Error::new(ErrorKind::ShutDown).into());
        };
        let done = self.repeat(session, may_be).await;
        open.close_if_it_may_be();
        done
    }

    async fn repeat(&mut self, session: &mut ClientSession, may_be_open: &mut bool) -> Result<Vec<Bson>, Stopped> {
        let mut backoff = Backoff::new(self.is_group);
        let mut held = Held::default();
        let (mut repairs, mut prepared) = (0, false);
        let mut attempts = Attempts::default();
        loop {
            attempts.begin(Tried::Transaction, self.numbering.observed());
            *may_be_open = true;
            let failure = match self.attempt(session, &mut held).await {
                Ok(result) if self.stage.commits(self.numbers.first()) => match self.commit(session).await {
                    Ok(()) => {
                        *may_be_open = false;
                        self.stage.is_committed(self.numbers.first());
                        return Ok(result);
                    }
                    Err(error) if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => {
                        self.stage.begins_again();
                        Failure::Other(error)
                    }
                    Err(error) => return Err(error.into()), // the driver does not abort it any more
                },
                attempted => {
                    // The server may have aborted already, which is all that this could report.
                    let _aborted = session.abort_transaction().await;
                    attempted.err().unwrap_or_else(|| Failure::Other(self.out_of_time()))
                }
            };
            *may_be_open = false;
            let error = match failure {
                Failure::Dependent => {
                    self.templates = None;
                    continue;
                }
                Failure::NotStarted | Failure::Miss(..) if self.is_over(Duration::ZERO) => {
                    return Err(self.out_of_time().into());
                }
                Failure::NotStarted => {
                    tokio::time::sleep(backoff.next()).await;
                    continue;
                }
                Failure::Miss(group, wanted) => {
                    let mut settled = match self.numbering.group(group) {
                        Some(group) => group.counter.settle_miss(wanted).await,
                        None => Ok(()),
                    };
                    if settled.is_ok() && !prepared {
                        prepared = true; // where one is missing, others may be
                        settled = self.numbering.prepare_gapless().await;
                    }
                    match settled {
                        Ok(()) => continue,
                        Err(error) => error,
                    }
                }
                Failure::Insert(failed) => {
                    let repaired = if repairs < MAX_REPAIRS { self.repair(&failed).await } else { Ok(false) };
                    match repaired {
                        Ok(true) => {
                            repairs += 1;
                            continue;
                        }
                        Ok(false) => match self.blame(&failed) {
                            None => failed.error,
                            blame => return Err(Stopped { blame, ..failed.error.into() }),
                        },
                        Err(error) => error,
                    }
                }
                Failure::Counter(group, error) => {
                    if let Some(Group { counter, .. }) = self.numbering.group(group) {
                        held.failed(group, &error, counter).await?;
                    }
                    error
                }
                Failure::Other(error) => error,
            };
            if !may_pass(&error) {
                return Err(error.into());
            }
            let pause = backoff.next();
            if self.is_over(pause) {
                let out_of_time = self.out_of_time();
                return Err(match error.driver_error() {
                    Some(cause) => out_of_time.caused_by(cause.clone()).into(),
                    None => out_of_time.into(),
                });
            }
            tokio::time::sleep(pause).await;
        }
    }

    async fn attempt(&mut self, session: &mut ClientSession, held: &mut Held) -> Result<Vec<Bson>, Failure> {
        // Everything is set here, so that nothing weaker (or a secondary) is inherited from client or session.
        let started = session
            .start_transaction()
            .read_concern(ReadConcern::majority())
            .write_concern(WriteConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
            .max_commit_time(self.time_limit.clamp(SHORTEST_TIME, COMMIT_TIME))
            .await;
        if let Err(error) = started {
            return Err(if refusal(&error).is_some() {
                match capability::check_transactions(self.target.collection.client()).await {
                    Ok(()) => Failure::NotStarted,
                    Err(reason) => Failure::Other(reason),
                }
            } else {
                Failure::Other(error.into())
            });
        }
        for (index, group) in self.numbering.gapless() {
            let (mut rest, mut n, mut wanted) = (group.takers(), group.size(), 0);
            while !rest.is_empty() {
                wanted += n;
                match group.counter.advance_in(n, session).await {
                    Ok(Some(last)) => (rest, n) = group.assign(rest, Run { n, last }, &mut self.numbers),
                    Ok(None) => return Err(Failure::Miss(index, wanted)),
                    Err(error) => return Err(Failure::Counter(index, error)),
                }
            }
        }
        held.released();
        let ids = self.insert(session).await?;
        for (group, to) in self.numbering.raises_inside() {
            let Some(Group { counter, .. }) = self.numbering.group(group) else { continue };
            if !counter.raise_in(to, session).await.map_err(Failure::Other)? {
                return Err(Failure::Miss(group, 0));
            }
        }
        Ok(ids)
    }

    /// Repeats the commit, and the commit only, while its outcome is unknown.
    async fn commit(&self, session: &mut ClientSession) -> Result<()> {
        let mut backoff = Backoff::new(false);
        let mut unknown = false;
        loop {
            let Err(error) = session.commit_transaction().await else {
                return Ok(());
            };
            if error.contains_label(TRANSIENT_TRANSACTION_ERROR) {
                return Err(error.into());
            }
            let repeat = error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT);
            // A write-concern error says that the commit was carried out.
            unknown |= repeat || matches!(&*error.kind, mongodb::error::ErrorKind::Write(_));
            if !unknown {
                return Err(error.into());
            }
            let pause = backoff.next();
            if !repeat || self.is_over(pause) {
                let (kind, number) = (ErrorKind::UnknownOutcome { limit: self.time_limit }, self.numbers.first());
                if let Some(observed) = self.numbering.observed() {
                    observed.unknown(self.numbers.len() as u64, number);
                }
                return Err(Error::new(kind).caused_by(error).burning(number));
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// After a duplicate of one of our numbers: moves its counter past the data. Numbers from outside are replaced; the
    /// others are taken anew by the next attempt.
    async fn repair(&mut self, failed: &Failed) -> Result<bool> {
        let duplicates = self.target.duplicates(&failed.error).await;
        let Some((group, number)) = self.numbering.colliding(duplicates, &failed.places, &self.numbers) else {
            return Ok(false);
        };
        let explained = self.numbering.pass_over(group, number, &self.numbers).await?;
        if let Some(group) = self.numbering.group(group).filter(|group| explained && !group.is_taken_inside()) {
            let all: Vec<usize> = (0..self.numbers.len()).collect();
            group.retake(&all, &mut self.numbers).await?;
        }
        Ok(explained)
    }

    /// In a group, what a failed insert means for the others.
    fn blame(&self, failed: &Failed) -> Option<Blame> {
        if !self.is_group {
            return None;
        }
        match refusals(&failed.error).first() {
            Some(refusal) => failed.places.get(refusal.index).copied().map(Blame::Refused),
            None => (failed.error.driver_error().and_then(server_code) == Some(WRITE_CONFLICT)).then_some(Blame::Waits),
        }
    }

    fn is_over(&self, pause: Duration) -> bool {
        self.began.elapsed() + pause >= self.time_limit
    }

    fn out_of_time(&self) -> Error {
        Error::new(ErrorKind::Deadline { limit: self.time_limit })
    }
}
