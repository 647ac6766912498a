//! The bytes of a document and the places of its numbers.

use std::ops::Range;

use mongodb::bson::{RawDocument, RawDocumentBuf, spec::ElementType};

use super::{element, no_fit, serialization, too_large};
use crate::{AutoIncrement, Definition, Result};

/// Where the value begins in `{"": value}`: behind the length, the type and the empty name.
const RENDERED_VALUE: usize = 4 + 1 + 1;

/// Free of the model and its type: a task of the library's own can number, insert and repeat it.
#[derive(Debug)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    /// The elements of the number fields, in the order of the bytes.
    slots: Vec<Slot>,
    render: fn(usize, i64) -> Option<RawDocumentBuf>,
}

#[derive(Debug)]
struct Slot {
    sequence: usize,
    name: &'static str,
    /// From the type byte to the end of the value.
    element: Range<usize>,
}

impl Slot {
    fn value(&self) -> Range<usize> {
        self.element.start + 1 + self.name.len() + 1..self.element.end
    }
}

impl Template {
    /// Of a document that was serialized with these numbers; `None` is a number that stays as it is.
    pub(super) fn new<T: AutoIncrement>(document: &RawDocument, numbers: &[Option<i64>]) -> Result<Self> {
        let mut slots = slots::<T>(document, numbers)?;
        slots.sort_by_key(|slot| slot.element.start);
        Ok(Self { bytes: document.as_bytes().to_vec(), slots, render: T::__render })
    }

    /// The size of the document in bytes, as far as it does not depend on the number.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The document with these numbers, one for each sequence of the model.
    pub(crate) fn numbered(&self, numbers: &[Option<i64>]) -> Result<RawDocumentBuf> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut copied = 0;
        for slot in &self.slots {
            let number = numbers.get(slot.sequence).copied().flatten().unwrap_or_default();
            let rendered = rendered(self.render, slot.sequence, number)?;
            bytes.extend_from_slice(&self.bytes[copied..slot.element.start]);
            bytes.push(rendered[4]);
            bytes.extend_from_slice(&self.bytes[slot.element.start + 1..slot.value().start]);
            bytes.extend_from_slice(rendered_value(&rendered));
            copied = slot.element.end;
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
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
        let slot = Slot { sequence, name, element };
        let rendered = rendered(T::__render, sequence, number)?;
        check_number(definition, number, &rendered)?;
        if (bytes[slot.element.start], &bytes[slot.value()]) != (rendered[4], rendered_value(&rendered)) {
            return Err(serialization(format!(
                "the numbered field `{}` is not stored as the number that it holds; remove the serde attribute that \
                 changes it, or make the stored value with `format`",
                definition.rust_field
            )));
        }
        slots.push(slot);
    }
    Ok(slots)
}

/// The document of these bytes, whose length has changed.
pub(super) fn finished(mut bytes: Vec<u8>) -> Result<RawDocumentBuf> {
    let length = i32::try_from(bytes.len()).map_err(|_| too_large(bytes.len()))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    RawDocumentBuf::from_bytes(bytes).map_err(|error| serialization(error.to_string()))
}

fn rendered(render: fn(usize, i64) -> Option<RawDocumentBuf>, sequence: usize, number: i64) -> Result<Vec<u8>> {
    render(sequence, number).map(RawDocumentBuf::into_bytes).ok_or_else(|| no_fit(&[Some(number)]))
}

/// A type with a `SequenceValue` of its own may serialize to anything, but only a number can be found again in the data.
fn check_number(definition: &Definition, number: i64, rendered: &[u8]) -> Result<()> {
    let value = rendered_value(rendered);
    let stored = match ElementType::from(rendered[4]) {
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

fn rendered_value(rendered: &[u8]) -> &[u8] {
    &rendered[RENDERED_VALUE..rendered.len() - 1]
}
