//! Looking after what is stored.

mod adopt;
mod backfill;
mod ensure;
mod list;
mod unset;
mod verify;
mod view;

use crate::{NumberedField, Result};

pub use adopt::{Adopted, ForeignCounter};
pub use backfill::{BackfillProgress, BackfillSequences, BackfillSequencesFuture, Backfilled};
pub use ensure::{EnsureSequences, EnsureSequencesFuture, Ensured};
pub use list::ListedCounter;
pub use unset::{UnsetNumbers, UnsetNumbersFuture};
pub(crate) use verify::verify;
pub use verify::{CounterReport, Duplicate, Fault, SequenceReport, VerifySequences, VerifySequencesFuture};

/// The names of the sequences of these fields.
fn names(fields: &Result<Vec<NumberedField>>) -> String {
    let names: Vec<String> = fields.iter().flatten().map(NumberedField::name).collect();
    names.join(", ")
}
