//! The driver's own serializer, under either version of bson.
//!
//! `insert_one` stores what bson's *raw* serializer makes; the one behind `to_bson` is human-readable and stores a
//! `uuid::Uuid`, for one, as a string. bson 2 and bson 3 name the function differently, and which of them the driver
//! uses is decided by the features of the whole build, so no `cfg` of this crate could tell. A glob import inside the
//! function hides the stand-ins of the same name: whichever function exists is called.

use mongodb::bson::RawDocumentBuf;
use serde::Serialize;

struct Absent;

#[allow(dead_code, reason = "called where bson has no function of this name")]
fn to_raw_document_buf<T>(_: &T) -> Result<RawDocumentBuf, Absent> {
    Err(Absent)
}

#[allow(dead_code, reason = "called where bson has no function of this name")]
fn serialize_to_raw_document_buf<T>(_: &T) -> Result<RawDocumentBuf, Absent> {
    Err(Absent)
}

trait Outcome {
    fn outcome(self) -> Option<Result<RawDocumentBuf, String>>;
}

impl Outcome for Result<RawDocumentBuf, Absent> {
    fn outcome(self) -> Option<Result<RawDocumentBuf, String>> {
        None
    }
}

// Implemented by the error types of both versions, not by `Absent`.
impl<E: serde::ser::Error> Outcome for Result<RawDocumentBuf, E> {
    fn outcome(self) -> Option<Result<RawDocumentBuf, String>> {
        Some(self.map_err(|error| error.to_string()))
    }
}

pub(crate) fn serialize<T: Serialize>(value: &T) -> Result<RawDocumentBuf, String> {
    #[allow(clippy::wildcard_imports, unused_imports, reason = "see the head of this file")]
    use mongodb::bson::*;
    to_raw_document_buf(value)
        .outcome()
        .or_else(|| serialize_to_raw_document_buf(value).outcome())
        .unwrap_or_else(|| Err("this version of bson has no raw serializer".to_owned()))
}
