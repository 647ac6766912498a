//! One numbered document into its collection, by the three ways there are.

use std::time::Duration;

use mongodb::{ClientSession, Collection, bson::RawDocumentBuf, options::InsertOneOptions, results::InsertOneResult};
use tokio::sync::mpsc;

use crate::{
    AutoIncrement, Definition, Error, ErrorKind, Result,
    capability::unsupported,
    document, duplicate,
    error::server_code,
    numbering::{self, Numbering},
    transaction::{self, Insertion},
};

/// How often one call may find that its number is in the data already and take another.
pub(crate) const MAX_REPAIRS: usize = 5;

/// Server codes: where a document cannot go.
const NOT_ON_A_VIEW: i32 = 166;
const NOT_IN_A_TRANSACTION: i32 = 263;

/// Where the document goes.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) collection: Collection<RawDocumentBuf>,
    pub(crate) options: InsertOneOptions,
    pub(crate) definitions: &'static [Definition],
}

impl Target {
    pub(crate) async fn insert(
        &self,
        document: RawDocumentBuf,
        session: Option<&mut ClientSession>,
    ) -> Result<InsertOneResult> {
        let insert = self.collection.insert_one(document).with_options(self.options.clone());
        let inserted = match session {
            Some(session) => insert.session(session).await,
            None => insert.await,
        };
        inserted.map_err(|error| self.refused(error))
    }

    /// The sequence whose number a stored document has already, if that is why the insert failed.
    pub(crate) async fn whose_duplicate(&self, error: &Error) -> Option<usize> {
        duplicate::whose(error, &self.collection, self.definitions).await
    }

    fn refused(&self, error: mongodb::error::Error) -> Error {
        let reason = match server_code(&error) {
            Some(NOT_ON_A_VIEW) => "is a view; insert into the collection behind it",
            Some(NOT_IN_A_TRANSACTION) => {
                "cannot be written in a transaction (capped and time series collections cannot), so its documents \
                 cannot be numbered without gaps"
            }
            _ => return error.into(),
        };
        unsupported(&self.collection, reason).caused_by(error)
    }
}

/// Numbers from counters outside any transaction, then the insert, which may be in one of the caller's.
pub(crate) async fn outside<T: AutoIncrement>(
    model: &mut T,
    numbering: &Numbering,
    target: &Target,
    mut session: Option<&mut ClientSession>,
) -> Result<InsertOneResult> {
    document::draft(model)?;
    let mut numbers = numbering.take_plain().await?;
    let mut repairs = 0;
    loop {
        let burn = |error: Error| error.burning(numbering.burnt(&numbers));
        let document = document::numbered(model, &numbers).map_err(burn)?;
        let error = match target.insert(document, session.as_deref_mut()).await {
            Ok(result) => return Ok(stored(model, &numbers, result)),
            Err(error) => burn(error),
        };
        let Some(sequence) = target.whose_duplicate(&error).await.filter(|_| repairs < MAX_REPAIRS) else {
            return Err(error);
        };
        let explained = numbering.repair(sequence, numbers[sequence]).await.map_err(burn)?;
        if let Some(session) = session.as_deref_mut() {
            run_again(numbering, sequence, session, explained, error).await.map_err(burn)?;
        }
        let next = numbering.counter(sequence).advance(1).await;
        numbers[sequence] = next.map_err(|error| error.burning(numbering.burnt(&numbers)))?;
        repairs += 1;
    }
}

/// Numbers and insert in the caller's transaction. One attempt of each command; errors go to the caller as they came.
pub(crate) async fn joined<T: AutoIncrement>(
    model: &mut T,
    numbering: &Numbering,
    target: &Target,
    session: &mut ClientSession,
) -> Result<InsertOneResult> {
    document::draft(model)?;
    transaction::require_in_progress(session).await?;
    numbering.prepare_gapless().await?;
    let mut numbers = numbering.take_plain().await?;
    let burnt = numbering.burnt(&numbers);
    let mut moved = None;
    let inserted = async {
        for (sequence, counter) in numbering.gapless() {
            numbers[sequence] = numbering::take_in(counter, 1, session).await?;
            moved = Some(counter);
        }
        let document = document::numbered(model, &numbers)?;
        target.insert(document, Some(&mut *session)).await
    };
    let error = match inserted.await {
        Ok(result) => return Ok(stored(model, &numbers, result)),
        Err(error) => error.burning(burnt),
    };
    if let Some(counter) = moved {
        transaction::forbid_commit(&error, counter, session).await;
    }
    let Some(sequence) = target.whose_duplicate(&error).await else {
        return Err(error);
    };
    let burn = |error: Error| error.burning(burnt);
    let explained = numbering.repair(sequence, numbers[sequence]).await.map_err(burn)?;
    run_again(numbering, sequence, session, explained, error.clone()).await.map_err(burn)?;
    Err(error)
}

/// Numbers and insert in a transaction of the library's own, in a task of the library's own.
pub(crate) async fn owned<T: AutoIncrement>(
    model: &mut T,
    numbering: Numbering,
    target: Target,
    time_limit: Duration,
) -> Result<InsertOneResult> {
    let template = document::draft(model)?;
    let numbers = numbering.take_plain().await?;
    let (caller, mut requests) = mpsc::channel(1);
    let insertion = Insertion { numbering, numbers, template, caller, target, time_limit };
    let mut task = tokio::spawn(insertion.run());
    let done = loop {
        tokio::select! {
            done = &mut task => break done,
            Some(request) = requests.recv() => {
                let document = document::numbered(model, &request.numbers);
                let _gone = request.reply.send(document);
            }
        }
    };
    match done {
        Ok(outcome) => {
            let (result, numbers) = outcome?;
            Ok(stored(model, &numbers, result))
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
async fn run_again(
    numbering: &Numbering,
    sequence: usize,
    session: &mut ClientSession,
    explained: bool,
    error: Error,
) -> Result<()> {
    match numbering.counter(sequence).read(Some(session)).await {
        Ok(_) => Ok(()),
        Err(again) if explained => Err(again),
        Err(_) => Err(error),
    }
}

fn stored<T: AutoIncrement>(model: &mut T, numbers: &[i64], result: InsertOneResult) -> InsertOneResult {
    // The template was made with numbers of the same types, so they fit.
    let _fits = model.__set(numbers);
    result
}
