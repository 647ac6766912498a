//! What the attributes of a struct must mean together: one function for each rule.

mod names;

use quote::ToTokens;

use crate::{
    ast::{Input, Number},
    attr::{Int, Slot},
    ctxt::Ctxt,
};

pub(crate) fn check(cx: &Ctxt, input: &Input<'_>) {
    check_marked(cx, input);
    for number in input.numbers() {
        check_stored(cx, number);
        check_step(cx, number);
        check_range(cx, number);
    }
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
    if let Some((_, step @ Int { literal: Some(0), .. })) = number.keys.step.get() {
        cx.error(
            step,
            "`step` is 0, so every document would get the same number; expected a distance such as `1` or `-1`",
        );
    }
}

/// The first number, which is 1 unless given, lies between the limits. Only what is written out can be compared here,
/// the rest is the compiler's.
fn check_range(cx: &Ctxt, number: Number<'_>) {
    let keys = number.keys;
    let (min, max) = (written(&keys.min), written(&keys.max));
    if let (Some((min_at, min)), Some((_, max))) = (min, max)
        && min > max
    {
        return cx.error(min_at, format!("`min` is {min}, above `max`, which is {max}; exchange the two"));
    }
    let start = match written(&keys.start) {
        Some((at, start)) => (Some(at), start),
        None if keys.start.is_given() => return,
        None => (None, 1),
    };
    let above = max.filter(|(_, max)| start.1 > *max).map(|(at, max)| (at, "above `max`", max));
    let below = min.filter(|(_, min)| start.1 < *min).map(|(at, min)| (at, "below `min`", min));
    match (start, above.or(below)) {
        (_, None) => {}
        ((Some(at), start), Some((_, side, limit))) => {
            cx.error(at, format!("`start` is {start}, {side}, which is {limit}; expected a number within the limits"));
        }
        ((None, start), Some((at, side, limit))) => cx.error(
            at,
            format!("without `start` the first number is {start}, {side}, which is {limit}; add `start = {limit}`"),
        ),
    }
}

/// The number of a key, if it is a literal, and where it is written.
fn written(slot: &Slot<Int>) -> Option<(&dyn ToTokens, i64)> {
    let int = slot.value()?;
    Some((int, int.literal?))
}
