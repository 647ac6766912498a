//! Whose duplicate key was it: one of our numbers, or a unique field of the caller's own?

use mongodb::{Collection, bson::RawDocumentBuf, error::WriteFailure};

use crate::{Definition, Error};

/// Server code: a unique index holds this key already.
const DUPLICATE_KEY: i32 = 11_000;

/// The sequence whose number was refused because a document has it, or `None` for every other error.
///
/// The reply to an insert names the index in its message only. A value in the message cannot pass for an index, since
/// the first thing after the namespace is the name, but names of collections and indexes may contain anything: the
/// namespace is known, and of the names that `listIndexes` gives the longest that fits is the one.
pub(crate) async fn whose(
    error: &Error,
    collection: &Collection<RawDocumentBuf>,
    definitions: &[Definition],
) -> Option<usize> {
    let message = duplicate_key_message(error)?;
    let behind = behind_namespace(message, &collection.namespace().to_string())?;
    let keys = if behind.starts_with("index: ") {
        index_keys(behind, collection).await?
    } else {
        vec!["_id".to_owned()] // a clustered collection has no index on `_id` to name
    };
    definitions.iter().position(|definition| keys == [definition.stored_field])
}

fn duplicate_key_message(error: &Error) -> Option<&str> {
    match &*error.driver_error()?.kind {
        mongodb::error::ErrorKind::Write(WriteFailure::WriteError(write)) if write.code == DUPLICATE_KEY => {
            Some(&write.message)
        }
        _ => None,
    }
}

fn behind_namespace<'m>(message: &'m str, namespace: &str) -> Option<&'m str> {
    let (_, behind) = message.split_once(" collection: ")?;
    behind.strip_prefix(namespace)?.strip_prefix(' ')
}

/// The fields of the index that the message names. An index that cannot be found is not ours.
async fn index_keys(behind: &str, collection: &Collection<RawDocumentBuf>) -> Option<Vec<String>> {
    let mut cursor = collection.list_indexes().await.ok()?;
    let mut longest: Option<(usize, Vec<String>)> = None;
    while cursor.advance().await.ok()? {
        let index = cursor.deserialize_current().ok()?;
        let name = index.options.and_then(|options| options.name)?;
        if names_index(behind, &name) && longest.as_ref().is_none_or(|(length, _)| *length < name.len()) {
            longest = Some((name.len(), index.keys.keys().cloned().collect()));
        }
    }
    longest.map(|(_, keys)| keys)
}

fn names_index(behind: &str, name: &str) -> bool {
    let rest = behind.strip_prefix("index: ").and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with(" dup key: ") || rest.starts_with(" collation: "))
}

#[cfg(test)]
mod tests {
    use super::{behind_namespace, names_index};

    #[test]
    fn every_shape_of_the_message_is_read() {
        let shapes = [
            ("E11000 duplicate key error collection: db.c index: n_1 dup key: { n: 1 }", "db.c", "n_1"),
            (
                "E11000 duplicate key error collection: db.c index: slug_1 collation: { locale: \"en\" } dup key: { slug: \
                 \"0x61\" }",
                "db.c",
                "slug_1",
            ),
            (
                "E11000 duplicate key error collection: db.c index: a dup key: b dup key: { n: 1 }",
                "db.c",
                "a dup key: b",
            ),
            (
                "E11000 duplicate key error collection: db.x index: n_1 dup key: y index: n_1 dup key: { n: 1 }",
                "db.x index: n_1 dup key: y",
                "n_1",
            ),
        ];
        for (message, namespace, index) in shapes {
            let behind = behind_namespace(message, namespace).unwrap();
            assert!(names_index(behind, index), "{message}");
            assert!(!names_index(behind, "n"), "{message}");
        }
    }

    #[test]
    fn a_clustered_collection_names_no_index() {
        let message = "E11000 duplicate key error collection: db.c dup key: { _id: 1 }";
        assert_eq!(behind_namespace(message, "db.c"), Some("dup key: { _id: 1 }"));
        assert_eq!(behind_namespace(message, "db.other"), None);
    }
}
