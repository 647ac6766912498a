//! Numbers from counters outside any transaction, then the insert.

use std::collections::{BTreeMap, BTreeSet};

use mongodb::{ClientSession, bson::Bson};

use super::{MAX_REPAIRS, SILENCE, Until, in_transaction, run_again};
use crate::{
    AutoIncrement, Error, ErrorKind, Result,
    batch::{Batch, Documents},
    numbering::{Numbering, Numbers, Repair},
    observe::{Attempts, Tried},
    progress::{Progress, is_confirmed},
    target::Target,
};

/// Numbers from counters outside any transaction, then the insert, which may be in one of the caller's.
pub(super) async fn outside<T: AutoIncrement>(
    mut batch: Batch<'_, T>,
    numbering: &Numbering,
    target: &Target,
    mut session: Option<&mut ClientSession>,
    until: Until,
) -> Result<Vec<Bson>> {
    let mut numbers = numbering.take_plain().await?;
    // what becomes of a session is for its owner to know
    let mut progress = Progress::new(batch.len(), if session.is_some() { Until::default() } else { until });
    insert_pending(&mut batch, numbering, target, session.as_deref_mut(), &mut numbers, &mut progress, false).await;
    if let Some(failure) = progress.failure().filter(|_| !target.one)
        && in_transaction(session).await?
    {
        numbering.tell_burnt(|_| true, &numbers);
        return Err(failure.clone()); // nothing is stored, and the driver's labels say what to do
    }
    numbering.tell_lost(&progress, &numbers);
    progress.stored().into_iter().for_each(|index| batch.keep(index, numbers.of(index)));
    let raised = numbering.raise_plain(Some(&progress)).await;
    let burnt = numbering.burnt_of((0..batch.len()).filter(|&index| !progress.is_stored(index)), &numbers);
    let ids = progress.finish(target.one, burnt)?;
    raised?;
    Ok(ids)
}

/// Inserts all documents that are pending, with other numbers where theirs are in the data already. What comes of them is
/// noted. Those of different calls fail each on its own where there is no other number for them.
pub(crate) async fn insert_pending(
    documents: &mut (impl Documents + Send),
    numbering: &Numbering,
    target: &Target,
    mut session: Option<&mut ClientSession>,
    numbers: &mut Numbers,
    progress: &mut Progress,
    are_calls: bool,
) {
    let most = MAX_REPAIRS + numbering.len();
    let mut attempts = Attempts::default();
    for repairs in 0..=most {
        attempts.begin(Tried::Insert, numbering.observed());
        let burnt = numbering.burnt(numbers);
        let replace = repairs < most;
        let sent = send(documents, numbers, numbering, target, session.as_deref_mut(), progress, replace).await;
        let renumbered = match sent {
            Ok(Some(collision)) if are_calls => {
                for (group, number) in collision.groups {
                    numbering.renumber_shared(group, number, numbers, progress).await;
                }
                Ok(())
            }
            Ok(Some(collision)) => {
                let pending = progress.pending(); // none of which is stored
                let renumbered = renumber(numbering, &pending, numbers, collision, session.as_deref_mut());
                progress.until.get(SILENCE, Box::pin(renumbered)).await
            }
            Ok(None) => return,
            Err(error) => Err(error),
        };
        if let Err(error) = renumbered {
            return progress.fail(error.burning(burnt));
        }
    }
}

/// Documents that could not be stored because their numbers are in the data already.
struct Collision {
    /// The groups that gave the numbers, and the furthest such number of each.
    groups: BTreeMap<usize, i64>,
    error: Error,
}

/// Sends all documents that are pending. What comes of them is noted; with `replace`, those whose numbers are in the data
/// stay pending.
async fn send(
    documents: &mut (impl Documents + Send),
    numbers: &Numbers,
    numbering: &Numbering,
    target: &Target,
    mut session: Option<&mut ClientSession>,
    progress: &mut Progress,
    replace: bool,
) -> Result<Option<Collision>> {
    let pending = progress.pending();
    let mut collision: Option<Collision> = None;
    for mut part in target.parts(documents.documents(&pending, numbers)?, &pending)? {
        progress.until.require_time(SILENCE)?;
        let error = match progress.until.wait(SILENCE, Box::pin(target.insert(&mut part, session.as_deref_mut()))).await
        {
            Ok(Ok(ids)) => {
                progress.done(&part, ids);
                continue;
            }
            Ok(Err(error)) => error.burning(numbering.burnt(numbers)),
            Err(limit) => {
                let unknown = Error::new(ErrorKind::UnknownOutcome { limit });
                progress.lost(&part, unknown.burning(numbering.burnt(numbers)));
                return Ok(None);
            }
        };
        let mut again = BTreeSet::new();
        let duplicates = if replace && is_confirmed(&error) {
            // what cannot be found out in time is refused for good
            progress.until.wait(SILENCE, Box::pin(target.duplicates(&error))).await.unwrap_or_default()
        } else {
            Vec::new()
        };
        for (place, sequence) in duplicates {
            // a number that the document brought along is not replaced
            let given = part.places.get(place).and_then(|&document| numbering.given(document, sequence, numbers));
            if let Some((group, number)) = given {
                again.insert(place);
                let collision =
                    collision.get_or_insert_with(|| Collision { groups: BTreeMap::new(), error: error.clone() });
                collision.groups.insert(group, number);
            }
        }
        if progress.failed(&part, &error, &again, target.is_ordered()) {
            if target.one || !in_transaction(session.as_deref_mut()).await? {
                continue;
            }
            return Ok(collision);
        }
        return Ok(collision.filter(|_| !again.is_empty()));
    }
    Ok(collision)
}

/// Moves the counters past the data and gives the documents new numbers.
async fn renumber(
    numbering: &Numbering,
    pending: &[usize],
    numbers: &mut Numbers,
    collision: Collision,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    for (group, number) in collision.groups {
        let Some(group) = numbering.group(group) else { continue };
        let explained = group.repair(number).await? != Repair::Unexplained;
        if let Some(session) = session.as_deref_mut() {
            run_again(&group.counter, session, explained, &collision.error).await?;
        }
        group.retake(pending, numbers).await?;
    }
    Ok(())
}
