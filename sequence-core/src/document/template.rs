//! The bytes of a document and the places of its numbers.

use std::ops::Range;

use mongodb::bson::{RawDocument, RawDocumentBuf, spec::ElementType};

use super::{element, no_fit, serialization, too_large};
use crate::{AutoIncrement, Definition, Result};

/// Free of the model and its type: a task of the library's own can number, insert and repeat it.
#[derive(Debug)]
pub(crate) struct Template {
    size: usize,
    /// The elements of the number fields, in the order of the bytes.
    parts: Vec<Part>,
    /// What comes behind the last of them.
    rest: Vec<u8>,
    render: fn(usize, i64) -> Option<RawDocumentBuf>,
}

/// The element of a number field without its type and value, and what comes before it.
#[derive(Debug)]
struct Part {
    before: Vec<u8>,
    name: &'static str,
    sequence: usize,
}

#[derive(Debug)]
struct Slot {
    sequence: usize,
    name: &'static str,
    /// From the type byte to the end of the value.
    element: Range<usize>,
}

impl Template {
    /// Of a document that was serialized with these numbers; `None` is a number that stays as it is.
    pub(super) fn new<T: AutoIncrement>(document: &RawDocument, numbers: &[Option<i64>]) -> Result<Self> {
        let mut slots = slots::<T>(document, numbers)?;
        slots.sort_by_key(|slot| slot.element.start);
        let bytes = document.as_bytes();
        let (mut parts, mut copied) = (Vec::with_capacity(slots.len()), 0);
        for Slot { sequence, name, element } in slots {
            let before = bytes.get(copied..element.start).unwrap_or_default().to_vec();
            parts.push(Part { before, name, sequence });
            copied = element.end;
        }
        let rest = bytes.get(copied..).unwrap_or_default().to_vec();
        Ok(Self { size: bytes.len(), parts, rest, render: T::__render })
    }

    /// The size of the document in bytes, as far as it does not depend on the number.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The document with these numbers, one for each sequence of the model.
    pub(crate) fn numbered(&self, numbers: &[Option<i64>]) -> Result<RawDocumentBuf> {
        let mut bytes = Vec::with_capacity(self.size);
        for Part { before, name, sequence } in &self.parts {
            let number = numbers.get(*sequence).copied().flatten().unwrap_or_default();
            let rendered = rendered(self.render, *sequence, number)?;
            let (kind, value) = type_and_value(&rendered, number)?;
            bytes.extend_from_slice(before);
            bytes.push(kind);
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(value);
        }
        bytes.extend_from_slice(&self.rest);
        finished(bytes)
    }
}

/// Whether a document that was serialized with these numbers stores them where they can be found again.
pub(super) fn check<T: AutoIncrement>(document: &RawDocument, numbers: &[Option<i64>]) -> Result<()> {
    slots::<T>(document, numbers).map(drop)
}

fn slots<T: AutoIncrement>(document: &RawDocument, numbers: &[Option<i64>]) -> Result<Vec<Slot>> {
    let bytes = document.as_bytes();
    let mut slots = Vec::with_capacity(numbers.len());
    for (sequence, (definition, number)) in T::SEQUENCES.iter().zip(numbers).enumerate() {
        let Some(number) = *number else { continue };
        let name = definition.stored_field;
        let element = element::place(document, name)?.ok_or_else(|| {
            serialization(format!(
                "the numbered field `{}` is not stored as `{name}`; every numbered field must be serialized, under \
                 the name that serde's `rename` gives it",
                definition.rust_field
            ))
        })?;
        let rendered = rendered(T::__render, sequence, number)?;
        let rendered = type_and_value(&rendered, number)?;
        check_number(definition, number, rendered)?;
        let stored = bytes.get(element.clone()).and_then(|element| {
            let (kind, name_and_value) = element.split_first()?;
            Some((*kind, name_and_value.strip_prefix(name.as_bytes())?.strip_prefix(&[0])?))
        });
        if stored != Some(rendered) {
            return Err(serialization(format!(
                "the numbered field `{}` is not stored as the number that it holds; remove the serde attribute that \
                 changes it, or make the stored value with `format`",
                definition.rust_field
            )));
        }
        slots.push(Slot { sequence, name, element });
    }
    Ok(slots)
}

/// The document of these bytes, whose length has changed.
pub(super) fn finished(mut bytes: Vec<u8>) -> Result<RawDocumentBuf> {
    let length = i32::try_from(bytes.len()).map_err(|_| too_large(bytes.len()))?;
    if let Some(stored) = bytes.first_chunk_mut() {
        *stored = length.to_le_bytes();
    }
    RawDocumentBuf::from_bytes(bytes).map_err(|error| serialization(error.to_string()))
}

fn rendered(render: fn(usize, i64) -> Option<RawDocumentBuf>, sequence: usize, number: i64) -> Result<RawDocumentBuf> {
    render(sequence, number).ok_or_else(|| no_fit(&[Some(number)]))
}

/// A type with a `SequenceValue` of its own may serialize to anything, but only a number can be found again in the data.
fn check_number(definition: &Definition, number: i64, (kind, value): (u8, &[u8])) -> Result<()> {
    let stored = match ElementType::from(kind) {
        Some(ElementType::Int32) => value.try_into().ok().map(i32::from_le_bytes).map(i64::from),
        Some(ElementType::Int64) => value.try_into().ok().map(i64::from_le_bytes),
        _ => None,
    };
    if definition.formatted || stored == Some(number) {
        return Ok(());
    }
    Err(serialization(format!(
        "the type of the numbered field `{}` does not serialize the number {number} as an Int32 or Int64 of that value; \
         put `#[serde(transparent)]` on it, change its `Serialize` or its `SequenceValue`, or make the stored value with \
         `format`",
        definition.rust_field
    )))
}

/// Of `{"": value}`: what comes behind its length, and the value between the empty name and the end.
fn type_and_value(rendered: &RawDocument, number: i64) -> Result<(u8, &[u8])> {
    match rendered.as_bytes() {
        [_, _, _, _, kind, 0, value @ .., 0] => Ok((*kind, value)),
        _ => Err(no_fit(&[Some(number)])),
    }
}
