//! Where documents go, and what the server says of each.

use std::mem;

use mongodb::{
    ClientSession, Collection,
    bson::{Bson, RawDocumentBuf, doc},
    error::{IndexedWriteError, WriteFailure},
    options::{InsertManyOptions, InsertOneOptions},
};

use crate::{
    Definition, Error, Result,
    capability::unsupported,
    detach::Detached,
    document,
    duplicate::{DUPLICATE_KEY, Owners},
    error::server_code,
};

/// Server codes: where a document cannot go.
const NOT_ON_A_VIEW: i32 = 166;
const NOT_IN_A_TRANSACTION: i32 = 263;

/// The most documents, and bytes of them, that the driver sends with one command (`maxWriteBatchSize` and
/// `maxMessageSizeBytes` of every server since 3.6, less room for the command itself).
const MOST_DOCUMENTS: usize = 100_000;
const MOST_BYTES: usize = 48_000_000 - 64 * 1024;

/// Where the documents of one call go.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) collection: Collection<RawDocumentBuf>,
    pub(crate) options: InsertManyOptions,
    /// For one document the driver's `insert_one`, whose errors have no index.
    pub(crate) one: bool,
    pub(crate) definitions: &'static [Definition],
}

impl Target {
    /// Sends one command, with the documents of this part, and returns the `_id`s.
    pub(crate) async fn insert(&self, part: &mut Part, session: Option<&mut ClientSession>) -> Result<Vec<Bson>> {
        let documents = mem::take(&mut part.documents);
        let inserted = if let Some(session) = session {
            self.send(&documents, Some(session)).await
        } else {
            let target = self.clone();
            Detached::new(async move { target.send(&documents, None).await }).await
        };
        match inserted {
            Ok(Some(id)) => Ok(vec![id]),
            Ok(None) => Ok(part.ids.clone()),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Sends all of them in one transaction, up to the first failure.
    pub(crate) async fn insert_all(
        &self,
        documents: Vec<RawDocumentBuf>,
        session: &mut ClientSession,
    ) -> Result<Vec<Bson>, Failed> {
        let places: Vec<usize> = (0..documents.len()).collect();
        let mut ids = Vec::with_capacity(documents.len());
        for mut part in self.parts(documents, &places)? {
            match self.insert(&mut part, Some(&mut *session)).await {
                Ok(inserted) => ids.extend(inserted),
                Err(error) => return Err(Failed { error, places: part.places }),
            }
        }
        Ok(ids)
    }

    pub(crate) fn is_ordered(&self) -> bool {
        self.options.ordered.unwrap_or(true)
    }

    /// Returns the `_id` if it is one document.
    async fn send(
        &self,
        documents: &[RawDocumentBuf],
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Bson>, mongodb::error::Error> {
        if let Some(document) = documents.first().filter(|_| self.one) {
            let mut options = InsertOneOptions::default();
            options.comment.clone_from(&self.options.comment);
            options.bypass_document_validation = self.options.bypass_document_validation;
            let insert = self.collection.insert_one(document).with_options(options);
            let inserted = match session {
                Some(session) => insert.session(session).await?,
                None => insert.await?,
            };
            return Ok(Some(inserted.inserted_id));
        }
        let insert = self.collection.insert_many(documents).with_options(self.options.clone());
        match session {
            Some(session) => insert.session(session).await?,
            None => insert.await?,
        };
        Ok(None)
    }

    /// Cuts a batch into what one command can carry. `places` are the places of the documents in the batch.
    pub(crate) fn parts(&self, documents: Vec<RawDocumentBuf>, places: &[usize]) -> Result<Vec<Part>> {
        let comment =
            document::serialize(&doc! { "comment": &self.options.comment }).map_or(0, |it| it.as_bytes().len());
        let most_bytes = MOST_BYTES.saturating_sub(comment);
        let mut parts: Vec<Part> = Vec::new();
        let mut bytes = 0;
        for (document, &place) in documents.into_iter().zip(places) {
            let (document, id) = if self.one { (document, Bson::Null) } else { document::with_id(document)? };
            let size = document.as_bytes().len();
            let full = parts.last().is_none_or(|part| part.documents.len() == MOST_DOCUMENTS);
            if full || bytes + size > most_bytes {
                parts.push(Part::default());
                bytes = 0;
            }
            bytes += size;
            if let Some(part) = parts.last_mut() {
                part.documents.push(document);
                part.ids.push(id);
                part.places.push(place);
            }
        }
        Ok(parts)
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

    /// The documents of a command that were refused because their number is taken, by their places in it, and the
    /// sequence of the number.
    pub(crate) async fn duplicates(&self, error: &Error) -> Vec<(usize, usize)> {
        let mut refusals = refusals(error);
        refusals.retain(|refusal| refusal.code == DUPLICATE_KEY);
        if refusals.is_empty() {
            return Vec::new();
        }
        let owners = Owners::new(&self.collection, self.definitions).await;
        refusals.iter().filter_map(|refusal| Some((refusal.index, owners.whose(&refusal.message)?))).collect()
    }
}

/// An insert in a transaction that failed, and what it was to insert.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: Error,
    pub(crate) places: Vec<usize>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, places: Vec::new() }
    }
}

/// The documents of one command.
#[derive(Debug, Default)]
pub(crate) struct Part {
    documents: Vec<RawDocumentBuf>,
    /// Set here: the driver does not tell which it has made up when only some documents are stored.
    pub(crate) ids: Vec<Bson>,
    /// The places of the documents in the batch.
    pub(crate) places: Vec<usize>,
}

/// What the server said of one document.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// Its place in the command.
    pub(crate) index: usize,
    pub(crate) code: i32,
    message: String,
    /// As the driver reports it for `insert_many`.
    pub(crate) report: Option<IndexedWriteError>,
}

pub(crate) fn refusals(error: &Error) -> Vec<Refusal> {
    match error.driver_error().map(|error| &*error.kind) {
        Some(mongodb::error::ErrorKind::InsertMany(many)) => {
            let refusal = |one: &IndexedWriteError| Refusal {
                index: one.index,
                code: one.code,
                message: one.message.clone(),
                report: Some(one.clone()),
            };
            many.write_errors.iter().flatten().map(refusal).collect()
        }
        Some(mongodb::error::ErrorKind::Write(WriteFailure::WriteError(one))) => {
            vec![Refusal { index: 0, code: one.code, message: one.message.clone(), report: None }]
        }
        _ => Vec::new(),
    }
}
