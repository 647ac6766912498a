//! Numbers a batch of models and inserts it, by the three ways there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, RawDocumentBuf},
    options::{Acknowledgment, InsertManyOptions},
};
use tokio::sync::mpsc;

use crate::{
    AutoIncrement, Error, ErrorKind, Result,
    batch::Batch,
    capability::unsupported,
    counter::Counter,
    numbering::{self, Numbering, Numbers},
    progress::{Progress, is_confirmed},
    target::{Failed, Target},
    transaction::{self, Inserted, Insertion},
};

/// How often one call may find that its number is in the data already and take another.
pub(crate) const MAX_REPAIRS: usize = 5;

/// How long the library repeats a transaction of its own, unless the call says otherwise.
const TRANSACTION_TIME: Duration = Duration::from_secs(120);

/// What a call was told besides the models.
#[derive(Debug, Default)]
pub(crate) struct Call<'a> {
    pub(crate) session: Option<&'a mut ClientSession>,
    pub(crate) gapless: bool,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) options: InsertManyOptions,
}

impl Call<'_> {
    /// The same call once more.
    pub(crate) fn again(&mut self) -> Call<'_> {
        Call {
            session: self.session.as_deref_mut(),
            gapless: self.gapless,
            time_limit: self.time_limit,
            options: self.options.clone(),
        }
    }
}

/// Numbers the models and inserts them; returns their `_id`s. `one` stands for the driver's `insert_one`.
pub(crate) async fn run<T: AutoIncrement>(
    models: &mut [T],
    collection: &Collection<T>,
    call: Call<'_>,
    one: bool,
) -> Result<Vec<Bson>> {
    let Call { session, gapless, time_limit, options } = call;
    if collection.write_concern().is_some_and(|concern| concern.w == Some(Acknowledgment::Nodes(0))) {
        return Err(unsupported(
            collection,
            "has write concern `w: 0`, with which nobody learns whether a document is stored",
        ));
    }
    let batch = Batch::draft(models)?;
    let numbering = Numbering::new(collection, batch.drafts(), gapless, time_limit, options.comment.as_ref())?;
    let collection = collection.clone_with_type::<RawDocumentBuf>();
    let target = Target { collection, options, one, definitions: T::SEQUENCES };
    match session {
        Some(session) if numbering.is_gapless() => joined(batch, numbering, &target, session).await,
        session if !numbering.is_gapless() => outside(batch, &numbering, &target, session).await,
        _ => owned(batch, numbering, target, time_limit.unwrap_or(TRANSACTION_TIME)).await,
    }
}

/// Numbers from counters outside any transaction, then the insert, which may be in one of the caller's.
async fn outside<T: AutoIncrement>(
    mut batch: Batch<'_, T>,
    numbering: &Numbering,
    target: &Target,
    mut session: Option<&mut ClientSession>,
) -> Result<Vec<Bson>> {
    let mut numbers = numbering.take_plain().await?;
    let mut progress = Progress::new(batch.len());
    for repairs in 0..=MAX_REPAIRS {
        let burnt = numbering.burnt(&numbers);
        let replace = repairs < MAX_REPAIRS;
        let sent = send(&mut batch, &numbers, numbering, target, session.as_deref_mut(), &mut progress, replace).await;
        let collision = match sent {
            Ok(Some(collision)) => collision,
            Ok(None) => break,
            Err(error) => {
                progress.fail(error.burning(burnt));
                break;
            }
        };
        let renumbered =
            renumber(numbering, &progress.pending(), &mut numbers, collision, session.as_deref_mut()).await;
        if let Err(error) = renumbered {
            progress.fail(error.burning(burnt));
            break;
        }
    }
    if let Some(failure) = progress.failure().filter(|_| !target.one)
        && in_transaction(session).await?
    {
        return Err(failure.clone()); // nothing is stored, and the driver's labels say what to do
    }
    progress.stored().into_iter().for_each(|index| batch.keep(index, &numbers));
    let raised = numbering.raise_plain(Some(&progress)).await;
    let burnt = numbering.burnt_of((0..batch.len()).filter(|&index| !progress.is_stored(index)), &numbers);
    let ids = progress.finish(target.one, burnt)?;
    raised?;
    Ok(ids)
}

/// Documents that could not be stored because their numbers are in the data already.
struct Collision {
    /// The groups that gave the numbers, and the furthest such number of each.
    groups: BTreeMap<usize, i64>,
    error: Error,
}

/// Sends all documents that are pending. What comes of them is noted; with `replace`, those whose numbers are in the data
/// stay pending.
async fn send<T: AutoIncrement>(
    batch: &mut Batch<'_, T>,
    numbers: &Numbers,
    numbering: &Numbering,
    target: &Target,
    mut session: Option<&mut ClientSession>,
    progress: &mut Progress,
    replace: bool,
) -> Result<Option<Collision>> {
    let pending = progress.pending();
    let mut collision: Option<Collision> = None;
    for part in target.parts(batch.documents(&pending, numbers)?, &pending)? {
        let error = match target.insert(&part, session.as_deref_mut()).await {
            Ok(ids) => {
                progress.done(&part, ids);
                continue;
            }
            Err(error) => error.burning(numbering.burnt(numbers)),
        };
        let mut again = BTreeSet::new();
        let duplicates = if replace && is_confirmed(&error) { target.duplicates(&error).await } else { Vec::new() };
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
        let group = numbering.group(group);
        let explained = group.repair(number).await?;
        if let Some(session) = session.as_deref_mut() {
            run_again(&group.counter, session, explained, &collision.error).await?;
        }
        group.retake(pending, numbers).await?;
    }
    Ok(())
}

pub(crate) async fn in_transaction(session: Option<&mut ClientSession>) -> Result<bool> {
    match session {
        Some(session) => transaction::is_in_progress(session).await,
        None => Ok(false),
    }
}

/// Numbers and insert in the caller's transaction. One attempt of each command; errors go to the caller as they came.
async fn joined<T: AutoIncrement>(
    mut batch: Batch<'_, T>,
    mut numbering: Numbering,
    target: &Target,
    session: &mut ClientSession,
) -> Result<Vec<Bson>> {
    transaction::require_in_progress(session).await?;
    numbering.prepare_gapless().await?;
    numbering.look_ahead().await?;
    let numbering = &numbering;
    let mut numbers = numbering.take_plain().await?;
    let burnt = numbering.burnt(&numbers);
    let mut moved = None;
    let inserted = async {
        for &group in numbering.gapless() {
            let group = numbering.group(group);
            let (mut rest, mut n) = (group.takers(), group.size());
            while !rest.is_empty() {
                let last = numbering::take_in(&group.counter, n, session).await?;
                (rest, n) = group.assign(rest, n, last, &mut numbers);
                moved = Some(&group.counter);
            }
        }
        let documents = batch.all_documents(&numbers)?;
        let ids = target.insert_all(documents, session).await?;
        for (group, to) in numbering.raises_inside() {
            let counter = &numbering.group(group).counter;
            if !counter.raise_in(to, session).await? {
                counter.create_in(to, session).await?;
            }
        }
        Ok(ids)
    };
    let Failed { error, places } = match inserted.await {
        Ok(ids) => {
            (0..batch.len()).for_each(|index| batch.keep(index, &numbers));
            numbering.raise_plain(None).await?;
            return Ok(ids);
        }
        Err(failed) => failed,
    };
    let error = error.burning(burnt);
    if let Some(counter) = moved {
        transaction::forbid_commit(&error, counter, session).await;
    }
    let Some((group, number)) = numbering.colliding(target.duplicates(&error).await, &places, &numbers) else {
        return Err(error);
    };
    let burn = |error: Error| error.burning(burnt);
    let group = numbering.group(group);
    // with free numbers before it, moving the counter would leave a hole
    let explained = !group.has_free_before(number, &numbers) && group.repair(number).await.map_err(burn)?;
    run_again(&group.counter, session, explained, &error).await.map_err(burn)?;
    Err(error)
}

/// Numbers and insert in a transaction of the library's own, in a task of the library's own.
async fn owned<T: AutoIncrement>(
    mut batch: Batch<'_, T>,
    numbering: Numbering,
    target: Target,
    time_limit: Duration,
) -> Result<Vec<Bson>> {
    let templates = batch.take_templates();
    let numbers = numbering.take_plain().await?;
    let (caller, mut requests) = mpsc::channel(1);
    let insertion = Insertion { numbering, numbers, templates, caller, target, time_limit };
    let mut task = tokio::spawn(insertion.run());
    let done = loop {
        tokio::select! {
            done = &mut task => break done,
            Some(request) = requests.recv() => {
                let _gone = request.reply.send(batch.all_documents(&request.numbers));
            }
        }
    };
    match done {
        Ok(outcome) => {
            let Inserted { ids, numbers, raised } = outcome?;
            (0..batch.len()).for_each(|index| batch.keep(index, &numbers));
            raised?;
            Ok(ids)
        }
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime is shutting down.
        Err(_) => Err(Error::new(ErrorKind::UnknownOutcome { limit: time_limit })),
    }
}

/// In a transaction, a duplicate number has aborted it. The counter has been moved past the data outside, so running
/// the transaction again succeeds: says so with the server's own transient error, which the next command in the session
/// gets. Unless what is stored does not explain the collision: then the other document is in this transaction itself,
/// and running it again would never end.
///
/// Returns `Ok` if the session has no transaction.
async fn run_again(counter: &Counter, session: &mut ClientSession, explained: bool, error: &Error) -> Result<()> {
    match counter.read(Some(session)).await {
        Ok(_) => Ok(()),
        Err(again) if explained => Err(again),
        Err(_) => Err(error.clone()),
    }
}
