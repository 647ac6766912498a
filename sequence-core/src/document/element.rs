//! One top-level element of a document.

use std::{fmt::Display, ops::Range};

use mongodb::bson::{Bson, RawBsonRef, RawDocument};

use super::serialization;
use crate::{Error, Result};

/// Where the element of this name stands: from its type byte to the end of its value.
///
/// bson tells names and values but not where they stand; a name borrows from the bytes of the document, so its address
/// does. An element ends where the type byte of the next one, or the final NUL of the document, begins.
pub(super) fn place(document: &RawDocument, name: &str) -> Result<Option<Range<usize>>> {
    let bytes = document.as_bytes();
    let mut found = None;
    for element in document {
        let (key, _) = element.map_err(unreadable)?;
        let key = text(&key);
        let start = key.as_ptr().addr() - bytes.as_ptr().addr() - 1;
        match found {
            Some(found) => return Ok(Some(found..start)),
            None if key == name => found = Some(start),
            None => {}
        }
    }
    Ok(found.map(|found| found..bytes.len() - 1))
}

/// The value of the element of this name.
pub(crate) fn value<'d>(document: &'d RawDocument, name: &str) -> Result<Option<RawBsonRef<'d>>> {
    for element in document {
        let (key, value) = element.map_err(unreadable)?;
        if text(&key) == name {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// The value on its own.
pub(super) fn owned(value: RawBsonRef<'_>) -> Result<Bson> {
    value.try_into().map_err(unreadable)
}

/// bson 2 and bson 3 have different error types here.
fn unreadable(error: impl Display) -> Error {
    serialization(error.to_string())
}

/// A name is `&str` in bson 2 and `&CStr` in bson 3.
fn text<'k, K: AsRef<str> + ?Sized>(key: &'k &K) -> &'k str {
    (*key).as_ref()
}
