//! An outcome in the words of the table.

use mongo_sequence::{Error, ErrorKind};
use mongodb::error::{
    ErrorKind as DriverErrorKind, RETRYABLE_WRITE_ERROR, TRANSIENT_TRANSACTION_ERROR,
    UNKNOWN_TRANSACTION_COMMIT_RESULT, WriteFailure,
};

const LABELS: [(&str, &str); 4] = [
    (RETRYABLE_WRITE_ERROR, "R"),
    (TRANSIENT_TRANSACTION_ERROR, "T"),
    (UNKNOWN_TRANSACTION_COMMIT_RESULT, "U"),
    ("SystemOverloadedError", "O"),
];

pub(super) fn outcomes(outcomes: &[Result<i64, Error>]) -> String {
    let told: Vec<String> = outcomes.iter().map(outcome).collect();
    // numbers in one list, errors one by one
    told.join(if outcomes.iter().all(Result::is_ok) { " " } else { ", " })
}

pub(super) fn outcome(outcome: &Result<i64, Error>) -> String {
    let error = match outcome {
        Ok(number) => return number.to_string(),
        Err(error) => error,
    };
    let mut words = vec![kind(error)];
    let crossed = mongodb::error::Error::from(error.clone());
    for (label, letter) in LABELS {
        match (error.contains_label(label), crossed.contains_label(label)) {
            (true, true) => words.push(letter.to_owned()),
            (false, false) => {}
            (ours, theirs) => words.push(format!("{letter}: {ours} here, {theirs} as the driver's")),
        }
    }
    words.extend(error.number().map(|number| format!("({number})")));
    words.join(" ")
}

fn kind(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Driver => error.driver_error().map_or_else(|| "no cause".to_owned(), driver),
        ErrorKind::Incomplete { inserted, not_inserted, unknown, .. } => {
            let parts = [("stored", inserted), ("not", not_inserted), ("unknown", unknown)];
            let parts = parts.into_iter().filter(|(_, places)| !places.is_empty());
            let parts = parts.map(|(what, places)| {
                format!(" {what} {}", places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            });
            format!("Incomplete{}", parts.collect::<String>())
        }
        other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    }
}

fn driver(error: &mongodb::error::Error) -> String {
    match &*error.kind {
        DriverErrorKind::Io(_) => "io".to_owned(),
        DriverErrorKind::Command(command) => command.code.to_string(),
        DriverErrorKind::Write(WriteFailure::WriteError(write)) => format!("refused {}", write.code),
        DriverErrorKind::Write(WriteFailure::WriteConcernError(write)) => format!("wce {}", write.code),
        DriverErrorKind::InsertMany(many) => match &many.write_concern_error {
            Some(write) => format!("many wce {}", write.code),
            None => "many".to_owned(),
        },
        other => format!("{other:?}"),
    }
}
