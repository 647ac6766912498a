//! Numbers for documents of different calls, each of which fails alone.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::{Group, Numbering, Numbers};
use crate::{Error, ErrorKind, combiner::Supply, observe::Span, progress::Progress};

impl Numbering {
    /// Takes the numbers that may have gaps for documents of different calls, from all counters at once. A call whose
    /// counter fails has failed alone; where too few numbers are left, the first calls get them.
    pub(crate) async fn take_shared(&self, progress: &mut Progress) -> Numbers {
        let mut numbers = self.no_numbers();
        let mut taking = JoinSet::new();
        for (index, group) in self.groups.iter().enumerate() {
            match &group.combiner {
                Some(combiner) => {
                    let (combiner, n) = (Arc::clone(combiner), group.size());
                    taking.spawn(Span::current().around(async move { (index, combiner.take_up_to(n).await) }));
                }
                None => group.takers.iter().for_each(|&document| numbers.set(document, group.sequence, 0)),
            }
        }
        while let Some(taken) = taking.join_next().await {
            let Ok((index, (runs, error))) = taken else { continue };
            if let Some(group) = self.group(index) {
                self.share_out(group, &group.takers, (runs, error), &mut numbers, progress);
            }
        }
        // a task that did not come to its end has ended with the runtime
        let unnumbered = |&document: &usize| numbers.of(document).contains(&None) && !progress.has_failed(document);
        let unnumbered: Vec<usize> = (0..numbers.len()).filter(unnumbered).collect();
        for document in unnumbered {
            progress.failed_alone(document, Error::new(ErrorKind::ShutDown));
        }
        numbers
    }

    /// After `number`, given by this group, turned out to be in the data: gives those of its documents that are pending, of
    /// different calls, other numbers. A call for which there is none has failed alone.
    pub(crate) async fn renumber_shared(
        &self,
        group: usize,
        number: i64,
        numbers: &mut Numbers,
        progress: &mut Progress,
    ) {
        let pending = progress.pending();
        let Some(group) = self.group(group) else { return };
        let documents: Vec<usize> =
            group.takers.iter().copied().filter(|it| pending.binary_search(it).is_ok()).collect();
        let supply = match (group.repair(number).await, &group.combiner) {
            (Err(error), _) => (Vec::new(), Some(error)),
            (Ok(_), Some(combiner)) => combiner.take_up_to(documents.len() as u64).await,
            (Ok(_), None) => (Vec::new(), Some(Error::new(ErrorKind::ShutDown))), // not of a handle
        };
        self.share_out(group, &documents, supply, numbers, progress);
    }

    /// Gives these documents of a group, of different calls, what was supplied. Those for which there is none have failed
    /// alone; of what is burnt, each has its own.
    fn share_out(
        &self,
        group: &Group,
        documents: &[usize],
        (runs, error): Supply,
        numbers: &mut Numbers,
        progress: &mut Progress,
    ) {
        let mut unserved = documents;
        for run in runs {
            (unserved, _) = group.assign(unserved, run, numbers);
        }
        let Some(error) = error else { return };
        for (place, &document) in unserved.iter().enumerate() {
            let last = error.number().filter(|_| matches!(error.kind(), ErrorKind::Unconfirmed { .. }));
            let n = (unserved.len() - place) as u64;
            let own = last.and_then(|last| group.counter.progression.first_of(n, last)).or(error.number());
            let burnt = own.or_else(|| self.burnt_of([document], numbers));
            progress.failed_alone(document, error.with_number(burnt));
        }
    }
}
