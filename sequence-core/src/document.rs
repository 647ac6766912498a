//! Serialize once, before any number is taken; write the numbers into the bytes afterwards.
//!
//! What can fail on the client's side fails before a counter is touched.

mod element;
mod raw;
mod scope;
mod template;
mod verbatim;

use mongodb::bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf, oid::ObjectId, spec::ElementType};

pub(crate) use self::{raw::serialize, scope::value as scope_value, template::Template, verbatim::Verbatim};
use crate::{AutoIncrement, Definition, Error, ErrorKind, Result};

/// The largest document that MongoDB stores (`maxBsonObjectSize` of every server since 1.8).
const MAX_DOCUMENT_SIZE: usize = 16 * 1024 * 1024;
/// What the driver puts in front of a document without `_id`: type, name and `ObjectId`.
pub(crate) const GENERATED_ID_SIZE: usize = 1 + 4 + 12;

/// What is known of a model's document before it is numbered.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The document without its numbers, if it was asked for and probes do not show that other bytes follow from them too
    /// (a slug, a checksum). Probes can overlook such bytes, so whoever has the model serializes it again instead.
    pub(crate) template: Option<Template>,
    /// The numbers that the model brings along, by sequence.
    pub(crate) own: Vec<Option<i64>>,
    /// The values of the scope fields, by sequence.
    pub(crate) scopes: Vec<Document>,
}

/// Serializes a model before any number is taken, so that what cannot be stored costs none.
pub(crate) fn draft<T: AutoIncrement>(model: &mut T, with_template: bool) -> Result<Draft> {
    let own = own_numbers(model)?;
    let [first, others @ ..] = probes(T::SEQUENCES, &own);
    let document = serialize_with(model, &first)?;
    template::check::<T>(&document, &first)?;
    check_size(&document)?;
    let scopes = scope::of(T::SEQUENCES, &document)?;
    let mut template = if with_template { Some(Template::new::<T>(&document, &first)?) } else { None };
    if with_template || scopes.iter().any(|scope| !scope.is_empty()) {
        for numbers in &others {
            let probe = serialize_with(model, numbers)?;
            scope::check::<T>(&probe, &scopes)?;
            if let Some(same) = &template
                && same.numbered(numbers)?.as_bytes() != probe.as_bytes()
            {
                template = None;
            }
        }
    }
    Ok(Draft { template, own, scopes })
}

/// The document of the model with these numbers, exactly as the driver would store it. The model is as before
/// afterwards.
pub(crate) fn numbered<T: AutoIncrement>(
    model: &mut T,
    draft: &Draft,
    numbers: &[Option<i64>],
) -> Result<RawDocumentBuf> {
    let document = serialize_with(model, numbers)?;
    template::check::<T>(&document, numbers)?;
    check_size(&document)?;
    scope::check::<T>(&document, &draft.scopes)?;
    Ok(document)
}

/// The document with an `_id`, as the driver adds one, and the `_id`.
pub(crate) fn with_id(document: RawDocumentBuf) -> Result<(RawDocumentBuf, Bson)> {
    if let Some(id) = element::value(&document, "_id")?.map(element::owned).transpose()? {
        return Ok((document, id));
    }
    let generated = ObjectId::new();
    let mut bytes = document.into_bytes();
    let element = [ElementType::ObjectId as u8].into_iter().chain(*b"_id\0").chain(generated.bytes());
    bytes.splice(4..4, element);
    Ok((template::finished(bytes)?, generated.into()))
}

/// The numbers of `by_default` fields that are not empty, read where everything is read: in the document.
fn own_numbers<T: AutoIncrement>(model: &mut T) -> Result<Vec<Option<i64>>> {
    let mut own = vec![None; T::SEQUENCES.len()];
    if T::SEQUENCES.iter().all(|definition| !definition.by_default) {
        return Ok(own);
    }
    let as_given: Vec<_> = T::SEQUENCES.iter().map(|own| (!own.by_default).then_some(own.start)).collect();
    let document = serialize_with(model, &as_given)?;
    for (own, definition) in own.iter_mut().zip(T::SEQUENCES).filter(|(_, definition)| definition.by_default) {
        *own = match element::value(&document, definition.stored_field)? {
            Some(RawBsonRef::Int32(number)) => Some(number.into()),
            Some(RawBsonRef::Int64(number)) => Some(number),
            None | Some(RawBsonRef::Null) => None,
            Some(other) => {
                return Err(serialization(format!(
                    "the field `{}`, numbered by default, is stored as {:?}; expected an Int32, an Int64 or null",
                    definition.rust_field,
                    other.element_type()
                )));
            }
        };
    }
    Ok(own)
}

/// How far the third probe lies behind the first: far enough for what depends on the size of a number, not so far that
/// sums of the user's own `Serialize` overflow.
const FAR: i64 = 1_000_003;

/// Numbers that the sequences could hand out: the first, its neighbour, one far away; different as far as there are so
/// many. None for what has a number. A `format` is asked for small numbers only, since it may be made for no others.
fn probes(definitions: &[Definition], own: &[Option<i64>]) -> [Vec<Option<i64>>; 3] {
    [0, 1, FAR].map(|steps| {
        let probe = |definition: &Definition| {
            let allowed = definition.min..=definition.max;
            let steps = if definition.formatted { steps.min(2) } else { steps };
            let (start, distance) = (definition.start, definition.step.checked_mul(steps));
            let both = distance.map(|distance| [start.checked_add(distance), start.checked_sub(distance)]);
            both.into_iter().flatten().flatten().find(|number| allowed.contains(number)).unwrap_or(start)
        };
        definitions.iter().zip(own).map(|(definition, own)| own.is_none().then(|| probe(definition))).collect()
    })
}

fn serialize_with<T: AutoIncrement>(model: &mut T, numbers: &[Option<i64>]) -> Result<RawDocumentBuf> {
    let mut serialized = None;
    let fits = model.__with(numbers, &mut |model| {
        serialized = Some(serialize(model));
        false
    });
    match (fits, serialized) {
        (Some(()), Some(Ok(document))) => Ok(document),
        (Some(()), Some(Err(error))) => Err(serialization(format!("the model cannot be serialized: {error}"))),
        _ => Err(no_fit(numbers)),
    }
}

fn check_size(document: &RawDocument) -> Result<()> {
    let generated_id = if element::place(document, "_id")?.is_some() { 0 } else { GENERATED_ID_SIZE };
    let size = document.as_bytes().len() + generated_id;
    if size > MAX_DOCUMENT_SIZE { Err(too_large(size)) } else { Ok(()) }
}

fn too_large(size: usize) -> Error {
    Error::new(ErrorKind::DocumentTooLarge { size, limit: MAX_DOCUMENT_SIZE })
}

pub(crate) fn serialization(message: String) -> Error {
    Error::new(ErrorKind::Serialization { message })
}

fn no_fit(numbers: &[Option<i64>]) -> Error {
    let numbers: Vec<_> = numbers.iter().flatten().collect();
    serialization(format!(
        "the numbers {numbers:?} do not fit the fields of the model, although they lie between `MIN` and `MAX` of their \
         types; look at the implementations of `SequenceValue`"
    ))
}
