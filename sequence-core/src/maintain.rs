//! Looking after what is stored.

mod adopt;
mod backfill;
mod ensure;
mod list;
mod verify;
mod view;

pub use adopt::{Adopted, ForeignCounter};
pub use backfill::{BackfillProgress, BackfillSequences, BackfillSequencesFuture, Backfilled};
pub use ensure::{EnsureSequences, EnsureSequencesFuture, Ensured};
pub use list::ListedCounter;
pub(crate) use verify::verify;
pub use verify::{CounterReport, Fault, SequenceReport, VerifySequences, VerifySequencesFuture};
