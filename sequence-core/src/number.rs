//! What a counter document holds, read as a number.

use mongodb::bson::Bson;

/// A whole number found in a counter document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: i64,
    /// Counters made in the old shell are Doubles, and `$inc` keeps them so.
    pub(crate) double: bool,
}

impl Number {
    /// The sum as the server makes it, if it is exact.
    pub(crate) fn plus(self, by: i64) -> Option<i64> {
        let sum = self.value.checked_add(by)?;
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "this is what is asked")]
        let is_exact = !self.double || is_double(by) && (self.value as f64 + by as f64) as i128 == i128::from(sum);
        is_exact.then_some(sum)
    }
}

/// Whether a Double can hold it.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "this is what is asked")]
pub(crate) fn is_double(number: i64) -> bool {
    number as f64 as i128 == i128::from(number)
}

/// Reads a counter's value, or says what is there instead.
pub(crate) fn decode(found: Option<&Bson>) -> Result<Number, String> {
    match found {
        Some(Bson::Int32(value)) => Ok(Number { value: i64::from(*value), double: false }),
        Some(Bson::Int64(value)) => Ok(Number { value: *value, double: false }),
        Some(Bson::Double(double)) => match whole(*double) {
            Some(value) => Ok(Number { value, double: true }),
            None => Err(format!("Double {double}")),
        },
        Some(other) => Err(describe(other)),
        None => Err("nothing".to_owned()),
    }
}

fn whole(double: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    if double.fract() != 0.0 || !(-LIMIT..LIMIT).contains(&double) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "a whole number in the range of i64")]
    Some(double as i64)
}

/// The type and, as far as it is short, the value.
fn describe(value: &Bson) -> String {
    let text = value.to_string();
    let kind = value.element_type();
    if text.chars().count() > 60 { format!("{kind:?}") } else { format!("{kind:?} {text}") }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::{Bson, doc};

    use super::{Number, decode};

    /// From here on a Double cannot tell a number from the next one.
    const DOUBLE_LIMIT: i64 = 1 << 53;

    #[test]
    fn whole_numbers_of_three_types_are_read() {
        let read = |value: Bson| decode(Some(&value)).map(|number| (number.value, number.double));
        assert_eq!(read(Bson::Int32(-7)), Ok((-7, false)));
        assert_eq!(read(Bson::Int64(i64::MAX)), Ok((i64::MAX, false)));
        assert_eq!(read(Bson::Double(41.0)), Ok((41, true)));
        assert_eq!(read(Bson::Double(9_007_199_254_740_992.0)), Ok((DOUBLE_LIMIT, true)));
        assert_eq!(read(Bson::Double(-9_223_372_036_854_775_808.0)), Ok((i64::MIN, true)));
    }

    #[test]
    fn a_double_is_counted_on_as_far_as_it_is_exact() {
        let plus = |value, double, by| Number { value, double }.plus(by);
        assert_eq!(plus(DOUBLE_LIMIT - 1, true, 1), Some(DOUBLE_LIMIT));
        assert_eq!(plus(DOUBLE_LIMIT - 1, true, 2), None);
        assert_eq!(plus(DOUBLE_LIMIT, true, 1), None);
        assert_eq!(plus(DOUBLE_LIMIT, true, 10), Some(DOUBLE_LIMIT + 10));
        assert_eq!(plus(1 - DOUBLE_LIMIT, true, -2), None);
        assert_eq!(plus(DOUBLE_LIMIT, false, 1), Some(DOUBLE_LIMIT + 1));
        assert_eq!(plus(1, false, i64::MAX), None);
        assert_eq!(plus(0, true, i64::MAX), None);
        assert_eq!(plus(1, true, DOUBLE_LIMIT + 1), None);
        assert_eq!(plus(1, true, DOUBLE_LIMIT + 3), None);
    }

    #[test]
    fn everything_else_is_described() {
        let found = |value: Bson| decode(Some(&value)).map(|Number { value, .. }| value).unwrap_err();
        assert_eq!(found(Bson::Double(41.5)), "Double 41.5");
        assert_eq!(found(Bson::Double(f64::NAN)), "Double NaN");
        assert_eq!(found(Bson::Double(f64::NEG_INFINITY)), "Double -inf");
        assert_eq!(found(Bson::Double(9_223_372_036_854_775_808.0)), "Double 9223372036854776000");
        assert_eq!(found(Bson::String("5".into())), "String \"5\"");
        assert_eq!(found(Bson::Null), "Null null");
        assert_eq!(found(Bson::Document(doc! { "a": "x".repeat(100) })), "EmbeddedDocument");
        assert_eq!(decode(None).unwrap_err(), "nothing");
    }
}
