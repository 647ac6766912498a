//! The values that tell the counters of a scoped sequence apart, cut out of the document that is sent.

use mongodb::bson::{Bson, Document, RawBsonRef, RawDocument};

use super::{element, serialization};
use crate::{AutoIncrement, Definition, Error, ErrorKind, Result};

/// The scope values of each sequence. A field that serde leaves out is null, since the unique index over it takes the
/// two for one.
pub(super) fn of(definitions: &[Definition], document: &RawDocument) -> Result<Vec<Document>> {
    definitions.iter().map(|definition| of_one(definition, document)).collect()
}

/// A scope that changes between two serializations would put the document under a number of another scope.
pub(super) fn check<T: AutoIncrement>(document: &RawDocument, scopes: &[Document]) -> Result<()> {
    for (definition, scope) in T::SEQUENCES.iter().zip(scopes).filter(|(definition, _)| !definition.scope.is_empty()) {
        let now = of_one(definition, document)?;
        if now != *scope {
            return Err(serialization(format!(
                "the scope of the numbered field `{}` was {scope}, and {now} when the model was serialized again; let the \
                 scope fields hold what is stored, and depend neither on the time nor on the number",
                definition.rust_field
            )));
        }
    }
    Ok(())
}

fn of_one(definition: &Definition, document: &RawDocument) -> Result<Document> {
    let mut scope = Document::new();
    for &(_, name, optional) in definition.scope {
        let value = match element::value(document, name)? {
            Some(value) => of_value(name, value)?,
            None if optional => Bson::Null,
            None => {
                return Err(serialization(format!(
                    "the scope field `{name}` of the numbered field `{}` is not stored under this name; it must be \
                     serialized, under the name that serde's `rename` gives it",
                    definition.rust_field
                )));
            }
        };
        scope.insert(name, value);
    }
    Ok(scope)
}

fn of_value(name: &str, raw: RawBsonRef<'_>) -> Result<Bson> {
    value(name, element::owned(raw)?)
}

/// One scope value in the one form it has in counters: whole numbers are as short as they can be, so that those of one
/// value and different widths are one scope (to the server they are).
pub(crate) fn value(field: &str, bson: Bson) -> Result<Bson> {
    match bson {
        Bson::Int64(number) => Ok(i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)),
        Bson::Int32(_)
        | Bson::String(_)
        | Bson::Boolean(_)
        | Bson::ObjectId(_)
        | Bson::Binary(_)
        | Bson::DateTime(_)
        | Bson::Null => Ok(bson),
        other => {
            let found = format!("{:?}", other.element_type());
            Err(Error::new(ErrorKind::UnsupportedScope { field: field.to_owned(), found }))
        }
    }
}
