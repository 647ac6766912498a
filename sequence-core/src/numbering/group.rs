//! The documents of a batch that take their numbers from one counter.

use std::collections::BTreeSet;

use super::Numbers;
use crate::{Result, counter::Counter};

#[derive(Debug)]
pub(crate) struct Group {
    pub(super) sequence: usize,
    pub(crate) counter: Counter,
    pub(super) gapless: bool,
    /// Those that take a number, in the order of the batch.
    pub(super) takers: Vec<usize>,
    /// Those that bring their own.
    pub(super) own: Vec<(usize, i64)>,
    /// The numbers that these bring.
    pub(super) brought: BTreeSet<i64>,
}

impl Group {
    pub(crate) fn size(&self) -> u64 {
        self.takers.len() as u64
    }

    /// The documents that take a number, in the order of the batch.
    pub(crate) fn takers(&self) -> &[usize] {
        &self.takers
    }

    /// Gives these documents of the group the numbers that end with `last`, as many as there are documents, and returns
    /// those for which none is left: a number that a document of the batch brings along is passed over.
    pub(crate) fn assign<'d>(&self, documents: &'d [usize], last: i64, numbers: &mut Numbers) -> &'d [usize] {
        let mut taken: Vec<i64> = self.counter.progression.up_to(last).take(documents.len()).collect();
        taken.reverse();
        taken.retain(|number| !self.brought.contains(number));
        for (number, &document) in taken.iter().zip(documents) {
            numbers[document][self.sequence] = Some(*number);
        }
        &documents[taken.len().min(documents.len())..]
    }

    /// Takes numbers outside any transaction for these documents of the group.
    pub(crate) async fn take(&self, documents: &[usize], numbers: &mut Numbers) -> Result<()> {
        let mut rest = documents;
        while !rest.is_empty() {
            let last = self.counter.advance(rest.len() as u64).await?;
            rest = self.assign(rest, last, numbers);
        }
        Ok(())
    }

    /// Gives those of these documents that are in the group new numbers.
    pub(crate) async fn retake(&self, pending: &[usize], numbers: &mut Numbers) -> Result<()> {
        let mut documents = self.takers.clone();
        documents.retain(|document| pending.binary_search(document).is_ok());
        self.take(&documents, numbers).await
    }

    /// Whether the numbers are taken in the transaction that inserts the documents.
    pub(crate) fn is_taken_inside(&self) -> bool {
        self.gapless
    }

    /// After `number` turned out to be in the data already: moves the counter past what is stored, and tells whether
    /// what is stored explains the collision (then the next number is another one).
    ///
    /// A gapless sequence skips only the numbers that are taken; the others go behind the furthest.
    pub(crate) async fn repair(&self, number: i64) -> Result<bool> {
        let Some(data) = self.counter.origin.readable() else { return Ok(false) };
        let progression = &self.counter.progression;
        let stored =
            if self.gapless { data.end_of_run(number, progression).await? } else { data.furthest(progression).await? };
        let Some(stored) = stored.filter(|&stored| !progression.beyond(number, stored)) else {
            return Ok(false);
        };
        if let Some(to) = progression.seed(Some(stored)) {
            self.counter.raise(to).await?;
        }
        Ok(true)
    }
}
