//! What can go wrong with a request, and which status that is.

use axum::{
    extract::rejection::{FormRejection, JsonRejection, QueryRejection},
    http::StatusCode,
};
use mongo_sequence::ErrorKind;

use crate::BadTarget;

#[derive(Debug)]
pub(crate) enum Failure {
    BadTarget(BadTarget),
    /// The request is not what was expected.
    Request(StatusCode, String),
    NotFound,
    Store(mongo_sequence::Error),
}

impl Failure {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::BadTarget(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Request(status, _) => *status,
            Self::NotFound => StatusCode::NOT_FOUND,
            // nothing was stored, and it may well be soon
            Self::Store(error) if matches!(error.kind(), ErrorKind::Overloaded { .. } | ErrorKind::ShutDown) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// For whoever sent the request. What the database says goes to the log only.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::BadTarget(bad) => bad.to_string(),
            Self::Request(_, message) => message.clone(),
            Self::NotFound => "There is no such link.".to_owned(),
            Self::Store(error) => {
                eprintln!("{error}");
                "The link could not be stored or found. Please try again.".to_owned()
            }
        }
    }
}

impl From<BadTarget> for Failure {
    fn from(bad: BadTarget) -> Self {
        Self::BadTarget(bad)
    }
}

impl From<mongo_sequence::Error> for Failure {
    fn from(error: mongo_sequence::Error) -> Self {
        Self::Store(error)
    }
}

impl From<FormRejection> for Failure {
    fn from(rejection: FormRejection) -> Self {
        Self::Request(rejection.status(), rejection.body_text())
    }
}

impl From<JsonRejection> for Failure {
    fn from(rejection: JsonRejection) -> Self {
        Self::Request(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Self {
        Self::Request(rejection.status(), rejection.body_text())
    }
}
