//! Documents as they are stored.

use std::ops::Deref;

use mongodb::bson::{Document, RawDocumentBuf};
use serde::{Deserialize, Deserializer, de::Error};

/// A document that is read as what it is.
///
/// What bson reads by way of serde may be extended JSON to it: a stored document `{"$numberLong": "5"}` becomes the number
/// 5, though to the server it is none, and a `{"$numberLong": 5}` makes everything around it unreadable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verbatim(pub(crate) Document);

impl<'de> Deserialize<'de> for Verbatim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawDocumentBuf::deserialize(deserializer)?;
        Document::try_from(raw).map(Self).map_err(D::Error::custom)
    }
}

impl Deref for Verbatim {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.0
    }
}
