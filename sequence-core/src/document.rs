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

/// Serializes a model before any number is taken, so that what cannot be stored costs none.
///
/// The template stands for its document unless probes with three sets of numbers show that other bytes follow from the
/// numbers too (a slug, a checksum). Probes can overlook such bytes, so whoever has the model compares.
pub(crate) fn draft<T: AutoIncrement>(model: &mut T) -> Result<Option<Template>> {
    let [first, others @ ..] = probes(T::SEQUENCES);
    let document = serialize_with(model, &first)?;
    let template = Template::new::<T>(&document, &first)?;
    check_size(&document)?;
    for numbers in &others {
        if template.numbered(numbers)?.as_bytes() != serialize_with(model, numbers)?.as_bytes() {
            return Ok(None);
        }
    }
    Ok(Some(template))
}

/// The document of the model with these numbers, exactly as the driver would store it. The model is as before
/// afterwards.
pub(crate) fn numbered<T: AutoIncrement>(model: &mut T, numbers: &[i64]) -> Result<RawDocumentBuf> {
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

/// How far the third probe lies behind the first: far enough for what depends on the size of a number, not so far that
/// sums of the user's own `Serialize` overflow.
const FAR: i64 = 1_000_003;

/// Numbers that the sequences could hand out: the first, its neighbour, one far away; different as far as there are so
/// many.
fn probes(definitions: &[Definition]) -> [Vec<i64>; 3] {
    [0, 1, FAR].map(|steps| {
        let probe = |definition: &Definition| {
            let allowed = definition.min..=definition.max;
            let (start, distance) = (definition.start, definition.step.checked_mul(steps));
            let both = distance.map(|distance| [start.checked_add(distance), start.checked_sub(distance)]);
            both.into_iter().flatten().flatten().find(|number| allowed.contains(number)).unwrap_or(start)
        };
        definitions.iter().map(probe).collect()
    })
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
