//! As much of the error type as the sources need.

/// The result of whatever can fail here.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Clone, Debug)]
pub(crate) struct Error {
    kind: ErrorKind,
    number: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// From which nobody can tell whether numbers were taken.
    Driver,
    Unconfirmed {},
    Exhausted {
        remaining: u64,
    },
    CounterMissing,
    #[allow(dead_code, reason = "named by who makes it")]
    Overloaded {
        limit: usize,
    },
    ShutDown,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self { kind, number: None }
    }

    pub(crate) fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    pub(crate) fn number(&self) -> Option<i64> {
        self.number
    }

    pub(crate) fn burning(self, number: Option<i64>) -> Self {
        Self { number: self.number.or(number), ..self }
    }

    pub(crate) fn with_number(&self, number: Option<i64>) -> Self {
        Self { kind: self.kind.clone(), number }
    }
}
