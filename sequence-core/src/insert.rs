//! Numbers a batch of models and inserts it, by the three ways there are.

mod outside;
mod until;

use std::{convert::Infallible, future::pending, pin::pin, slice, sync::Arc, time::Duration};

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, RawDocumentBuf},
    options::{Acknowledgment, InsertManyOptions},
};
use tokio::sync::mpsc;

use self::outside::outside;
pub(crate) use self::{
    outside::insert_pending,
    until::{SILENCE, Until},
};
use crate::{
    AutoIncrement, Error, ErrorKind, Result,
    batch::Batch,
    capability::unsupported,
    combiner::Run,
    counter::Counter,
    definition,
    numbering::{self, Group, Numbering, Repair},
    observe::{self, Mode, Span},
    sequenced::{Shared, Stored},
    target::{Failed, Target},
    transaction::{self, GivenUp, Inserted, Insertion, Stage},
};

/// How often one call may find that its number is in the data already and take another.
pub(crate) const MAX_REPAIRS: usize = 5;

/// How long the library repeats a transaction of its own, unless the call says otherwise.
pub(crate) const TRANSACTION_TIME: Duration = Duration::from_secs(120);

/// What a call was told besides the models.
#[derive(Debug, Default)]
pub(crate) struct Call<'a> {
    pub(crate) session: Option<&'a mut ClientSession>,
    pub(crate) gapless: bool,
    pub(crate) time_limit: Option<Duration>,
    /// Of a call that has begun before it inserts.
    pub(crate) until: Option<Until>,
    pub(crate) options: InsertManyOptions,
}

impl Call<'_> {
    /// Whether it has nothing of its own but the mode, so that it can be done together with others.
    pub(crate) fn is_plain(&self) -> bool {
        let InsertManyOptions { comment, bypass_document_validation, .. } = &self.options;
        self.session.is_none() && self.time_limit.is_none() && comment.is_none() && bypass_document_validation.is_none()
    }

    /// Which way its numbers take. `is_queued` is for one that may be done together with others.
    pub(crate) fn mode<T: AutoIncrement>(&self, shared: Option<&Shared>, is_queued: bool) -> Mode {
        let gapless = self.gapless || T::SEQUENCES.iter().any(|field| field.gapless);
        match (gapless, &self.session, shared) {
            (true, Some(_), _) => Mode::Transaction,
            (true, None, _) if is_queued => Mode::Group,
            (true, None, _) => Mode::Gapless,
            (false, _, Some(shared)) => shared.combiners.mode(),
            (false, Some(_), None) => Mode::Session,
            (false, None, None) => Mode::Plain,
        }
    }

    /// The same call once more.
    pub(crate) fn again(&mut self) -> Call<'_> {
        Call {
            session: self.session.as_deref_mut(),
            gapless: self.gapless,
            time_limit: self.time_limit,
            until: self.until,
            options: self.options.clone(),
        }
    }
}

/// Numbers the models and inserts them; returns their `_id`s. `one` stands for the driver's `insert_one`.
pub(crate) async fn run<T: AutoIncrement>(
    models: &mut [T],
    collection: &Collection<T>,
    shared: Option<&Shared>,
    call: Call<'_>,
    one: bool,
) -> Result<Vec<Bson>> {
    // a task of the library's own numbers the documents without the models
    let needs_templates = call.session.is_none() && (call.gapless || T::SEQUENCES.iter().any(|field| field.gapless));
    let batch = Batch::draft(models, needs_templates)?;
    let mode = call.mode::<T>(shared, false);
    let until = call.until.unwrap_or_else(|| Until::from_now(call.time_limit));
    let (mut numbering, target) = plan(&batch, collection, shared, &call, mode, one)?;
    numbering.wait_until(until);
    let Call { session, .. } = call;
    match session {
        Some(session) if numbering.is_gapless() => joined(batch, numbering, &target, session).await,
        session if !numbering.is_gapless() => outside(batch, &numbering, &target, session, until).await,
        _ => owned(batch, numbering, target, until).await,
    }
}

/// The same for one model, together with others that wait. What they cannot do for it goes alone: a number that it brings
/// along, and bytes that depend on the number.
pub(crate) async fn run_shared<T: AutoIncrement>(
    model: &mut T,
    collection: &Collection<T>,
    shared: &Shared,
    call: Call<'_>,
) -> Result<Vec<Bson>> {
    let mut batch = Batch::draft(slice::from_mut(model), true)?;
    let mode = call.mode::<T>(Some(shared), true);
    let (numbering, mut target) = plan(&batch, collection, Some(shared), &call, mode, false)?;
    target.options.ordered = Some(false);
    let Some(template) = batch.take_template() else {
        drop(batch);
        observe::way(call.mode::<T>(Some(shared), false));
        return run(slice::from_mut(model), collection, Some(shared), call, true).await;
    };
    observe::way(mode);
    let Stored { id, numbers } = shared.insert(template, numbering, &target).await?;
    batch.keep(0, &numbers);
    Ok(vec![id])
}

/// The counters and the place of the documents.
fn plan<T: AutoIncrement>(
    batch: &Batch<'_, T>,
    collection: &Collection<T>,
    shared: Option<&Shared>,
    Call { gapless, time_limit, options, .. }: &Call<'_>,
    mode: Mode,
    one: bool,
) -> Result<(Numbering, Target)> {
    if collection.write_concern().is_some_and(|concern| concern.w == Some(Acknowledgment::Nodes(0))) {
        return Err(unsupported(
            collection,
            "has write concern `w: 0`, with which nobody learns whether a document is stored",
        ));
    }
    let numbering =
        Numbering::new(collection, shared, batch.drafts(), (*gapless, mode), *time_limit, options.comment.as_ref())?;
    let collection = collection.clone_with_type::<RawDocumentBuf>();
    Ok((numbering, Target { collection, options: options.clone(), one, definitions: T::SEQUENCES }))
}

/// The names of the model's sequences.
pub(crate) fn sequences<T: AutoIncrement>(collection: &Collection<T>) -> String {
    let names: Vec<String> =
        T::SEQUENCES.iter().map(|it| definition::sequence(it.name, collection.name(), it.stored_field)).collect();
    names.join(", ")
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
    let mut numbers = numbering.take_plain().await?;
    let burnt = numbering.burnt(&numbers);
    let mut moved = None;
    let inserted = async {
        let places: Vec<usize> = numbering.gapless().map(|(place, _)| place).collect();
        for place in places {
            let Some(group) = numbering.group_mut(place) else { continue };
            let (documents, mut n) = (group.takers().to_vec(), group.size());
            let mut rest = documents.as_slice();
            while !rest.is_empty() {
                let last = numbering::take_in(&group.counter, n, session).await?;
                moved = Some(group.counter.clone());
                if let Some(first) = group.counter.progression.first_of(n, last) {
                    group.look_ahead(first).await?;
                }
                (rest, n) = group.assign(rest, Run { n, last }, &mut numbers);
            }
        }
        let documents = batch.all_documents(&numbers)?;
        let ids = target.insert_all(documents, session).await?;
        for (group, to) in numbering.raises_inside() {
            let Some(Group { counter, .. }) = numbering.group(group) else { continue };
            if !counter.raise_in(to, session).await? {
                counter.create_in(to, session).await?;
            }
        }
        Ok(ids)
    };
    let Failed { error, places } = match inserted.await {
        Ok(ids) => {
            numbering.tell_taken(&numbers);
            (0..batch.len()).for_each(|index| batch.keep(index, numbers.of(index)));
            numbering.raise_plain(None).await?;
            return Ok(ids);
        }
        Err(failed) => failed,
    };
    numbering.tell_burnt(|_| true, &numbers);
    let error = error.burning(burnt);
    if let Some(counter) = &moved {
        transaction::forbid_commit(&error, counter, session).await;
    }
    let Some((group, number)) = numbering.colliding(target.duplicates(&error).await, &places, &numbers) else {
        return Err(error);
    };
    let burn = |error: Error| error.burning(burnt);
    let Some(group) = numbering.group(group) else { return Err(error) };
    let explained = group.repair(number).await.map_err(burn)? != Repair::Unexplained;
    run_again(&group.counter, session, explained, &error).await.map_err(burn)?;
    Err(error)
}

/// Numbers and insert in a transaction of the library's own, in a task of the library's own.
async fn owned<T: AutoIncrement>(
    mut batch: Batch<'_, T>,
    numbering: Numbering,
    target: Target,
    until: Until,
) -> Result<Vec<Bson>> {
    let templates = batch.take_templates();
    let numbers = numbering.take_plain().await?;
    let burnt = numbering.burnt(&numbers);
    let stage = Arc::new(Stage::default());
    let (limit, began) = until.or(TRANSACTION_TIME);
    let (caller, mut requests) = mpsc::channel(1);
    let insertion = Insertion {
        numbering,
        numbers,
        templates,
        caller: Some(caller),
        is_group: false,
        target,
        time_limit: limit,
        began,
        stage: Arc::clone(&stage),
    };
    let mut task = tokio::spawn(Span::current().around(insertion.run()));
    let mut silence = pin!(Until::since(began, limit).wait(SILENCE, pending::<Infallible>()));
    let mut is_stored = false;
    let done = loop {
        tokio::select! {
            biased; // what is known is not given up
            done = &mut task => break done,
            Some(request) = requests.recv() => {
                let _gone = request.reply.send(batch.all_documents(&request.numbers));
            }
            Err(limit) = &mut silence, if !is_stored => match stage.give_up() {
                GivenUp::Stored(_) => is_stored = true, // and what comes behind that ends soon
                given_up => return Err(given_up.error(ErrorKind::Deadline { limit }, limit, burnt)),
            },
        }
    };
    match done {
        Ok(outcome) => {
            let Inserted { ids, numbers, raised } = outcome.map_err(|stopped| stopped.error)?;
            (0..batch.len()).for_each(|index| batch.keep(index, numbers.of(index)));
            raised?;
            Ok(ids)
        }
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime is shutting down.
        Err(_) => Err(stage.give_up().error(ErrorKind::ShutDown, limit, burnt)),
    }
}

impl GivenUp {
    /// What the caller is told: this, if nothing is stored.
    fn error(self, nothing_stored: ErrorKind, limit: Duration, burnt: Option<i64>) -> Error {
        match self {
            Self::NotStored => Error::new(nothing_stored).burning(burnt),
            Self::Unknown(number) | Self::Stored(number) => {
                Error::new(ErrorKind::UnknownOutcome { limit }).burning(number)
            }
        }
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
