//! The counters that a batch of documents needs, the order in which they are asked, and who gets which number.

mod group;
mod numbers;
mod shared;
mod told;

use std::{collections::HashMap, sync::Arc, time::Duration};

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, Document},
};

pub(crate) use self::{
    group::{Group, Repair},
    numbers::Numbers,
};
use crate::{
    AutoIncrement, NumberedField, Result, capability,
    counter::{Counter, State},
    document::{self, Draft},
    insert::{SILENCE, Until},
    observe::Mode,
    progress::Progress,
    sequenced::Shared,
};

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
    /// With `gapless` for the call, all fields are numbered without gaps; else those that are declared so. `mode` is their
    /// way.
    pub(crate) fn new<T: AutoIncrement>(
        collection: &Collection<T>,
        shared: Option<&Shared>,
        drafts: &[Draft],
        (gapless, mode): (bool, Mode),
        time_limit: Option<Duration>,
        comment: Option<&Bson>,
    ) -> Result<Self> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::with_capacity(drafts.len());
        let mut before: Option<&Draft> = None;
        for (document, draft) in drafts.iter().enumerate() {
            let mut places = Vec::with_capacity(T::SEQUENCES.len());
            let fields = T::SEQUENCES.iter().zip(draft.scopes.iter().zip(&draft.own));
            for (sequence, (definition, (scope, own))) in fields.enumerate() {
                let same = before.zip(members.last()).and_then(|(before, places)| {
                    let place = places.get(sequence)?;
                    (before.scopes.get(sequence)? == scope).then_some(*place)
                });
                let place = if let Some(place) = same {
                    place
                } else {
                    let key = (sequence, scope_bytes(scope)?);
                    if !known.contains_key(&key) {
                        let counter = NumberedField::of_model(collection, sequence, definition)?.counter(scope);
                        let gapless = gapless || definition.gapless;
                        let combiner =
                            shared.filter(|_| !gapless).map(|shared| shared.combiners.of(key.clone(), &counter));
                        let outside = shared.map_or(Mode::Plain, |shared| shared.combiners.mode());
                        let mode = if gapless { mode } else { outside };
                        let counter = counter.with_limits(time_limit, comment).in_mode(mode);
                        groups.push(Group { combiner, ..Group::new(sequence, counter, gapless) });
                    }
                    *known.entry(key).or_insert(groups.len() - 1)
                };
                places.push(place);
                let Some(group) = groups.get_mut(place) else { continue };
                match *own {
                    Some(number) => {
                        group.own.push((document, number));
                        group.passed.insert(number);
                    }
                    None => group.takers.push(document),
                }
            }
            members.push(places);
            before = Some(draft);
        }
        Ok(Self::of(groups, members))
    }

    fn of(groups: Vec<Group>, members: Vec<Vec<usize>>) -> Self {
        let mut gapless: Vec<_> = groups.iter().enumerate().filter(|(_, group)| group.gapless).collect();
        gapless.sort_by_cached_key(|(_, group)| group.counter.name());
        let gapless = gapless.into_iter().map(|(place, _)| place).collect();
        Self { groups, members, gapless }
    }

    /// From now on its counters are waited for no longer than that.
    pub(crate) fn wait_until(&mut self, until: Until) {
        self.groups.iter_mut().for_each(|group| group.until = until);
    }

    /// One for the documents of several calls, in their order.
    pub(crate) fn merged(each: impl IntoIterator<Item = Self>) -> Self {
        let (mut groups, mut members): (Vec<Group>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut known = HashMap::new();
        for one in each {
            let before = members.len();
            let mut places = Vec::with_capacity(one.groups.len());
            for group in one.groups {
                let place = *known.entry(Arc::clone(&group.key)).or_insert(groups.len());
                if place == groups.len() {
                    groups.push(group.emptied());
                }
                if let Some(merged) = groups.get_mut(place) {
                    merged.takers.extend(group.takers.iter().map(|document| before + document));
                }
                places.push(place);
            }
            let merged = |own: Vec<usize>| own.iter().filter_map(|&group| places.get(group).copied()).collect();
            members.extend(one.members.into_iter().map(merged));
        }
        Self::of(groups, members)
    }

    /// What the gapless counters have to be taken together with: documents with the same are one queue.
    pub(crate) fn gapless_keys(&self) -> Vec<u8> {
        self.gapless().flat_map(|(_, group)| group.key.iter().copied()).collect()
    }

    pub(crate) fn is_gapless(&self) -> bool {
        !self.gapless.is_empty()
    }

    /// How many counters there are.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    pub(crate) fn group(&self, place: usize) -> Option<&Group> {
        self.groups.get(place)
    }

    pub(crate) fn group_mut(&mut self, place: usize) -> Option<&mut Group> {
        self.groups.get_mut(place)
    }

    /// The gapless groups and their places, in the order in which every transaction takes them.
    pub(crate) fn gapless(&self) -> impl Iterator<Item = (usize, &Group)> {
        self.gapless.iter().filter_map(|&place| Some((place, self.groups.get(place)?)))
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
        Some((*self.members.get(document)?.get(sequence)?, numbers.get(document, sequence)?))
    }

    /// Takes the numbers that may have gaps. The places of the gapless ones hold 0.
    pub(crate) async fn take_plain(&self) -> Result<Numbers> {
        let mut numbers = self.no_numbers();
        for group in &self.groups {
            if group.gapless {
                group.takers.iter().for_each(|&document| numbers.set(document, group.sequence, 0));
            } else if let Err(error) = group.take(&group.takers, &mut numbers).await {
                self.tell_burnt(|_| true, &numbers);
                return Err(error.burning(self.burnt(&numbers)));
            }
        }
        Ok(numbers)
    }

    fn no_numbers(&self) -> Numbers {
        Numbers::none_yet(self.members.iter().map(Vec::len))
    }

    /// The first of these numbers that a failure burns; those of gapless fields are rolled back instead.
    pub(crate) fn burnt(&self, numbers: &Numbers) -> Option<i64> {
        self.burnt_of(0..numbers.len(), numbers)
    }

    /// The first of the numbers of these documents that a failure burns.
    pub(crate) fn burnt_of(&self, documents: impl IntoIterator<Item = usize>, numbers: &Numbers) -> Option<i64> {
        documents.into_iter().find_map(|document| {
            let mut taken = self.members.get(document)?.iter().zip(numbers.of(document));
            taken.find_map(|(&group, number)| number.filter(|_| self.group(group).is_some_and(|group| !group.gapless)))
        })
    }

    /// Looks for the gapless counters outside the caller's transaction and before its first command, and creates what
    /// is missing: from its first command on, the transaction sees nothing new.
    pub(crate) async fn prepare_gapless(&mut self) -> Result<()> {
        for &place in &self.gapless {
            if let Some(group) = self.groups.get_mut(place) {
                group.prepare().await?;
            }
        }
        Ok(())
    }

    /// In the library's transaction, after `number`, given by this group, turned out to be in the data: sees to it that it is
    /// not given again. Tells whether what is stored explains the collision.
    ///
    /// Where one gapless number is taken others may be, so all of them are looked at.
    pub(crate) async fn pass_over(&mut self, group: usize, number: i64, numbers: &Numbers) -> Result<bool> {
        match self.group(group) {
            None => return Ok(false),
            Some(group) if group.repair(number).await? == Repair::Done => return Ok(true),
            Some(_) => {}
        }
        for group in self.groups.iter_mut().filter(|group| group.gapless) {
            let first = group.takers.first().and_then(|&document| numbers.get(document, group.sequence));
            if let Some(first) = first.filter(|_| group.takers.len() > 1 || !group.own.is_empty()) {
                group.learn(first).await?;
            }
        }
        Ok(self.group(group).is_some_and(|group| group.passes(number)))
    }

    /// The gapless counters that documents of this transaction have to raise, and where to.
    pub(crate) fn raises_inside(&self) -> Vec<(usize, i64)> {
        self.gapless().filter_map(|(place, group)| Some((place, group.raise(|_| true)?.1))).collect()
    }

    /// Raises the counters that may have gaps to the numbers which stored documents brought along.
    pub(crate) async fn raise_plain(&self, progress: Option<&Progress>) -> Result<()> {
        let is_stored = |document| progress.is_none_or(|progress| progress.is_stored(document));
        for group in self.groups.iter().filter(|group| !group.gapless) {
            let Some((number, to)) = group.raise(is_stored) else { continue };
            if let Err(error) = group.until.get(SILENCE, group.counter.raise(to)).await {
                return Err(group.counter.not_raised(number, &error));
            }
        }
        Ok(())
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
        if let Some(number) = counter.advance_in(n, &mut *session).await? {
            return Ok(number);
        }
        counter.settle_miss_in(n, &mut *session).await?;
    }
    Err(counter.missing("it was created in this transaction and is not there"))
}
