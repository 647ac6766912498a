//! The counters that a batch of documents needs, the order in which they are asked, and who gets which number.

mod group;
mod shared;

use std::{collections::HashMap, sync::Arc, time::Duration};

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, Document},
};

pub(crate) use self::group::{Group, Repair};
use crate::{
    AutoIncrement, ErrorKind, NumberedField, Result, capability,
    counter::{Counter, State},
    document::{self, Draft},
    progress::Progress,
    sequenced::Shared,
};

/// The numbers of each document, by sequence. `None` where the document brings its own.
pub(crate) type Numbers = Vec<Vec<Option<i64>>>;

/// The counters of a batch: one for each sequence and scope.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    groups: Vec<Group>,
    /// The group of each document and sequence.
    members: Vec<Vec<usize>>,
    /// The gapless ones, by the name of their counter: transactions that take several counters in one order do not
    /// undo each other's work.
    gapless: Vec<usize>,
}

impl Numbering {
    /// With `gapless` for the call, all fields are numbered without gaps; else those that are declared so.
    pub(crate) fn new<T: AutoIncrement>(
        collection: &Collection<T>,
        shared: Option<&Shared>,
        drafts: &[Draft],
        gapless: bool,
        time_limit: Option<Duration>,
        comment: Option<&Bson>,
    ) -> Result<Self> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known = HashMap::new();
        let mut members = vec![Vec::with_capacity(T::SEQUENCES.len()); drafts.len()];
        for (document, draft) in drafts.iter().enumerate() {
            for (sequence, scope) in draft.scopes.iter().enumerate() {
                let before = document.checked_sub(1).filter(|&before| drafts[before].scopes[sequence] == *scope);
                let group = if let Some(before) = before {
                    members[before][sequence]
                } else {
                    let key = (sequence, scope_bytes(scope)?);
                    if !known.contains_key(&key) {
                        let counter = NumberedField::of_model(collection, sequence)?.counter(scope);
                        let gapless = gapless || T::SEQUENCES[sequence].gapless;
                        let combiner =
                            shared.filter(|_| !gapless).map(|shared| shared.combiners.of(key.clone(), &counter));
                        let counter = counter.with_limits(time_limit, comment);
                        groups.push(Group { combiner, time_limit, ..Group::new(sequence, counter, gapless) });
                    }
                    *known.entry(key).or_insert(groups.len() - 1)
                };
                members[document].push(group);
                match draft.own[sequence] {
                    Some(number) => {
                        groups[group].own.push((document, number));
                        groups[group].passed.insert(number);
                    }
                    None => groups[group].takers.push(document),
                }
            }
        }
        let mut gapless: Vec<usize> = (0..groups.len()).filter(|&group| groups[group].gapless).collect();
        gapless.sort_by_cached_key(|&group| groups[group].counter.name());
        Ok(Self { groups, members, gapless })
    }

    /// One for the documents of several calls, in their order.
    pub(crate) fn merged(each: impl IntoIterator<Item = Self>) -> Self {
        let mut merged = Self { groups: Vec::new(), members: Vec::new(), gapless: Vec::new() };
        let mut known = HashMap::new();
        for one in each {
            let before = merged.members.len();
            let mut places = Vec::with_capacity(one.groups.len());
            for group in one.groups {
                let place = *known.entry(Arc::clone(&group.key)).or_insert(merged.groups.len());
                if place == merged.groups.len() {
                    merged.groups.push(group.emptied());
                }
                merged.groups[place].takers.extend(group.takers.iter().map(|document| before + document));
                places.push(place);
            }
            merged
                .members
                .extend(one.members.into_iter().map(|own| own.into_iter().map(|group| places[group]).collect()));
        }
        merged.gapless = (0..merged.groups.len()).filter(|&group| merged.groups[group].gapless).collect();
        merged.gapless.sort_by_cached_key(|&group| merged.groups[group].counter.name());
        merged
    }

    /// What the gapless counters have to be taken together with: documents with the same are one queue.
    pub(crate) fn gapless_keys(&self) -> Vec<u8> {
        self.gapless.iter().flat_map(|&group| self.groups[group].key.iter().copied()).collect()
    }

    pub(crate) fn is_gapless(&self) -> bool {
        !self.gapless.is_empty()
    }

    /// How many counters there are.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    pub(crate) fn group(&self, group: usize) -> &Group {
        &self.groups[group]
    }

    /// The gapless groups in the order in which every transaction takes them.
    pub(crate) fn gapless(&self) -> &[usize] {
        &self.gapless
    }

    /// The first of these duplicates whose number a group has given, with the group. `places` are those of the documents
    /// of the command.
    pub(crate) fn colliding(
        &self,
        duplicates: Vec<(usize, usize)>,
        places: &[usize],
        numbers: &Numbers,
    ) -> Option<(usize, i64)> {
        duplicates.into_iter().find_map(|(place, sequence)| self.given(*places.get(place)?, sequence, numbers))
    }

    /// The group that has given this document its number, and the number. `None` if the document brought it along.
    pub(crate) fn given(&self, document: usize, sequence: usize, numbers: &Numbers) -> Option<(usize, i64)> {
        Some((self.members[document][sequence], numbers[document][sequence]?))
    }

    /// Takes the numbers that may have gaps. The places of the gapless ones hold 0.
    pub(crate) async fn take_plain(&self) -> Result<Numbers> {
        let mut numbers: Numbers = self.members.iter().map(|groups| vec![None; groups.len()]).collect();
        for group in &self.groups {
            if group.gapless {
                group.takers.iter().for_each(|&document| numbers[document][group.sequence] = Some(0));
            } else if let Err(error) = group.take(&group.takers, &mut numbers).await {
                return Err(error.burning(self.burnt(&numbers)));
            }
        }
        Ok(numbers)
    }

    /// The first of these numbers that a failure burns; those of gapless fields are rolled back instead.
    pub(crate) fn burnt(&self, numbers: &Numbers) -> Option<i64> {
        self.burnt_of(0..numbers.len(), numbers)
    }

    /// The first of the numbers of these documents that a failure burns.
    pub(crate) fn burnt_of(&self, documents: impl IntoIterator<Item = usize>, numbers: &Numbers) -> Option<i64> {
        documents.into_iter().find_map(|document| {
            let mut taken = self.members[document].iter().zip(&numbers[document]);
            taken.find_map(|(&group, number)| number.filter(|_| !self.groups[group].gapless))
        })
    }

    /// Looks for the gapless counters outside the caller's transaction and before its first command, and creates what
    /// is missing: from its first command on, the transaction sees nothing new.
    pub(crate) async fn prepare_gapless(&mut self) -> Result<()> {
        for index in 0..self.gapless.len() {
            self.groups[self.gapless[index]].prepare().await?;
        }
        Ok(())
    }

    /// In the caller's transaction, which has no second try of its own: finds out which of the numbers that a group has
    /// just taken, and of those behind them, are in the data, so that they are passed over.
    pub(crate) async fn look_ahead(&mut self, group: usize, first: i64) -> Result<()> {
        let group = &mut self.groups[group];
        if group.has_more_inside(first) { group.learn(first).await } else { Ok(()) }
    }

    /// In the library's transaction, after `number`, given by this group, turned out to be in the data: sees to it that it is
    /// not given again. Tells whether what is stored explains the collision.
    ///
    /// Where one gapless number is taken others may be, so all of them are looked at.
    pub(crate) async fn pass_over(&mut self, group: usize, number: i64, numbers: &Numbers) -> Result<bool> {
        if self.groups[group].repair(number).await? == Repair::Done {
            return Ok(true);
        }
        for group in self.groups.iter_mut().filter(|group| group.gapless) {
            let first = group.takers.first().and_then(|&document| numbers[document][group.sequence]);
            if let Some(first) = first.filter(|_| group.takers.len() > 1 || !group.own.is_empty()) {
                group.learn(first).await?;
            }
        }
        Ok(self.groups[group].passes(number))
    }

    /// The gapless counters that documents of this transaction have to raise, and where to.
    pub(crate) fn raises_inside(&self) -> Vec<(usize, i64)> {
        self.raises(true, None).into_iter().map(|(group, _, to)| (group, to)).collect()
    }

    /// Raises the counters that may have gaps to the numbers which stored documents brought along.
    pub(crate) async fn raise_plain(&self, progress: Option<&Progress>) -> Result<()> {
        for (group, number, to) in self.raises(false, progress) {
            let counter = &self.groups[group].counter;
            if let Err(error) = counter.raise(to).await {
                return Err(counter.not_raised(number, &error));
            }
        }
        Ok(())
    }

    /// For each counter, in the order in which they are taken: the furthest number that these documents have brought
    /// along and that the sequence could hand out, and the last number of the sequence that is not behind it.
    fn raises(&self, gapless: bool, progress: Option<&Progress>) -> Vec<(usize, i64, i64)> {
        let is_stored = |document| progress.is_none_or(|progress| progress.is_stored(document));
        let raise = |group: usize| {
            let Group { counter, own, .. } = &self.groups[group];
            let progression = &counter.progression;
            let (low, high) = progression.range();
            let own = own.iter().filter(|(document, number)| is_stored(*document) && (low..=high).contains(number));
            let own = own.map(|(_, number)| *number);
            let furthest = own.reduce(|a, b| if progression.beyond(b, a) { b } else { a })?;
            Some((group, furthest, progression.seed(Some(furthest))?))
        };
        if gapless {
            self.gapless.iter().filter_map(|&group| raise(group)).collect()
        } else {
            (0..self.groups.len()).filter(|&group| !self.groups[group].gapless).filter_map(raise).collect()
        }
    }
}

/// The values of a scope have one form each.
fn scope_bytes(scope: &Document) -> Result<Vec<u8>> {
    Ok(document::serialize(scope).map_err(document::serialization)?.into_bytes())
}

/// Creates the counter if it is missing, so that a transaction which begins now finds it. Tells where it stands, unless it
/// had to be created.
pub(crate) async fn prepare(counter: &Counter) -> Result<Option<i64>> {
    match counter.read(None).await? {
        State::At(number) => Ok(Some(number.value)),
        State::Missing => {
            capability::check_transactions(counter.client()).await?;
            counter.create().await?;
            Ok(None)
        }
        State::Corrupt(found) => Err(counter.corrupt(found)),
    }
}

/// Takes the next `n` numbers in a transaction of the caller's and returns the last of them. Every error goes to the
/// caller: a retry of one command inside a transaction that the server has aborted cannot succeed.
pub(crate) async fn take_in(counter: &Counter, n: u64, session: &mut ClientSession) -> Result<i64> {
    for _ in 0..2 {
        match counter.advance_in(n, &mut *session).await {
            Ok(Some(number)) => return Ok(number),
            Ok(None) => {}
            Err(error) => {
                // a Decimal128 is moved on before the reply can be looked at
                if matches!(error.kind(), ErrorKind::CounterCorrupt { .. }) {
                    counter.break_transaction(session).await;
                }
                return Err(error);
            }
        }
        counter.settle_miss_in(n, &mut *session).await?;
    }
    Err(counter.missing("it was created in this transaction and is not there"))
}
