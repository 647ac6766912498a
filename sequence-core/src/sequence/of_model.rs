//! The sequence of a model's field.

use mongodb::{Collection, bson::Document};

use super::Sequence;
use crate::{
    AutoIncrement, Definition, Error, ErrorKind, NumberedField, Result, definition::ScopeField, document::scope_value,
};

/// That of the field with this name, in Rust or in the database, for these values of its scope fields.
pub(crate) fn sequence<T: AutoIncrement>(
    collection: &Collection<T>,
    field: &str,
    scope: &Document,
) -> Result<Sequence> {
    let invalid = |message| Error::new(ErrorKind::InvalidSequence { sequence: field.to_owned(), message });
    let named =
        |(_, definition): &(usize, &Definition)| [definition.rust_field, definition.stored_field].contains(&field);
    let Some((sequence, definition)) = T::SEQUENCES.iter().enumerate().find(named) else {
        let fields: Vec<_> = T::SEQUENCES.iter().map(|own| format!("`{}`", own.rust_field)).collect();
        return Err(invalid(format!("the model has no numbered field of this name; there is {}", fields.join(", "))));
    };
    let fields = definition.scope;
    let mut values = Document::new();
    for (name, stored, _) in fields {
        let value = scope.get(*stored).or_else(|| scope.get(*name)).cloned();
        let value = value.ok_or_else(|| invalid(wrong_scope(fields, scope)))?;
        values.insert(*stored, scope_value(stored, value)?);
    }
    if scope.len() != fields.len() {
        return Err(invalid(wrong_scope(fields, scope)));
    }
    let database = collection.client().database(&collection.namespace().db);
    Ok(Sequence::of_model(&database, &NumberedField::of_model(collection, sequence, definition)?.counter(&values)))
}

fn wrong_scope(fields: &[ScopeField], found: &Document) -> String {
    let list = |names: Vec<&str>| format!("`{}`", names.join("`, `"));
    let found = match found.keys().map(String::as_str).collect::<Vec<_>>() {
        names if names.is_empty() => "none".to_owned(),
        names => list(names),
    };
    if fields.is_empty() {
        return format!("it has no scope, found values for {found}");
    }
    let expected = list(fields.iter().map(|(_, stored, _)| *stored).collect());
    format!("it is one sequence for each value of {expected}, found values for {found}; give them to `scoped_sequence`")
}
