//! What is known of each document of a batch that is inserted outside any transaction.

use std::collections::BTreeSet;

use mongodb::{
    bson::Bson,
    error::{ErrorKind as DriverErrorKind, IndexedWriteError, WriteFailure},
};

use crate::{
    Error, ErrorKind,
    error::{server_code, short},
    insert::Until,
    target::{Part, Refusal, refusals},
};

/// Server codes with which a whole command is refused before anything is done.
const NOTHING_DONE: [i32; 3] = [
    13,  // not authorized
    166, // a view
    263, // not in a transaction
];

#[derive(Debug)]
pub(crate) struct Progress {
    states: Vec<State>,
    /// The first thing that went wrong for good.
    failure: Option<Error>,
    /// How long the call waits to know more.
    pub(crate) until: Until,
}

#[derive(Clone, Debug)]
enum State {
    Pending,
    Stored(Bson),
    /// As the driver reports it for a batch, with its place in all of it.
    Refused(Option<IndexedWriteError>),
    Unknown,
    /// A call among others that got no number.
    Failed(Error),
}

impl Progress {
    pub(crate) fn new(documents: usize, until: Until) -> Self {
        Self { states: vec![State::Pending; documents], failure: None, until }
    }

    pub(crate) fn pending(&self) -> Vec<usize> {
        self.all(|state| matches!(state, State::Pending))
    }

    pub(crate) fn stored(&self) -> Vec<usize> {
        self.all(|state| matches!(state, State::Stored(_)))
    }

    pub(crate) fn is_stored(&self, index: usize) -> bool {
        matches!(self.states.get(index), Some(State::Stored(_)))
    }

    pub(crate) fn is_unknown(&self, index: usize) -> bool {
        matches!(self.states.get(index), Some(State::Unknown))
    }

    fn all(&self, is: impl Fn(&State) -> bool) -> Vec<usize> {
        self.states.iter().enumerate().filter(|(_, state)| is(state)).map(|(index, _)| index).collect()
    }

    fn set(&mut self, index: usize, to: State) {
        if let Some(state) = self.states.get_mut(index) {
            *state = to;
        }
    }

    /// The documents of this part are stored, under these `_id`s.
    pub(crate) fn done(&mut self, part: &Part, ids: Vec<Bson>) {
        part.places.iter().zip(ids).for_each(|(&index, id)| self.set(index, State::Stored(id)));
    }

    /// The insert of this part failed. Those of its documents that are in `again` are tried once more, under another
    /// number. Tells whether the next part may be sent.
    pub(crate) fn failed(&mut self, part: &Part, error: &Error, again: &BTreeSet<usize>, ordered: bool) -> bool {
        let refusals = refusals(error);
        if refusals.is_empty() {
            let state = if is_nothing_done(error) { State::Pending } else { State::Unknown };
            part.places.iter().for_each(|&index| self.set(index, state.clone()));
            self.fail(error.clone());
            return false;
        }
        let first = refusals.iter().map(|refusal| refusal.index).min().unwrap_or_default();
        let tried = if ordered { first } else { part.places.len() };
        let confirmed = is_confirmed(error);
        for (&index, id) in part.places.iter().zip(&part.ids).take(tried) {
            self.set(index, if confirmed { State::Stored(id.clone()) } else { State::Unknown });
        }
        if !confirmed {
            self.fail(error.clone());
        }
        for Refusal { index: place, mut report, .. } in refusals {
            let Some(&index) = part.places.get(place) else { continue };
            if again.contains(&place) {
                self.set(index, State::Pending);
                continue;
            }
            if let Some(report) = &mut report {
                report.index = index;
            }
            self.set(index, State::Refused(report));
            self.fail(error.clone());
        }
        !ordered && confirmed
    }

    /// This document has failed, the others go on.
    pub(crate) fn failed_alone(&mut self, index: usize, error: Error) {
        self.set(index, State::Failed(error));
    }

    pub(crate) fn has_failed(&self, index: usize) -> bool {
        matches!(self.states.get(index), Some(State::Failed(_)))
    }

    pub(crate) fn failed_alone_with(&self, index: usize) -> Option<Error> {
        match self.states.get(index) {
            Some(State::Failed(error)) => Some(error.clone()),
            _ => None,
        }
    }

    /// What came of one document of a group, with the error that it would have had alone. `burnt` is a number of its own.
    pub(crate) fn outcome(&self, index: usize, burnt: Option<i64>) -> Result<Bson, Error> {
        let error = match self.states.get(index) {
            Some(State::Stored(id)) => return Ok(id.clone()),
            Some(State::Failed(error)) => return Err(error.clone()),
            Some(State::Refused(Some(report))) => {
                let refused = DriverErrorKind::Write(WriteFailure::WriteError(report.clone().into()));
                Error::from(mongodb::error::Error::from(refused))
            }
            Some(State::Refused(None) | State::Pending | State::Unknown) | None => {
                self.failure.clone().map_or_else(|| Error::new(ErrorKind::Driver), as_of_one)
            }
        };
        Err(error.with_number(burnt))
    }

    /// Of the documents of this part, which was sent, nobody knows.
    pub(crate) fn lost(&mut self, part: &Part, error: Error) {
        part.places.iter().for_each(|&index| self.set(index, State::Unknown));
        self.fail(error);
    }

    /// Ends with this error, unless there was one before.
    pub(crate) fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    pub(crate) fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// The `_id`s of all documents, or what went wrong. One document has the error that it met. `burnt` is the first number
    /// that is not stored.
    pub(crate) fn finish(self, one: bool, burnt: Option<i64>) -> Result<Vec<Bson>, Error> {
        let Some(error) = &self.failure else {
            let id = |state| match state {
                State::Stored(id) => Some(id),
                _ => None, // without a failure all are stored
            };
            return Ok(self.states.into_iter().filter_map(id).collect());
        };
        if one || self.states.iter().all(|state| matches!(state, State::Pending)) {
            return Err(error.clone());
        }
        let mut cause = error.driver_error().cloned();
        if let Some(DriverErrorKind::InsertMany(many)) = cause.as_mut().map(|cause| &mut *cause.kind) {
            let refused = self.states.iter().filter_map(|state| match state {
                State::Refused(refused) => refused.clone(),
                _ => None,
            });
            many.write_errors = Some(refused.collect());
        }
        let incomplete = Error::new(ErrorKind::Incomplete {
            inserted: self.stored(),
            not_inserted: self.all(|state| matches!(state, State::Pending | State::Refused(_))),
            unknown: self.all(|state| matches!(state, State::Unknown)),
            reason: match &cause {
                Some(cause) => short(cause),
                None => error.to_string(),
            },
        });
        let incomplete = incomplete.burning(burnt);
        Err(match cause {
            Some(cause) => incomplete.caused_by(cause),
            None => incomplete,
        })
    }
}

/// What a batch that was not confirmed means for one of its documents, as the driver reports it for one.
fn as_of_one(error: Error) -> Error {
    let mut cause = error.driver_error().cloned();
    let unconfirmed = match cause.as_ref().map(|cause| &*cause.kind) {
        Some(DriverErrorKind::InsertMany(many)) => many.write_concern_error.clone(),
        _ => None,
    };
    let (Some(cause), Some(unconfirmed)) = (&mut cause, unconfirmed) else { return error };
    *cause.kind = DriverErrorKind::Write(WriteFailure::WriteConcernError(unconfirmed)); // and its labels stay
    error.caused_by(cause.clone())
}

/// Whether what was done of a batch was confirmed.
pub(crate) fn is_confirmed(error: &Error) -> bool {
    match error.driver_error().map(|error| &*error.kind) {
        Some(DriverErrorKind::InsertMany(many)) => many.write_concern_error.is_none(),
        _ => true,
    }
}

/// Whether nobody knows of the document of an insert that ended with this.
pub(crate) fn may_be_stored(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::UnknownOutcome { .. } => true,
        ErrorKind::Driver => refusals(error).is_empty() && !is_nothing_done(error),
        _ => false,
    }
}

/// A connection that is cut is none of these: the command may be on its way.
pub(crate) fn is_nothing_done(error: &Error) -> bool {
    let Some(driver) = error.driver_error() else { return true };
    server_code(driver).is_some_and(|code| NOTHING_DONE.contains(&code))
        || matches!(
            &*driver.kind,
            DriverErrorKind::ServerSelection { .. }
                | DriverErrorKind::InvalidArgument { .. }
                | DriverErrorKind::Authentication { .. }
        )
}
