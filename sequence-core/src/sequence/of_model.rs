//! The sequence of a model's field.

use mongodb::{Collection, bson::Document};

use super::Sequence;
use crate::{AutoIncrement, Definition, Error, ErrorKind, Result, counter::counter_of, document::scope_value};

/// That of the field with this name, in Rust or in the database, for these values of its scope fields.
pub(crate) fn sequence<T: AutoIncrement>(
    collection: &Collection<T>,
    field: &str,
    scope: &Document,
) -> Result<Sequence> {
    let invalid = |message| Error::new(ErrorKind::InvalidSequence { sequence: field.to_owned(), message });
    let named = |definition: &Definition| [definition.rust_field, definition.stored_field].contains(&field);
    let Some(sequence) = T::SEQUENCES.iter().position(named) else {
        let fields: Vec<_> = T::SEQUENCES.iter().map(|definition| definition.rust_field).collect();
        return Err(invalid(format!("no numbered field has this name, there is {}", fields.join(", "))));
    };
    let expected: Vec<_> = T::SEQUENCES[sequence].scope.iter().map(|(name, _)| *name).collect();
    let mut values = Document::new();
    for name in &expected {
        let value = scope.get(*name).cloned().ok_or_else(|| wrong_scope(&expected, scope)).map_err(invalid)?;
        values.insert(*name, scope_value(name, value)?);
    }
    if scope.len() != expected.len() {
        return Err(invalid(wrong_scope(&expected, scope)));
    }
    let database = collection.client().database(&collection.namespace().db);
    Ok(Sequence::of_model(&database, &counter_of(collection, sequence, &values)?))
}

fn wrong_scope(expected: &[&str], found: &Document) -> String {
    let found: Vec<_> = found.keys().map(String::as_str).collect();
    match expected {
        [] => format!("it has no scope, found values for {}", found.join(", ")),
        _ => format!(
            "it has one sequence for each value of {}, found values for {}; give them to `scoped_sequence`",
            expected.join(", "),
            if found.is_empty() { "nothing".to_owned() } else { found.join(", ") }
        ),
    }
}
