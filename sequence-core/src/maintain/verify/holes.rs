//! Which numbers are missing, found by counting halves.

use mongodb::bson::{Document, doc};

use crate::{
    Result,
    data::{self, Data},
    definition::Progression,
    maintain::view::View,
};

/// How many numbers a report lists.
pub(super) const LISTED: usize = 20;
/// From how many places on their numbers are counted instead of read.
const READ: u64 = 4_000;

/// The places of a sequence (0 for its first number) up to the furthest number.
pub(super) struct Holes<'d> {
    data: &'d Data,
    progression: Progression,
    /// How many places there are.
    places: u64,
}

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) missing: u64,
    pub(super) first: Vec<i64>,
}

impl<'d> Holes<'d> {
    pub(super) fn new(data: &'d Data, progression: Progression, furthest: i64) -> Self {
        Self { data, progression, places: progression.place(furthest).map_or(0, |place| place + 1) }
    }

    /// Of so many different numbers that are there. Each half is counted by the index alone, and one without holes is not
    /// looked into.
    pub(super) async fn find(&self, view: &mut View, there: u64) -> Result<Found> {
        let mut found = Found { missing: self.places.saturating_sub(there), first: Vec::new() };
        let mut parts = vec![(0, self.places, there)];
        while let Some((from, to, there)) = parts.pop() {
            if found.first.len() >= LISTED {
                break;
            }
            if there >= to - from {
                continue;
            }
            if there == 0 || to - from <= READ {
                self.read(view, from, to, &mut found.first).await?;
                continue;
            }
            let middle = from + (to - from) / 2;
            let left = view.count(self.data.collection(), self.between(from, middle)).await?;
            parts.push((middle, to, there.saturating_sub(left)));
            parts.push((from, middle, left));
        }
        Ok(found)
    }

    async fn read(&self, view: &mut View, from: u64, to: u64, first: &mut Vec<i64>) -> Result<()> {
        let order = doc! { self.data.field(): self.progression.direction() };
        let between = self.data.in_exactly_this_scope(self.between(from, to));
        let mut cursor = view.find(self.data.collection(), between, order, self.data.value()).await?;
        let mut next = from;
        while first.len() < LISTED && next < to {
            let there = view.next(&mut cursor).await?;
            let place =
                there.as_ref().map(|there| data::whole_value_of(there).and_then(|it| self.progression.place(it)));
            let Some(place) = place.unwrap_or(Some(to)) else { continue };
            first.extend((next..place).take(LISTED - first.len()).filter_map(|place| self.progression.at(place)));
            next = place + 1;
        }
        Ok(())
    }

    /// The numbers at these places.
    fn between(&self, from: u64, to: u64) -> Document {
        let ends = [self.progression.at(from), self.progression.at(to - 1)].map(Option::unwrap_or_default);
        self.data.numbers(ends[0].min(ends[1]), ends[0].max(ends[1]))
    }
}
