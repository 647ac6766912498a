//! The documents of a batch that take their numbers from one counter.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use mongodb::bson::{RawDocumentBuf, doc};

use super::{Numbers, prepare};
use crate::{
    Error, ErrorKind, Result,
    combiner::{Combiner, Run},
    counter::{Counter, State},
    document,
    insert::{SILENCE, Until},
};

#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(super) sequence: usize,
    pub(crate) counter: Arc<Counter>,
    /// The counter and what is taken from it, told apart by bytes.
    pub(super) key: Arc<[u8]>,
    pub(super) gapless: bool,
    /// What shares the counter with other callers of the handle, if there is one and the numbers may have gaps.
    pub(super) combiner: Option<Arc<Combiner>>,
    /// How long the call waits.
    pub(super) until: Until,
    /// Those that take a number, in the order of the batch.
    pub(super) takers: Vec<usize>,
    /// Those that bring their own.
    pub(super) own: Vec<(usize, i64)>,
    /// Where the gapless counter stood before the transaction.
    pub(super) committed: Option<i64>,
    /// Numbers that are not given: these documents bring them, or the data has them.
    pub(super) passed: BTreeSet<i64>,
}

impl Group {
    /// One without documents, that takes its numbers from the counter itself.
    pub(super) fn new(sequence: usize, counter: Counter, gapless: bool) -> Self {
        let key = doc! { "": counter.key(), "sequence": i64::try_from(sequence).unwrap_or_default() };
        let key = document::serialize(&key).map(RawDocumentBuf::into_bytes).unwrap_or_default().into();
        let (takers, own, committed, passed, counter) =
            (Vec::new(), Vec::new(), None, BTreeSet::new(), Arc::new(counter));
        Self {
            sequence,
            counter,
            key,
            gapless,
            combiner: None,
            until: Until::default(),
            takers,
            own,
            committed,
            passed,
        }
    }

    /// The same group without documents.
    pub(super) fn emptied(&self) -> Self {
        Self {
            sequence: self.sequence,
            counter: Arc::clone(&self.counter),
            key: Arc::clone(&self.key),
            gapless: self.gapless,
            combiner: self.combiner.clone(),
            until: Until::default(),
            takers: Vec::new(),
            own: Vec::new(),
            committed: None,
            passed: BTreeSet::new(),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.takers.len() as u64
    }

    /// The documents that take a number, in the order of the batch.
    pub(crate) fn takers(&self) -> &[usize] {
        &self.takers
    }

    /// Gives these documents of the group the numbers of a run, in order. Returns the documents for which none is left,
    /// since known numbers are passed over, and how many numbers to take for them.
    pub(crate) fn assign<'d>(
        &self,
        documents: &'d [usize],
        Run { n, last }: Run,
        numbers: &mut Numbers,
    ) -> (&'d [usize], u64) {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        let mut taken: Vec<i64> = self.counter.progression.up_to(last).take(n).collect();
        taken.reverse();
        taken.retain(|number| !self.passed.contains(number));
        for (number, &document) in taken.iter().zip(documents) {
            numbers.set(document, self.sequence, *number);
        }
        let rest = documents.get(taken.len()..).unwrap_or_default();
        (rest, self.needed(last, rest.len()))
    }

    /// How many numbers behind `last` it takes until `free` of them are not known.
    fn needed(&self, last: i64, mut free: usize) -> u64 {
        let progression = &self.counter.progression;
        let (mut n, mut next) = (0, Some(last));
        while free > 0 {
            next = next.and_then(|next| next.checked_add(progression.step));
            match next.filter(|&next| !progression.beyond(next, progression.last)) {
                Some(next) => free -= usize::from(!self.passed.contains(&next)),
                None => return n + free as u64, // the counter will say that there are no more
            }
            n += 1;
        }
        n
    }

    /// Takes numbers outside any transaction for these documents of the group.
    pub(crate) async fn take(&self, documents: &[usize], numbers: &mut Numbers) -> Result<()> {
        let (mut rest, mut n) = (documents, documents.len() as u64);
        while !rest.is_empty() {
            for run in self.supply(n).await? {
                (rest, n) = self.assign(rest, run, numbers);
            }
        }
        Ok(())
    }

    async fn supply(&self, n: u64) -> Result<Vec<Run>> {
        let Some(combiner) = &self.combiner else {
            // the server knows the limit, and says that the counter is held
            let take = async { Ok(vec![Run { n, last: self.counter.advance(n).await? }]) };
            return self.until.get(SILENCE, take).await;
        };
        let mut runs = Vec::new();
        match self.until.wait(Duration::ZERO, combiner.take_into(&mut runs, n)).await {
            Ok(taken) => taken.map(|()| runs),
            Err(limit) => Err(combiner.lost(&runs, Error::new(ErrorKind::Deadline { limit }))),
        }
    }

    /// How many of these documents have a number of the group, and the first of these.
    pub(super) fn given(&self, is_meant: impl Fn(usize) -> bool, numbers: &Numbers) -> (u64, Option<i64>) {
        let meant = self.takers.iter().filter(|&&document| is_meant(document));
        let mut given = meant.filter_map(|&document| numbers.get(document, self.sequence));
        let first = given.next();
        (first.map_or(0, |_| 1 + given.count() as u64), first)
    }

    /// Gives those of these documents that are in the group new numbers.
    pub(crate) async fn retake(&self, pending: &[usize], numbers: &mut Numbers) -> Result<()> {
        let mut documents = self.takers.clone();
        documents.retain(|document| pending.binary_search(document).is_ok());
        self.take(&documents, numbers).await
    }

    /// The furthest number that these documents have brought along and that the sequence could hand out, and the last number
    /// of the sequence that is not behind it.
    pub(super) fn raise(&self, is_meant: impl Fn(usize) -> bool) -> Option<(i64, i64)> {
        let progression = &self.counter.progression;
        let (low, high) = progression.range();
        let own = self.own.iter().filter(|(document, number)| is_meant(*document) && (low..=high).contains(number));
        let own = own.map(|(_, number)| *number);
        let furthest = own.reduce(|a, b| if progression.beyond(b, a) { b } else { a })?;
        Some((furthest, progression.seed(Some(furthest))?))
    }

    /// Whether the numbers are taken in the transaction that inserts the documents.
    pub(crate) fn is_taken_inside(&self) -> bool {
        self.gapless
    }

    /// Looks for the gapless counter outside the transaction, creates it if it is missing, and notes where it stands.
    pub(super) async fn prepare(&mut self) -> Result<()> {
        self.committed = prepare(&self.counter).await?;
        Ok(())
    }

    /// In the caller's transaction, which has no second try of its own: finds out which of the numbers that the group has
    /// just taken, and of those behind them, are in the data, so that they are passed over.
    pub(crate) async fn look_ahead(&mut self, first: i64) -> Result<()> {
        if self.has_more_inside(first) { self.learn(first).await } else { Ok(()) }
    }

    /// Whether numbers are under way in the transaction before this one, which a rollback returns. Then the counter may not
    /// be moved outside, past them, and a number that is taken has to be passed over inside.
    fn has_more_inside(&self, first: i64) -> bool {
        let next = self.committed.and_then(|committed| committed.checked_add(self.counter.progression.step));
        self.takers.len() > 1 || !self.own.is_empty() || next != Some(first)
    }

    /// Learns which of the numbers from `first` on, as many as the group needs, are in the data. Nothing, if no unique index
    /// would refuse them.
    pub(super) async fn learn(&mut self, first: i64) -> Result<()> {
        let Some(data) = self.counter.origin.readable() else { return Ok(()) };
        if data.has_unique_index().await? {
            let progression = &self.counter.progression;
            let stored = data.among(first, self.takers.len(), progression, &self.passed).await?;
            self.passed.extend(stored);
        }
        Ok(())
    }

    pub(super) fn passes(&self, number: i64) -> bool {
        self.passed.contains(&number)
    }

    /// After `number` turned out to be in the data already: moves the counter past what is stored.
    ///
    /// A gapless sequence skips only the numbers that are taken, and from where the counter stands: a number between the
    /// two that is free may come back with a rollback. The others go behind the furthest.
    pub(crate) async fn repair(&self, number: i64) -> Result<Repair> {
        let Some(data) = self.counter.origin.readable() else { return Ok(Repair::Unexplained) };
        let progression = &self.counter.progression;
        let stored =
            if self.gapless { data.end_of_run(number, progression).await? } else { data.furthest(progression).await? };
        let Some(mut to) = stored.filter(|&stored| !progression.beyond(number, stored)) else {
            return Ok(Repair::Unexplained);
        };
        if self.gapless {
            // a counter that is missing starts behind the data, and one that is none has an error of its own
            let State::At(value) = self.counter.read(None).await? else { return Ok(Repair::Done) };
            let next = value.value.checked_add(progression.step).filter(|_| progression.beyond(number, value.value));
            let Some(next) = next else { return Ok(Repair::Done) };
            match data.end_of_run(next, progression).await? {
                Some(end) if !progression.beyond(number, end) => to = end,
                _ => return Ok(Repair::Inside),
            }
        }
        if let Some(to) = progression.seed(Some(to))
            && self.counter.raise(to).await?
        {
            self.counter.observed.repaired(Some(number), to);
        }
        if let Some(combiner) = &self.combiner {
            combiner.discard();
        }
        Ok(Repair::Done)
    }
}

/// What can be done about a number that is in the data already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// The counter is past it: the next number is another one.
    Done,
    /// It is stored, and there are free numbers before it: it has to be passed over in the transaction.
    Inside,
    /// No stored document has it: the other one is in the same transaction, or cannot be read.
    Unexplained,
}
