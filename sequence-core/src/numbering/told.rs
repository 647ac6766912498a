//! What is told of the numbers of a batch.

use super::{Numbering, Numbers};
use crate::{
    observe::{self, Observed},
    progress::Progress,
};

impl Numbering {
    /// The counter that stands for all of them, where one thing is told of the documents.
    pub(crate) fn observed(&self) -> Option<&Observed> {
        let first = self.gapless().map(|(_, group)| group).next().or(self.groups.first())?;
        Some(&first.counter.observed)
    }

    /// Tells of the numbers without gaps, once they are taken for good or it is the caller's transaction that decides.
    pub(crate) fn tell_taken(&self, numbers: &Numbers) {
        for (_, group) in self.gapless() {
            let last = group.takers.last().and_then(|&document| numbers.get(document, group.sequence));
            group.counter.observed.given(group.size(), last, &group.counter.progression);
        }
    }

    /// Tells of the numbers of these documents that a failure burns.
    pub(crate) fn tell_burnt(&self, is_meant: impl Fn(usize) -> bool, numbers: &Numbers) {
        for group in self.groups.iter().filter(|group| observe::IS_ON && !group.gapless) {
            let (count, first) = group.given(&is_meant, numbers);
            group.counter.observed.burnt(count, first);
        }
    }

    /// Tells of the numbers that are not stored, and of those of which nobody knows.
    pub(crate) fn tell_lost(&self, progress: &Progress, numbers: &Numbers) {
        self.tell_burnt(|document| !progress.is_stored(document), numbers);
        for group in self.groups.iter().filter(|_| observe::IS_ON) {
            let (count, first) = group.given(|document| progress.is_unknown(document), numbers);
            group.counter.observed.unknown(count, first);
        }
    }
}
