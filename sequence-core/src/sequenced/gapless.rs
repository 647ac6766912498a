//! Group commit: documents with gapless numbers that share one transaction.

use std::{collections::VecDeque, sync::Arc};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::lane::{Item, Stored};
use crate::{
    Error, ErrorKind,
    insert::{TRANSACTION_TIME, Until},
    numbering::{Numbering, Numbers},
    observe::Span,
    progress::Progress,
    target::Target,
    transaction::{Blame, Inserted, Insertion, Stopped},
};

/// How many bytes of documents one transaction holds, so that it is one command and ends soon.
const MOST_BYTES: usize = 40_000_000;

/// A document, and its numbers that may have gaps: taken before the transaction, and kept over all tries.
struct Member {
    item: Item,
    numbers: Vec<Option<i64>>,
}

/// Inserts the documents in order, as many in one transaction as the server takes.
///
/// The server tells of one refused document for each transaction, and aborts it. What stood before that document is
/// committed then, and the document is tried alone, so that its caller hears what it would have heard alone; the others
/// go on behind it. A refused document costs three transactions.
///
/// One whose insert waits for somebody else's transaction waits aside, if there is room.
pub(super) async fn insert(target: &Target, items: Vec<Item>, aside: &Arc<Semaphore>) {
    let mut waiting = take_plain(items).await;
    let mut sizes = VecDeque::from([waiting.len()]);
    let mut size: usize = 1;
    while !waiting.is_empty() {
        size = sizes.pop_front().unwrap_or(size.saturating_mul(2)).max(1);
        size = size.min(within(&waiting, MOST_BYTES));
        let mut group: VecDeque<Member> = waiting.drain(..size).collect();
        group.retain(|member| member.item.is_waited_for()); // nothing is stored for a caller that is gone
        if group.is_empty() {
            continue;
        }
        let Stopped { error, blame, numbers } = match commit(target, &group, true).await {
            Ok(inserted) => {
                answer(group, inserted);
                continue;
            }
            Err(stopped) => stopped,
        };
        match (blame, error.kind()) {
            (Some(Blame::Refused(index)), _) if group.len() > 1 => {
                // the next group fits to how far this one got, and shrinks step by step where it got nowhere
                let next = (2 * index).max(group.len() / 2);
                sizes = [index, 1, next].into_iter().filter(|&size| size > 0).collect();
            }
            (Some(Blame::Waits), _) if group.len() > 1 => sizes = [group.len() / 2].into(),
            (Some(Blame::Waits), _) => {
                match Arc::clone(aside).try_acquire_owned() {
                    Ok(room) => drop(tokio::spawn(Span::current().around(alone(target.clone(), group, room)))),
                    Err(_) => refuse(group, &error, &numbers),
                }
                continue;
            }
            // numbers that are passed over are among those that are left
            (_, ErrorKind::Exhausted { remaining: remaining @ 1.., .. }) if group.len() > 1 => {
                let fewer = usize::try_from(*remaining).ok().filter(|&remaining| remaining < group.len());
                sizes = [fewer.unwrap_or(group.len() / 2)].into();
            }
            _ => {
                refuse(group, &error, &numbers);
                continue;
            }
        }
        group.append(&mut waiting);
        waiting = group;
    }
}

/// How many of the first documents have so many bytes; at least one.
fn within(waiting: &VecDeque<Member>, most: usize) -> usize {
    let sums = waiting.iter().scan(0, |sum, member| {
        *sum += member.item.template.size();
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= most).count().max(1)
}

/// Takes the numbers that may have gaps. Who gets none is answered at once.
async fn take_plain(items: Vec<Item>) -> VecDeque<Member> {
    let numbering = Numbering::merged(items.iter().map(|item| item.numbering.clone()));
    let mut progress = Progress::new(items.len(), Until::default());
    let numbers = numbering.take_shared(&mut progress).await;
    let mut waiting = VecDeque::with_capacity(items.len());
    for (index, (item, numbers)) in items.into_iter().zip(numbers).enumerate() {
        match progress.failed_alone_with(index) {
            Some(error) => item.answer(Err(error)),
            None => waiting.push_back(Member { item, numbers }),
        }
    }
    waiting
}

/// One document whose insert waits for somebody else's transaction: the queue goes on without it.
async fn alone(target: Target, group: VecDeque<Member>, _room: OwnedSemaphorePermit) {
    match commit(&target, &group, false).await {
        Ok(inserted) => answer(group, inserted),
        Err(Stopped { error, numbers, .. }) => refuse(group, &error, &numbers),
    }
}

async fn commit(target: &Target, group: &VecDeque<Member>, is_group: bool) -> Result<Inserted, Stopped> {
    let insertion = Insertion {
        numbering: Numbering::merged(group.iter().map(|member| member.item.numbering.clone())),
        numbers: group.iter().map(|member| member.numbers.clone()).collect(),
        templates: Some(group.iter().map(|member| Arc::clone(&member.item.template)).collect()),
        caller: None,
        is_group,
        target: Target { one: group.len() == 1, ..target.clone() },
        time_limit: TRANSACTION_TIME,
        began: Instant::now(),
        stage: Arc::default(),
    };
    insertion.run().await
}

fn answer(group: VecDeque<Member>, Inserted { ids, numbers, .. }: Inserted) {
    for (Member { item, .. }, (id, numbers)) in group.into_iter().zip(ids.into_iter().zip(numbers)) {
        item.answer(Ok(Stored { id, numbers }));
    }
}

/// All of them have the error, each with its own number: one that is burnt, or one that may be stored.
fn refuse(group: VecDeque<Member>, error: &Error, numbers: &Numbers) {
    let is_unknown = matches!(error.kind(), ErrorKind::UnknownOutcome { .. });
    for (Member { item, .. }, numbers) in group.into_iter().zip(numbers.iter()) {
        let numbers = Numbers::from_iter([numbers.to_vec()]);
        let number = if is_unknown { numbers.first() } else { item.numbering.burnt(&numbers) };
        item.numbering.tell_burnt(|_| true, &numbers);
        item.answer(Err(error.with_number(number)));
    }
}
