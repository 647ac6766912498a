//! What a numbered field may hold.

/// A field type that can hold a sequence number.
///
/// Implemented for `i32`, `i64`, `u32` and `u64`. [`MIN`](Self::MIN) and [`MAX`](Self::MAX) bound what a sequence hands
/// out for such a field: a number that would not fit is refused by the server's own filter, before anything is written.
///
/// ```
/// use sequence_core::SequenceValue;
///
/// assert_eq!(u32::from_number(42), Some(42));
/// assert_eq!(u32::from_number(-1), None);
/// assert_eq!(<u64 as SequenceValue>::MAX, i64::MAX); // BSON has no unsigned 64-bit integer
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a sequence number",
    label = "expected `i32`, `i64`, `u32` or `u64`",
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
    )* };
}

integers! {
    i32: i32::MIN as i64, i32::MAX as i64;
    i64: i64::MIN, i64::MAX;
    u32: 0, u32::MAX as i64;
    u64: 0, i64::MAX;
}
