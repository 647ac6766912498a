//! What a miss or an error at the counter means.

use mongodb::{bson::Document, error::WriteFailure};

use super::{Counter, State, advance::Stands};
use crate::{
    Error, ErrorKind, Result,
    definition::Stride,
    error::server_code,
    number::{self, Number},
};

/// Server codes: what a transaction meets on a standalone, and what a command ends with that has waited in vain.
const ILLEGAL_OPERATION: i32 = 20;
pub(crate) const MAX_TIME_EXPIRED: i32 = 50;

impl Counter {
    /// `Ok` if the counter has room by now (somebody lowered it, or it was created meanwhile).
    pub(super) fn check_room(&self, number: Number, n: u64) -> Result<()> {
        let remaining = self.progression.remaining(number.value);
        let Some(stride) = self.progression.stride(n).filter(|_| remaining >= n) else {
            return Err(self.exhausted(number.value, remaining));
        };
        if number.plus(stride.by).is_none() {
            return Err(self.corrupt(format!("Double {}, from where a Double cannot count on exactly", number.value)));
        }
        Ok(())
    }

    /// Turns the driver's error of an increment into ours. What it does not know better goes to the caller as it came.
    pub(super) fn refused(
        &self,
        error: mongodb::error::Error,
        stride: &Stride,
        stands: Stands,
        in_transaction: bool,
    ) -> Error {
        let unconfirmed = matches!(&*error.kind, mongodb::error::ErrorKind::Write(WriteFailure::WriteConcernError(_)));
        match server_code(&error) {
            // A miss that is not confirmed has moved nothing.
            _ if unconfirmed => match self.number_in_reply(&error, stride, stands) {
                None => error.into(),
                number => Error::new(ErrorKind::Unconfirmed { sequence: self.name() }).caused_by(error).burning(number),
            },
            Some(ILLEGAL_OPERATION) if in_transaction => {
                Error::new(ErrorKind::TransactionsUnsupported).caused_by(error)
            }
            Some(MAX_TIME_EXPIRED) if !in_transaction => self.waited_in_vain(error),
            _ => error.into(),
        }
    }

    /// A command outside transactions that ran out of time has waited for a transaction that holds the counter.
    pub(super) fn waited_in_vain(&self, error: mongodb::error::Error) -> Error {
        if server_code(&error) != Some(MAX_TIME_EXPIRED) {
            return error.into();
        }
        let kind = ErrorKind::CounterHeld { sequence: self.name(), waited: self.command_time };
        Error::new(kind).caused_by(error)
    }

    /// The last number taken by a command that was carried out but not confirmed.
    fn number_in_reply(&self, error: &mongodb::error::Error, stride: &Stride, stands: Stands) -> Option<i64> {
        let reply = Document::try_from(error.server_response()?.as_ref()).ok()?;
        let before = reply.get_document("value").ok()?.get(&self.field);
        let number = number::decode(before.filter(|_| stands.takes(before)));
        number.ok().and_then(|number| self.moved(number, stride))
    }

    pub(crate) fn corrupt(&self, found: String) -> Error {
        Error::new(ErrorKind::CounterCorrupt { sequence: self.name(), field: self.field.clone(), found })
    }

    pub(crate) fn missing(&self, reason: &'static str) -> Error {
        Error::new(ErrorKind::CounterMissing { sequence: self.name(), reason })
    }

    pub(crate) fn removed_again(&self) -> Error {
        self.missing("it was removed again every time it had been created")
    }

    pub(crate) fn invalid(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidSequence { sequence: self.name(), message: message.into() })
    }

    pub(crate) fn not_raised(&self, number: i64, cause: &Error) -> Error {
        let kind = ErrorKind::NotRaised { sequence: self.name(), number, reason: cause.to_string() };
        match cause.driver_error() {
            Some(driver) => Error::new(kind).caused_by(driver.clone()),
            None => Error::new(kind),
        }
    }

    /// For who comes after the last number was taken.
    pub(crate) async fn used_up(&self) -> Error {
        match self.read(None).await {
            Ok(State::At(number)) => self.exhausted(number.value, self.progression.remaining(number.value)),
            Ok(State::Corrupt(found)) => self.corrupt(found),
            Ok(State::Missing) => self.missing("it was removed after its last numbers had been taken"),
            Err(error) => error,
        }
    }

    fn exhausted(&self, value: i64, remaining: u64) -> Error {
        Error::new(ErrorKind::Exhausted { sequence: self.name(), value, limit: self.progression.last, remaining })
    }
}
