//! The `_id` of a counter.

use mongodb::bson::{Bson, Document};

/// The values of a scope stand in it as they are, and are never joined to a string, so that
/// different ones cannot make one key.
pub(super) fn key(name: String, scope: &Document) -> Bson {
    if scope.is_empty() {
        return Bson::String(name);
    }
    let mut key = Document::from_iter([("seq".to_owned(), Bson::String(name))]);
    key.extend(scope.clone());
    Bson::Document(key)
}

#[cfg(test)]
mod tests {
    use mongodb::bson::{Bson, DateTime, Document, oid::ObjectId, spec::BinarySubtype};
    use proptest::prelude::*;

    use super::key;
    use crate::document::{scope_value, serialize};

    /// Texts as they break joined keys, and arbitrary ones.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ab.:,|\"\\\\$\\{\\}\0 1]{0,6}",
            any::<String>(),
            Just("1".to_owned()),
            Just("null".to_owned()),
            Just("true".to_owned()),
        ]
    }

    fn value() -> impl Strategy<Value = Bson> {
        prop_oneof![
            text().prop_map(Bson::String),
            (-2..3_i32).prop_map(Bson::Int32),
            (-2..3_i64).prop_map(Bson::Int64),
            any::<i64>().prop_map(Bson::Int64),
            any::<bool>().prop_map(Bson::Boolean),
            (0..3_i64).prop_map(|at| Bson::DateTime(DateTime::from_millis(at))),
            any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(ObjectId::from_bytes(bytes))),
            any::<Vec<u8>>()
                .prop_map(|bytes| { Bson::Binary(mongodb::bson::Binary { subtype: BinarySubtype::Generic, bytes }) }),
            Just(Bson::Null),
        ]
    }

    /// What the server compares: whole numbers of any width by their value.
    fn compared(value: &Bson) -> String {
        match value {
            Bson::Int32(number) => format!("number {number}"),
            Bson::Int64(number) => format!("number {number}"),
            other => format!("{other:?}"),
        }
    }

    fn bytes(name: &str, values: &[Bson; 2]) -> Vec<u8> {
        let pairs = ["tenant", "year"].into_iter().zip(values);
        let scope: Document =
            pairs.map(|(name, value)| (name.to_owned(), scope_value(name, value.clone()).unwrap())).collect();
        serialize(&key(name.to_owned(), &scope)).unwrap().into_bytes()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Two sequences have one counter if, and only if, name and scope values are the same.
        #[test]
        fn different_scopes_have_different_keys(
            (a, b) in (text(), text()),
            (v, w) in ([value(), value()], [value(), value()]),
        ) {
            let same = a == b && v.each_ref().map(compared) == w.each_ref().map(compared);
            prop_assert_eq!(bytes(&a, &v) == bytes(&b, &w), same);
            prop_assert!(bytes(&a, &v) == bytes(&a, &v));
        }

        /// Neighbours: what stands on one side of a border or on the other.
        #[test]
        fn moving_text_between_scopes_changes_the_key(text in text(), at in any::<prop::sample::Index>()) {
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let border = |at: usize| [Bson::from(&text[..at]), Bson::from(&text[at..])];
            let here = *at.get(&borders);
            for other in borders {
                prop_assert_eq!(bytes("s", &border(here)) == bytes("s", &border(other)), here == other);
            }
        }
    }
}
