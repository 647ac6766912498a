//! The documents of a batch that take their numbers from one counter.

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
}

impl Group {
    /// Whether no document takes a number: all bring their own.
    pub(crate) fn is_empty(&self) -> bool {
        self.takers.is_empty()
    }

    pub(crate) fn size(&self) -> u64 {
        self.takers.len() as u64
    }

    /// Gives the documents of the group the numbers that end with `last`.
    pub(crate) fn assign(&self, last: i64, numbers: &mut Numbers) {
        self.assign_to(&self.takers, last, numbers);
    }

    fn assign_to(&self, documents: &[usize], last: i64, numbers: &mut Numbers) {
        let taken = self.counter.progression.up_to(last).zip(documents.iter().rev());
        taken.for_each(|(number, &document)| numbers[document][self.sequence] = Some(number));
    }

    /// Gives those of these documents that are in the group new numbers, in the order of the batch.
    pub(crate) async fn retake(&self, pending: &[usize], numbers: &mut Numbers) -> Result<()> {
        let mut documents = self.takers.clone();
        documents.retain(|document| pending.binary_search(document).is_ok());
        let last = self.counter.advance(documents.len() as u64).await?;
        self.assign_to(&documents, last, numbers);
        Ok(())
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
