//! What generated code is made of, so that each model adds as little of its own as can be.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mongodb::bson::RawDocumentBuf;
use serde::Serialize;

use crate::document;

/// `{"": value}`, the stored form of a number. `None` if it cannot be serialized.
#[must_use]
pub fn render<V: Serialize>(value: V) -> Option<RawDocumentBuf> {
    #[derive(Serialize)]
    struct Rendered<V> {
        #[serde(rename = "")]
        value: V,
    }
    document::serialize(&Rendered { value }).ok()
}

/// The value for the field of this sequence: `Some(None)` if the field is left alone, `None` if the number does not fit.
///
/// Takes the conversion, and not a bound, so that the compiler reports a wrong type where the user wrote it.
#[must_use]
#[allow(clippy::option_option, reason = "two answers, and `?` takes the first")]
pub fn value<V>(numbers: &[Option<i64>], sequence: usize, convert: fn(i64) -> Option<V>) -> Option<Option<V>> {
    match numbers.get(sequence)? {
        Some(number) => convert(*number).map(Some),
        None => Some(None),
    }
}

/// The same for a field with a `format`.
#[must_use]
#[allow(clippy::option_option, reason = "as above")]
pub fn formatted<V>(numbers: &[Option<i64>], sequence: usize, format: fn(i64) -> V) -> Option<Option<V>> {
    numbers.get(sequence).map(|number| number.map(format))
}

/// Exchanges what the field holds with the value, if there is one.
pub fn exchange<V>(field: &mut V, value: &mut Option<V>) {
    if let Some(value) = value {
        std::mem::swap(field, value);
    }
}

/// Shows `visit` the model with other values, which stay if it says so. A panic of the user's code leaves it as it was.
pub fn with<M>(model: &mut M, visit: &mut dyn FnMut(&M) -> bool, exchange: &mut dyn FnMut(&mut M)) -> Option<()> {
    exchange(model);
    let kept = catch_unwind(AssertUnwindSafe(|| visit(model)));
    if !matches!(kept, Ok(true)) {
        exchange(model);
    }
    match kept {
        Ok(_) => Some(()),
        Err(panic) => resume_unwind(panic),
    }
}
