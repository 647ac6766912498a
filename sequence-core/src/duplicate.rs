//! Whose duplicate key was it: one of our numbers, or a unique field of the caller's own?

use mongodb::{Collection, IndexModel, bson::RawDocumentBuf};

use crate::{Definition, index};

/// Server code: a unique index holds this key already.
pub(crate) const DUPLICATE_KEY: i32 = 11_000;

/// Reads the messages about one collection.
///
/// The reply to an insert names the index in its message only. A value in the message cannot pass for an index, since
/// the first thing after the namespace is the name, but names of collections and indexes may contain anything: the
/// namespace is known, and of the names that `listIndexes` gives the longest that fits is the one.
#[derive(Debug)]
pub(crate) struct Owners {
    namespace: String,
    definitions: &'static [Definition],
    /// An index that cannot be looked up is not ours.
    indexes: Vec<IndexModel>,
}

impl Owners {
    pub(crate) async fn new(collection: &Collection<RawDocumentBuf>, definitions: &'static [Definition]) -> Self {
        let namespace = collection.namespace().to_string();
        let indexes = index::list(collection).await.unwrap_or_default();
        Self { namespace, definitions, indexes }
    }

    /// The sequence whose number was refused because a document has it, or `None` if it was another key.
    pub(crate) fn whose(&self, message: &str) -> Option<usize> {
        let behind = behind_namespace(message, &self.namespace)?;
        if !behind.starts_with("index: ") {
            // a clustered collection has no index on `_id` to name
            return self.definitions.iter().position(|own| own.stored_field == "_id" && own.scope.is_empty());
        }
        let named = self.indexes.iter().filter_map(|index| Some((index::name(index)?, index)));
        let (_, index) = named.filter(|(name, _)| names_index(behind, name)).max_by_key(|(name, _)| name.len())?;
        self.definitions.iter().position(|definition| {
            let scope = definition.scope.iter().map(|(_, stored, _)| *stored);
            index::is_over(index, scope.chain([definition.stored_field]))
        })
    }
}

fn behind_namespace<'m>(message: &'m str, namespace: &str) -> Option<&'m str> {
    let (_, behind) = message.split_once(" collection: ")?;
    behind.strip_prefix(namespace)?.strip_prefix(' ')
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
