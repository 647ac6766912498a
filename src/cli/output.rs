//! What is printed.

use serde_json::Value;

use crate::Error;

/// The text, or the value with `--json`.
pub(crate) fn print(json: bool, value: &Value, text: impl FnOnce() -> String) -> Result<(), Error> {
    if json {
        println!("{}", serde_json::to_string_pretty(value)?);
    } else {
        println!("{}", text());
    }
    Ok(())
}

pub(crate) fn number(number: Option<i64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}
