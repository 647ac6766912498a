//! What the attributes of a struct must mean together: one function for each rule.

mod names;
mod scope;

use std::cmp::Ordering;

use crate::{
    ast::{Input, Number},
    attr::{FieldKeys, Int},
    ctxt::Ctxt,
};

pub(crate) fn check(cx: &Ctxt, input: &Input<'_>) {
    check_marked(cx, input);
    for number in input.numbers() {
        check_stored(cx, number);
        check_step(cx, number);
        check_shared(cx, number);
        check_by_default(cx, number);
        if check_limits(cx, number) {
            check_start(cx, number);
        }
    }
    scope::check(cx, input);
    names::check(cx, input);
}

/// A model has a numbered field; the derive on one without is a forgotten attribute.
fn check_marked(cx: &Ctxt, input: &Input<'_>) {
    if input.fields.is_some() && input.numbers().next().is_none() {
        cx.error(input.ident, "no field is numbered; mark the field that holds the number with `#[auto_increment]`");
    }
}

/// A number is stored in a field of its own: it may not be left out, and a flattened field has no name to find it by.
fn check_stored(cx: &Ctxt, number: Number<'_>) {
    if let Some(absent) = &number.field.absent {
        let why = if absent == "flatten" { "stored without a name of its own" } else { "not stored" };
        cx.error(
            absent,
            format!(
                "`{}` is numbered, but `{absent}` says that it is {why}; remove `{absent}` or `#[auto_increment]`",
                number.field.ident
            ),
        );
    }
}

/// With a distance of 0 there would be one number only.
fn check_step(cx: &Ctxt, number: Number<'_>) {
    if let Some(step @ Int { literal: Some(0), .. }) = number.keys.step.value() {
        cx.error(
            step,
            "`step` is 0, so every document would get the same number; expected a distance such as `1` or `-1`",
        );
    }
}

/// Models share a sequence by its name.
fn check_shared(cx: &Ctxt, number: Number<'_>) {
    let FieldKeys { shared, name, .. } = number.keys;
    if let (Some((key, _)), false) = (shared.get(), name.is_given()) {
        cx.error(key, "`shared` needs the name by which the models share the sequence; add `name = \"..\"`");
    }
}

/// A number that a document brings along may leave a gap, and cannot be read back from what a `format` made of it.
fn check_by_default(cx: &Ctxt, number: Number<'_>) {
    let FieldKeys { by_default, gapless, format, .. } = number.keys;
    let Some((key, _)) = by_default.get() else { return };
    if gapless.is_given() {
        cx.error(
            key,
            "`by_default` keeps numbers that are given by hand, so `gapless` cannot be promised; remove one of the two",
        );
    }
    if format.is_given() {
        cx.error(
            key,
            "`by_default` raises the counter to numbers that are given by hand, and `format` cannot be turned back into \
             numbers; remove one of the two",
        );
    }
}

/// There is a number between the limits. As in the next rule, only what is written out can be compared here; the rest
/// is the compiler's.
fn check_limits(cx: &Ctxt, number: Number<'_>) -> bool {
    let FieldKeys { min, max, .. } = number.keys;
    match (min.value(), max.value()) {
        (Some(at @ Int { literal: Some(min), .. }), Some(Int { literal: Some(max), .. })) if min > max => {
            cx.error(at, format!("`min` is {min}, above `max`, which is {max}; exchange the two"));
            false
        }
        _ => true,
    }
}

/// The first number, which is 1 unless given, lies between the limits.
fn check_start(cx: &Ctxt, number: Number<'_>) {
    let FieldKeys { start, min, max, .. } = number.keys;
    let first = if start.is_given() { start.value().and_then(|start| start.literal) } else { Some(1) };
    let Some(first) = first else { return };
    for (limit, wrong, beyond) in [(max, Ordering::Greater, "above `max`"), (min, Ordering::Less, "below `min`")] {
        let Some(limit_at @ Int { literal: Some(limit), .. }) = limit.value() else { continue };
        if first.cmp(limit) != wrong {
            continue;
        }
        if let Some(start) = start.value() {
            cx.error(start, format!("`start` is {first}, {beyond}, which is {limit}; choose one within the limits"));
        } else {
            let advice = format!("add `start = {limit}`");
            cx.error(
                limit_at,
                format!("without `start` the first number is {first}, {beyond}, which is {limit}; {advice}"),
            );
        }
    }
}
