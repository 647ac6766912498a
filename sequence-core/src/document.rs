//! Serialize once, before any number is taken; write the numbers into the bytes afterwards.
//!
//! What can fail on the client's side fails before the counter is touched, and the bytes need neither the model nor its
//! type any more: a task of the library's own can number, insert and repeat them.

mod raw;

use std::ops::Range;

use mongodb::bson::{RawDocument, RawDocumentBuf, spec::ElementType};
use serde::Serialize;

use crate::{AutoIncrement, Definition, Error, ErrorKind, Result};

/// The largest document that MongoDB stores (`maxBsonObjectSize` of every server since 1.8).
const MAX_DOCUMENT_SIZE: usize = 16 * 1024 * 1024;
/// What the driver puts in front of a document without `_id`: type, name and `ObjectId`.
const GENERATED_ID_SIZE: usize = 1 + 4 + 12;
/// Where the value begins in `{"": value}`: behind the length, the type and the empty name.
const RENDERED_VALUE: usize = 4 + 1 + 1;

/// `{"": value}`, the stored form of a number. `None` if it cannot be serialized.
#[must_use]
pub fn render<V: Serialize>(value: V) -> Option<RawDocumentBuf> {
    #[derive(Serialize)]
    struct Rendered<V> {
        #[serde(rename = "")]
        value: V,
    }
    raw::serialize(&Rendered { value }).ok()
}

/// A model on its way into the database.
#[derive(Debug)]
pub(crate) enum Draft {
    /// Its bytes depend on the numbers in the number fields only.
    Template(Template),
    /// Something else in it follows from the numbers (a slug, a checksum): it is serialized after numbering.
    Dependent,
}

impl Draft {
    /// Serializes with two different sets of numbers, which tells whether other bytes depend on them.
    pub(crate) fn new<T: AutoIncrement>(model: &mut T) -> Result<Self> {
        let (first, second) = probes(T::SEQUENCES);
        let document = serialize_with(model, &first)?;
        let template = Template::new::<T>(&document, &first)?;
        check_size(&document)?;
        let independent = template.numbered(&second)?.as_bytes() == serialize_with(model, &second)?.as_bytes();
        Ok(if independent { Self::Template(template) } else { Self::Dependent })
    }

    /// The document with these numbers. The model is as before afterwards.
    pub(crate) fn document<T: AutoIncrement>(&self, model: &mut T, numbers: &[i64]) -> Result<RawDocumentBuf> {
        match self {
            Self::Template(template) => template.numbered(numbers),
            Self::Dependent => serialize_numbered(model, numbers),
        }
    }
}

/// Serializes after numbering, with the checks that a template has passed before.
pub(crate) fn serialize_numbered<T: AutoIncrement>(model: &mut T, numbers: &[i64]) -> Result<RawDocumentBuf> {
    let document = serialize_with(model, numbers)?;
    Template::new::<T>(&document, numbers)?;
    check_size(&document)?;
    Ok(document)
}

/// The bytes of a document and the places of its numbers. Free of the model's type.
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
    fn new<T: AutoIncrement>(document: &RawDocument, numbers: &[i64]) -> Result<Self> {
        let bytes = document.as_bytes().to_vec();
        let mut slots = Vec::with_capacity(numbers.len());
        for (sequence, (definition, number)) in T::SEQUENCES.iter().zip(numbers).enumerate() {
            let name = definition.stored_field;
            let element = find(document, name)?.ok_or_else(|| {
                serialization(format!(
                    "the numbered field `{}` is not stored as `{name}`; every numbered field must be serialized, under \
                     the name that serde's `rename` gives it",
                    definition.rust_field
                ))
            })?;
            let slot = Slot { sequence, name, element };
            let rendered = rendered(T::__render, sequence, *number)?;
            check_number(definition, *number, &rendered)?;
            if (bytes[slot.element.start], &bytes[slot.value()]) != (rendered[4], rendered_value(&rendered)) {
                return Err(serialization(format!(
                    "the numbered field `{}` is not stored as the number that it holds; remove the serde attribute that \
                     changes it",
                    definition.rust_field
                )));
            }
            slots.push(slot);
        }
        slots.sort_by_key(|slot| slot.element.start);
        Ok(Self { bytes, slots, render: T::__render })
    }

    /// The document with these numbers, one for each sequence of the model.
    pub(crate) fn numbered(&self, numbers: &[i64]) -> Result<RawDocumentBuf> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut copied = 0;
        for slot in &self.slots {
            let number = numbers.get(slot.sequence).copied().unwrap_or_default();
            let rendered = rendered(self.render, slot.sequence, number)?;
            bytes.extend_from_slice(&self.bytes[copied..slot.element.start]);
            bytes.push(rendered[4]);
            bytes.extend_from_slice(&self.bytes[slot.element.start + 1..slot.value().start]);
            bytes.extend_from_slice(rendered_value(&rendered));
            copied = slot.element.end;
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
        let length = i32::try_from(bytes.len()).map_err(|_| too_large(bytes.len()))?;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        RawDocumentBuf::from_bytes(bytes).map_err(|error| serialization(error.to_string()))
    }
}

/// Two sets of numbers that the sequences could hand out, different wherever a sequence has two numbers.
fn probes(definitions: &[Definition]) -> (Vec<i64>, Vec<i64>) {
    let first = definitions.iter().map(|definition| definition.start);
    let second = definitions.iter().map(|definition| {
        let (start, step) = (definition.start, definition.step);
        let neighbours = [start.checked_add(step), start.checked_sub(step)];
        let allowed = definition.min..=definition.max;
        neighbours.into_iter().flatten().find(|number| allowed.contains(number)).unwrap_or(start)
    });
    (first.collect(), second.collect())
}

fn serialize_with<T: AutoIncrement>(model: &mut T, numbers: &[i64]) -> Result<RawDocumentBuf> {
    let mut serialized = None;
    let fits = model.__with(numbers, &mut |model| serialized = Some(raw::serialize(model)));
    match (fits, serialized) {
        (Some(()), Some(Ok(document))) => Ok(document),
        (Some(()), Some(Err(error))) => Err(serialization(format!("the model cannot be serialized: {error}"))),
        _ => Err(no_fit(numbers)),
    }
}

/// Where the top-level element of this name stands: from its type byte to the end of its value.
///
/// bson tells names and values but not where they stand; a name borrows from the bytes of the document, so its address
/// does. An element ends where the type byte of the next one, or the final NUL of the document, begins.
fn find(document: &RawDocument, name: &str) -> Result<Option<Range<usize>>> {
    let bytes = document.as_bytes();
    let mut found = None;
    for element in document {
        let (key, _) = element.map_err(|error| serialization(error.to_string()))?;
        #[allow(clippy::useless_asref, reason = "`&str` in bson 2, `&CStr` in bson 3")]
        let key: &str = key.as_ref();
        let start = key.as_ptr().addr() - bytes.as_ptr().addr() - 1;
        match found {
            Some(found) => return Ok(Some(found..start)),
            None if key == name => found = Some(start),
            None => {}
        }
    }
    Ok(found.map(|found| found..bytes.len() - 1))
}

fn rendered(render: fn(usize, i64) -> Option<RawDocumentBuf>, sequence: usize, number: i64) -> Result<Vec<u8>> {
    render(sequence, number).map(RawDocumentBuf::into_bytes).ok_or_else(|| no_fit(&[number]))
}

/// A type with a `SequenceValue` of its own may serialize to anything, but only a number can be found again in the data.
fn check_number(definition: &Definition, number: i64, rendered: &[u8]) -> Result<()> {
    let value = rendered_value(rendered);
    let stored = match ElementType::from(rendered[4]) {
        Some(ElementType::Int32) => value.try_into().ok().map(i32::from_le_bytes).map(i64::from),
        Some(ElementType::Int64) => value.try_into().ok().map(i64::from_le_bytes),
        _ => None,
    };
    if stored == Some(number) {
        return Ok(());
    }
    Err(serialization(format!(
        "the type of the numbered field `{}` does not serialize the number {number} as an Int32 or Int64 of that value; \
         put `#[serde(transparent)]` on it, or change its `Serialize` or its `SequenceValue`",
        definition.rust_field
    )))
}

fn rendered_value(rendered: &[u8]) -> &[u8] {
    &rendered[RENDERED_VALUE..rendered.len() - 1]
}

fn check_size(document: &RawDocument) -> Result<()> {
    let generated_id = if find(document, "_id")?.is_some() { 0 } else { GENERATED_ID_SIZE };
    let size = document.as_bytes().len() + generated_id;
    if size > MAX_DOCUMENT_SIZE { Err(too_large(size)) } else { Ok(()) }
}

fn too_large(size: usize) -> Error {
    Error::new(ErrorKind::DocumentTooLarge { size, limit: MAX_DOCUMENT_SIZE })
}

fn serialization(message: String) -> Error {
    Error::new(ErrorKind::Serialization { message })
}

fn no_fit(numbers: &[i64]) -> Error {
    serialization(format!(
        "the numbers {numbers:?} do not fit the fields of the model, although they lie between `MIN` and `MAX` of their \
         types; look at the implementations of `SequenceValue`"
    ))
}
