//! What a numbered field may hold.

use std::num::NonZero;

/// A field type that can hold a sequence number.
///
/// Implemented for `i32`, `i64`, `u32` and `u64`, for [`NonZero`] of them, which then begin at 1, and for `Option` of any
/// of these, which are numbered whether they hold something or not. [`MIN`](Self::MIN) and [`MAX`](Self::MAX) bound what a sequence hands
/// out for such a field: a number that would not fit is refused by the server's own filter, before anything is written.
///
/// ```
/// # use sequence_core as mongo_sequence;
/// use mongo_sequence::SequenceValue;
///
/// assert_eq!(u32::from_number(42), Some(42));
/// assert_eq!(u32::from_number(-1), None);
/// assert_eq!(Option::<u32>::from_number(42), Some(Some(42)));
/// assert_eq!(<u64 as SequenceValue>::MAX, i64::MAX); // BSON has no unsigned 64-bit integer
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a sequence number",
    label = "expected `i32`, `i64`, `u32`, `u64`, a `NonZero` or `Option` of them, or a type with `#[derive(SequenceValue)]`",
    note = "for a text such as `INV-000042` use `#[auto_increment(format = path)]`",
    note = "a counter is a signed 64-bit integer in MongoDB; choose the field type that has room for the numbers you need"
)]
pub trait SequenceValue: serde::Serialize + Sized {
    /// The smallest number this type can hold.
    const MIN: i64;
    /// The largest number this type can hold.
    const MAX: i64;

    /// The value that stands for `number`, or `None` outside [`MIN`](Self::MIN)`..=`[`MAX`](Self::MAX).
    fn from_number(number: i64) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ty: $min:expr, $max:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl SequenceValue for $integer {
            const MIN: i64 = $min;
            const MAX: i64 = $max;

            fn from_number(number: i64) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }

        // Without the negative numbers: a sequence that goes through 0 would have no value there.
        #[diagnostic::do_not_recommend]
        impl SequenceValue for NonZero<$integer> {
            const MIN: i64 = 1;
            const MAX: i64 = $max;

            fn from_number(number: i64) -> Option<Self> {
                <$integer>::try_from(number).ok().filter(|&number| number > 0).and_then(Self::new)
            }
        }
    )* };
}

integers! {
    i32: i32::MIN as i64, i32::MAX as i64;
    i64: i64::MIN, i64::MAX;
    u32: 0, u32::MAX as i64;
    u64: 0, i64::MAX;
}

#[diagnostic::do_not_recommend]
impl<V: SequenceValue> SequenceValue for Option<V> {
    const MIN: i64 = V::MIN;
    const MAX: i64 = V::MAX;

    fn from_number(number: i64) -> Option<Self> {
        V::from_number(number).map(Some)
    }
}

/// What a field that is numbered `by_default` is: something, which is kept, or nothing.
///
/// Not public API: generated code asks for it.
#[diagnostic::on_unimplemented(
    message = "`by_default` needs an `Option` of a number, found `{Self}`",
    label = "expected `Option<{Self}>`: `Some` is kept, `None` is numbered",
    note = "a field of another type always holds a number, so there would be nothing to number"
)]
pub trait ByDefault: SequenceValue {}

#[diagnostic::do_not_recommend]
impl<V: SequenceValue> ByDefault for Option<V> {}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::SequenceValue;

    fn ends<V: SequenceValue>() -> (bool, bool, bool, bool) {
        let fits = |number: Option<i64>| number.and_then(V::from_number).is_some();
        (fits(V::MIN.checked_sub(1)), fits(Some(V::MIN)), fits(Some(V::MAX)), fits(V::MAX.checked_add(1)))
    }

    #[test]
    fn every_type_holds_what_it_says_and_no_more() {
        let all = [
            ends::<i32>(),
            ends::<i64>(),
            ends::<u32>(),
            ends::<u64>(),
            ends::<NonZero<i32>>(),
            ends::<NonZero<i64>>(),
            ends::<NonZero<u32>>(),
            ends::<NonZero<u64>>(),
            ends::<Option<i32>>(),
            ends::<Option<NonZero<u32>>>(),
        ];
        assert_eq!(all, [(false, true, true, false); 10]);
    }
}
