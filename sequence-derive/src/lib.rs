//! The derive macro of `mongo-sequence`. Use that crate, which re-exports it.

mod ast;
mod attr;
mod crate_path;
mod ctxt;
mod expand;
mod fallback;
mod newtype;
mod serde;
#[cfg(test)]
mod tests;
mod valid;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Numbers the marked fields of a struct.
///
/// ```
/// use mongo_sequence::AutoIncrement;
/// use serde::Serialize;
///
/// #[derive(Serialize, AutoIncrement)]
/// struct Invoice {
///     #[serde(rename = "_id")]
///     #[auto_increment]
///     id: i64,
///     #[auto_increment(start = 1000, max = 9999, gapless)]
///     number: i32,
///     customer: String,
/// }
/// ```
///
/// # On a field
///
/// Any number of fields can be marked with `#[auto_increment]`, each has a sequence of its own. The type of a marked
/// field implements `SequenceValue`.
///
/// | key | meaning | default |
/// |---|---|---|
/// | `start = 1000` | the first number | 1 |
/// | `step = 10` | the distance between two numbers; may be negative, but not 0 | 1 |
/// | `max = 9999` | the largest number that may be handed out | the largest that the field's type holds |
/// | `min = -100` | the smallest number that may be handed out | the smallest that the field's type holds |
/// | `name = "invoices"` | the name of the sequence | `<collection>.<stored name of the field>` |
/// | `gapless` | a failed insert leaves no gap: counter and document are written in one transaction | off |
///
/// Numbers are const expressions of type `i64`, strings are literals. The stored name of a field is the one that serde
/// gives it, `rename` and `rename_all` included.
///
/// # On the struct
///
/// | key | meaning | default |
/// |---|---|---|
/// | `counters = "numbers"` | the collection of the counters, in the database of the model's collection | `sequences` |
/// | `value_field = "value"` | the field of a counter document that holds the last number | `seq` |
/// | `crate = ::sequence` | where this crate is found when it was renamed or is re-exported | `::mongo_sequence` |
///
/// Keys may be spread over several attributes.
#[proc_macro_derive(AutoIncrement, attributes(auto_increment))]
pub fn derive_auto_increment(input: TokenStream) -> TokenStream {
    expand::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Lets a struct with one field hold the number of a marked field, with the limits of its field.
///
/// ```
/// use mongo_sequence::SequenceValue;
/// use serde::Serialize;
///
/// #[derive(Serialize, SequenceValue)]
/// struct InvoiceNumber(i64);
/// ```
///
/// It must be stored as the number itself, as serde stores a tuple struct with one field; with a named field put
/// `#[serde(transparent)]` on it. `#[auto_increment(crate = ::sequence)]` names this crate where it was renamed.
#[proc_macro_derive(SequenceValue, attributes(auto_increment))]
pub fn derive_sequence_value(input: TokenStream) -> TokenStream {
    newtype::derive(&parse_macro_input!(input as DeriveInput)).into()
}
