//! What is printed.

use std::io::{self, BufRead, IsTerminal, Write, stderr, stdin, stdout};

use mongodb::bson::{Binary, Bson, spec::BinarySubtype};
use serde_json::Value;

use crate::Error;

/// What messages of the library call by its name in Rust, and what it is here.
const WORDS: [(&str, &str); 7] = [
    ("`ensure_sequences`", "`mongo-sequence ensure`"),
    ("`raise_to` on its `Sequence`", "`mongo-sequence raise`"),
    ("`restart` the sequence", "`mongo-sequence restart` the sequence"),
    ("(`unset` takes", "(`mongo-sequence unset --duplicates` takes"),
    ("`value_field`", "`--value-field`"),
    ("`in_collection`", "`--in-collection`"),
    ("`.assume_stopped()`", "`--assume-stopped`"),
];

/// The text, or the value with `--json`.
pub(crate) fn print(json: bool, value: &Value, text: impl FnOnce() -> String) -> Result<(), Error> {
    let text = if json { serde_json::to_string_pretty(value)? } else { text() };
    match writeln!(stdout(), "{text}").and_then(|()| stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()), // whoever reads has read enough
        printed => Ok(printed?),
    }
}

/// As extended JSON, which `--of` takes back.
pub(crate) fn extended(value: &Bson) -> Result<Value, Error> {
    Ok(match value {
        Bson::Document(fields) => Value::Object(
            fields.iter().map(|(name, value)| Ok((name.clone(), extended(value)?))).collect::<Result<_, Error>>()?,
        ),
        Bson::Array(values) => values.iter().map(extended).collect::<Result<_, _>>()?,
        // bson writes this subtype alone as a list of numbers
        Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes }) => {
            let other = Binary { subtype: BinarySubtype::UserDefined(0x80), bytes: bytes.clone() };
            let mut value = serde_json::to_value(Bson::Binary(other))?;
            value["$binary"]["subType"] = "00".into();
            value
        }
        other => serde_json::to_value(other)?,
    })
}

/// What went wrong, in the words of the command line.
pub(crate) fn error(error: &Error) -> String {
    match error.downcast_ref::<mongodb::error::Error>() {
        Some(driver) => driver.kind.to_string(),
        None => in_words(error.to_string()),
    }
}

pub(crate) fn in_words(text: String) -> String {
    WORDS.iter().fold(text, |text, (library, here)| text.replace(library, here))
}

pub(crate) fn number(number: Option<i64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

/// Asks, if there is somebody to ask.
pub(crate) async fn is_confirmed(plan: &str) -> Result<bool, Error> {
    if !stdin().is_terminal() {
        eprintln!("mongo-sequence: {plan}. Nothing was done: say `--yes` where nobody can be asked");
        return Ok(false);
    }
    eprint!("{plan}. Go on? [y/N] ");
    stderr().flush()?;
    // on a thread of its own, so that an interruption is heard meanwhile
    let answer = tokio::task::spawn_blocking(|| stdin().lock().lines().next().transpose()).await??;
    Ok(answer.is_some_and(|answer| answer.trim().eq_ignore_ascii_case("y")))
}
