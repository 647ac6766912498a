//! What a scope may consist of.

use std::collections::HashSet;

use syn::{GenericArgument, PathArguments, Type, TypePath, ext::IdentExt};

use super::names::unsafe_field_name;
use crate::{
    ast::{Field, Input, Number},
    ctxt::{Ctxt, closest},
};

/// Where the name of the sequence stands in the key of a scoped counter.
const NAME: &str = "seq";

pub(super) fn check(cx: &Ctxt, input: &Input<'_>) {
    for number in input.numbers() {
        let Some((key, names)) = number.keys.scope.get() else { continue };
        if number.field.stored_name == "_id" {
            cx.error(
                key,
                "`_id` is unique in the whole collection, so it cannot be numbered anew in every scope; number another \
                 field, and make it unique with the scope",
            );
        }
        let mut seen = HashSet::new();
        for name in &names.0 {
            if !seen.insert(name.unraw()) {
                cx.error(name, format!("`{name}` is in the scope already; remove one of the two"));
            } else if let Some(wrong) = match input.field(name) {
                Some(field) => wrong_field(field),
                None => Some(no_field(input, number, &name.unraw().to_string())),
            } {
                cx.error(name, wrong);
            }
        }
    }
}

/// A scope is cut out of the document, under the names that the fields have there.
fn wrong_field(field: &Field<'_>) -> Option<String> {
    let (name, stored) = (field.ident, field.stored_name.as_str());
    if let Some(absent) = &field.absent {
        Some(format!("`{name}` is not stored under a name of its own, as `{absent}` says; name a field that is"))
    } else if field.keys.is_some() {
        Some(format!("`{name}` is numbered itself, so every document would be a scope of its own; name another field"))
    } else if let Some(what) = unusable(field.ty).filter(|_| !field.converted) {
        Some(format!(
            "`{name}` is {what}, by which sequences cannot be told apart; expected a string, a whole number, a boolean, an \
             `ObjectId`, a UUID, a date, or an `Option` or newtype of these"
        ))
    } else if stored == "_id" {
        Some(format!("`{name}` is stored as `_id`, so every document would be a scope of its own; name another field"))
    } else if stored == NAME {
        Some(format!(
            "`{name}` is stored as `{NAME}`, where the counter keeps the name of its sequence; store it under another \
             name with `#[serde(rename = \"..\")]`"
        ))
    } else if stored.is_empty() || stored.contains('\0') {
        Some(format!("the name under which `{name}` is stored is empty or contains a NUL character"))
    } else {
        unsafe_field_name(stored).map(|wrong| format!("the name under which `{name}` is stored {wrong}"))
    }
}

/// What a type is that is certain not to do: the value of any other is looked at when it is stored.
fn unusable(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Array(_) | Type::Slice(_) => Some("an array"),
        Type::Tuple(_) => Some("a tuple"),
        Type::Reference(reference) => unusable(&reference.elem),
        Type::Group(group) => unusable(&group.elem),
        Type::Paren(paren) => unusable(&paren.elem),
        Type::Path(TypePath { qself: None, path, .. }) => {
            let last = path.segments.last()?;
            if last.ident == "f32" || last.ident == "f64" {
                return Some("a floating-point number");
            }
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(arguments) if last.ident == "Option" => arguments.args.first()?,
                _ => return (last.ident == "Vec").then_some("an array"),
            };
            match inner {
                GenericArgument::Type(inner) => unusable(inner),
                _ => None,
            }
        }
        _ => None,
    }
}

fn no_field(input: &Input<'_>, number: Number<'_>, name: &str) -> String {
    let usable = input.fields.iter().flatten().filter(|field| wrong_field(field).is_none());
    let usable: Vec<String> = usable.map(Field::name).collect();
    let candidates: Vec<&str> = usable.iter().map(String::as_str).collect();
    match closest(name, &candidates) {
        Some(meant) => format!("the struct has no field `{name}`, did you mean `{meant}`?"),
        None if candidates.is_empty() => {
            format!("the struct has no field `{name}`; the scope of `{}` is made of other fields", number.field.ident)
        }
        None => format!("the struct has no field `{name}`; expected one of `{}`", candidates.join("`, `")),
    }
}
