//! The error type, and how it crosses into the driver's and back.

mod kind;
mod message;

use std::{fmt, sync::Arc};

pub use kind::ErrorKind;

use crate::{duplicate::DUPLICATE_KEY, target::refusals};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a number was not handed out or a document was not stored.
///
/// [`kind`](Self::kind) tells what happened and carries what is needed to act on it.
///
/// # In transaction callbacks
///
/// The driver's `and_run` and `and_run2` want its own error type, and retry only what still carries its labels.
/// Both conversions exist, so `?` works in either direction:
///
/// - an error of the driver becomes a [`mongodb::error::Error`] *unchanged*: the driver retries what it would have
///   retried without this crate;
/// - every other kind travels as a custom error and comes back whole. Convert it back before printing it, since the
///   driver shows a custom error as "Custom user error" only:
///
/// ```
/// # use sequence_core::{Error, ErrorKind};
/// fn report(error: mongodb::error::Error) -> String {
///     Error::from(error).to_string()
/// }
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    cause: Option<mongodb::error::Error>,
    number: Option<i64>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Arc::new(Inner { kind, cause: None, number: None }))
    }

    pub(crate) fn caused_by(self, cause: mongodb::error::Error) -> Self {
        let (kind, number) = (self.0.kind.clone(), self.0.number);
        Self(Arc::new(Inner { kind, cause: Some(cause), number }))
    }

    /// The same error, saying that `number` was taken and will not be handed out again.
    pub(crate) fn burning(self, number: Option<i64>) -> Self {
        let (kind, cause) = (self.0.kind.clone(), self.0.cause.clone());
        let number = self.0.number.or(number);
        Self(Arc::new(Inner { kind, cause, number }))
    }

    /// The same error with another number, or none.
    pub(crate) fn with_number(&self, number: Option<i64>) -> Self {
        let (kind, cause) = (self.0.kind.clone(), self.0.cause.clone());
        Self(Arc::new(Inner { kind, cause, number }))
    }

    /// What happened.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The number that this call had taken when it failed, and that nobody will be given again.
    ///
    /// It is a gap now, unless the outcome is unknown and the document was stored after all: look for it before the
    /// call is repeated. With several numbered fields it is the first one's. A number taken inside a transaction is not
    /// burnt, a rollback returns it. The number is lost when an error of the driver passes through the driver's type.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        self.0.number
    }

    /// Whether a unique index refused a document because another one has its key: one of the caller's own fields, or a
    /// number that the document brought along. (A number of the library's that is taken is replaced.)
    ///
    /// ```
    /// # fn example(error: sequence_core::Error) {
    /// if error.is_duplicate_key() {
    ///     println!("there is one already");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn is_duplicate_key(&self) -> bool {
        refusals(self).iter().any(|refusal| refusal.code == DUPLICATE_KEY)
    }

    /// Whether the driver's error behind this one has the label, for instance
    /// [`TRANSIENT_TRANSACTION_ERROR`](mongodb::error::TRANSIENT_TRANSACTION_ERROR).
    ///
    /// Kinds other than [`ErrorKind::Driver`] have no labels: what this crate has already retried or ruled out must not
    /// be retried again by a loop around it.
    #[must_use]
    pub fn contains_label(&self, label: impl AsRef<str>) -> bool {
        match self.0.kind {
            ErrorKind::Driver => self.driver_error().is_some_and(|error| error.contains_label(label)),
            _ => false,
        }
    }

    /// The driver's error behind this one, if there is one.
    #[must_use]
    pub fn driver_error(&self) -> Option<&mongodb::error::Error> {
        self.0.cause.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.kind, &self.0.cause) {
            (ErrorKind::Driver, Some(error)) => f.write_str(&short(error)),
            (kind, _) => kind.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("number", &self.0.number)
            .field("cause", &self.0.cause)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let cause = self.0.cause.as_ref()?;
        match self.0.kind {
            // shown as this error already
            ErrorKind::Driver => std::error::Error::source(cause),
            _ => Some(cause),
        }
    }
}

impl From<mongodb::error::Error> for Error {
    fn from(error: mongodb::error::Error) -> Self {
        match error.get_custom::<Self>() {
            Some(own) => own.clone(),
            None => Self::new(ErrorKind::Driver).caused_by(error),
        }
    }
}

impl From<Error> for mongodb::error::Error {
    fn from(error: Error) -> Self {
        match (&error.0.kind, &error.0.cause) {
            (ErrorKind::Driver, Some(cause)) => cause.clone(),
            _ => Self::custom(error),
        }
    }
}

/// What the driver's error says, without the reply that it dumps.
pub(crate) fn short(error: &mongodb::error::Error) -> String {
    use mongodb::error::{ErrorKind, WriteFailure};
    let code = |code: i32, message: &str| format!("the server refused it with code {code}: {message}");
    match &*error.kind {
        ErrorKind::Command(command) => code(command.code, &command.message),
        ErrorKind::Write(WriteFailure::WriteError(write)) => code(write.code, &write.message),
        ErrorKind::Write(WriteFailure::WriteConcernError(write)) => {
            format!("it was not confirmed, code {}: {}", write.code, write.message)
        }
        ErrorKind::InsertMany(many) => {
            let refused = many.write_errors.as_deref().unwrap_or_default();
            match (refused, &many.write_concern_error) {
                ([first, others @ ..], _) => {
                    let more = if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
                    format!("document {}: {}{more}", first.index, code(first.code, &first.message))
                }
                ([], Some(write)) => format!("they were not confirmed, code {}: {}", write.code, write.message),
                ([], None) => error.kind.to_string(),
            }
        }
        other => other.to_string(),
    }
}

/// The server's code, in whichever shape the driver reports it; `None` if the server did not answer with an error.
pub(crate) fn server_code(error: &mongodb::error::Error) -> Option<i32> {
    use mongodb::error::{ErrorKind, WriteFailure};
    match &*error.kind {
        ErrorKind::Command(command) => Some(command.code),
        ErrorKind::Write(WriteFailure::WriteError(write)) => Some(write.code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::{Error, ErrorKind};

    #[test]
    fn own_kinds_cross_the_drivers_type_whole() {
        let own = Error::new(ErrorKind::NoTransaction).burning(Some(7));
        let driver = mongodb::error::Error::from(own);
        let back = Error::from(driver);
        assert!(matches!(back.kind(), ErrorKind::NoTransaction));
        assert_eq!(back.number(), Some(7));
        assert!(back.to_string().contains("no transaction in progress"), "{back}");
    }

    #[test]
    fn a_drivers_error_comes_out_as_it_went_in() {
        let driver = mongodb::error::Error::custom("a reason");
        let ours = Error::from(driver.clone()).burning(Some(7));
        assert_eq!(ours.to_string(), driver.kind.to_string());
        assert!(ours.source().is_none());
        let back = mongodb::error::Error::from(ours);
        assert_eq!(back.get_custom::<&str>(), Some(&"a reason"));
    }

    #[test]
    fn a_cause_behind_an_own_kind_shows_no_labels() {
        let cause = mongodb::error::Error::custom("x");
        let error = Error::new(ErrorKind::NoTransaction).caused_by(cause);
        assert!(error.source().is_some());
        assert!(!error.contains_label(mongodb::error::TRANSIENT_TRANSACTION_ERROR));
    }
}
