//! What MongoDB accepts as a name, and which names must differ.

use std::collections::HashSet;

use syn::LitStr;

use crate::{ast::Input, attr::Slot, ctxt::Ctxt};

pub(super) fn check(cx: &Ctxt, input: &Input<'_>) {
    check_counters(cx, &input.keys.counters);
    check_value_field(cx, &input.keys.value_field);
    for number in input.numbers() {
        check_sequence_name(cx, &number.keys.name);
    }
    check_stored_names(cx, input);
    check_names_differ(cx, input);
}

/// The counters live in a collection of the user's: `$` and `system.` are the server's.
fn check_counters(cx: &Ctxt, counters: &Slot<LitStr>) {
    check_name(cx, counters, |name| {
        if name.starts_with("system.") {
            Some("begins with `system.`, which MongoDB keeps for itself; expected the name of a collection of yours")
        } else if name.contains('$') {
            Some("contains `$`, which no collection name may; expected a name such as `sequences`")
        } else {
            None
        }
    });
}

/// The value is a top-level field of the counter document and is incremented, which `_id` cannot be.
fn check_value_field(cx: &Ctxt, value_field: &Slot<LitStr>) {
    check_name(cx, value_field, |name| {
        if name == "_id" {
            Some("is `_id`, which holds the name of the sequence; expected another field, such as `seq`")
        } else {
            unsafe_field_name(name)
        }
    });
}

/// The name is the `_id` of the counter document, so almost any string will do.
fn check_sequence_name(cx: &Ctxt, name: &Slot<LitStr>) {
    check_name(cx, name, |_| None);
}

/// An update reads `.` as a path and `$` as an operator, so a numbered field stored under such a name is not found again.
fn check_stored_names(cx: &Ctxt, input: &Input<'_>) {
    for number in input.numbers() {
        let name = number.field.stored_name.as_str();
        let wrong = if name.is_empty() {
            Some("is empty; expected a field name")
        } else if name.contains('\0') {
            Some("contains a NUL character, which BSON does not allow")
        } else {
            unsafe_field_name(name)
        };
        if let Some(wrong) = wrong {
            let field = number.field.ident;
            cx.error_at(number.field.stored_name_span, format!("the name under which `{field}` is stored {wrong}"));
        }
    }
}

/// Two fields of one model cannot share a sequence, nor a place in the document.
fn check_names_differ(cx: &Ctxt, input: &Input<'_>) {
    let (mut names, mut stored) = (HashSet::new(), HashSet::new());
    for number in input.numbers() {
        if let Some(name) = number.keys.name.value()
            && !names.insert(name.value())
        {
            let shown = name.value();
            cx.error(name, format!("another field has the sequence `{shown}` already; expected a name of its own"));
        }
        if !stored.insert(&number.field.stored_name) {
            let shown = &number.field.stored_name;
            let message = format!("another numbered field is stored as `{shown}` already; expected a name of its own");
            cx.error_at(number.field.stored_name_span, message);
        }
    }
}

/// No name is empty or contains a NUL; `special` is what else is wrong with this one.
fn check_name(cx: &Ctxt, slot: &Slot<LitStr>, special: impl Fn(&str) -> Option<&'static str>) {
    let Some((key, literal)) = slot.get() else { return };
    let name = literal.value();
    let wrong = if name.is_empty() {
        Some("is empty; expected a name, or leave the key out")
    } else if name.contains('\0') {
        Some("contains a NUL character, which MongoDB does not allow in names")
    } else {
        special(&name)
    };
    if let Some(wrong) = wrong {
        cx.error(literal, format!("`{key}` {wrong}"));
    }
}

pub(super) fn unsafe_field_name(name: &str) -> Option<&'static str> {
    if name.starts_with('$') {
        Some("begins with `$`, which MongoDB reads as an operator; expected a name without")
    } else if name.contains('.') {
        Some("contains a dot, which MongoDB reads as a path into a subdocument; expected a top-level field")
    } else {
        None
    }
}
