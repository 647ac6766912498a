//! What is printed of each kind: what was found, what was expected, what to do.

use std::fmt;

use super::ErrorKind;

impl fmt::Display for ErrorKind {
    #[allow(clippy::too_many_lines, reason = "one message for each kind")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Driver => f.write_str("the MongoDB driver reported an error"),
            Self::CounterMissing { sequence, reason } => {
                write!(f, "sequence `{sequence}` has no counter: {reason}")
            }
            Self::CounterCorrupt { sequence, field, found } => write!(
                f,
                "counter of sequence `{sequence}`: field `{field}` holds {found}, expected a whole number (Int32, Int64, \
                 or a Double that stays below 2^53); set `{field}` to the last number handed out, as NumberLong, or name \
                 the field that holds it with `value_field`"
            ),
            Self::Exhausted { sequence, value, limit, remaining } => write!(
                f,
                "sequence `{sequence}` stands at {value} and may go to {limit}: {remaining} numbers are left, fewer than \
                 asked for; raise the limit, give the field a wider type, or `restart` the sequence if a number from \
                 elsewhere has moved it there"
            ),
            Self::Unconfirmed { sequence } => write!(
                f,
                "the counter of sequence `{sequence}` was moved, but the server did not confirm it with a majority: the \
                 number is burnt, the call can be repeated"
            ),
            Self::UnknownOutcome { limit } => write!(
                f,
                "the outcome of the insert could not be learned within {limit:?}: the document may or may not be stored, \
                 look for its number before the call is repeated"
            ),
            Self::Deadline { limit } => write!(
                f,
                "the call did not get through within {limit:?}; nothing was stored, and no gapless number is missing. The \
                 server may not answer, or another transaction may hold the counter: commit one that is open in this task \
                 first, or pass its session to this call"
            ),
            Self::Contended { sequence } => {
                write!(f, "others took numbers of sequence `{sequence}` at every attempt to set it; stop them first")
            }
            Self::CounterHeld { sequence, waited } => write!(
                f,
                "the counter of sequence `{sequence}` could not be moved for {waited:?}: an open transaction holds it; commit \
                 or abort that first, or pass its session to this call"
            ),
            Self::NoTransaction => f.write_str(
                "no transaction in progress on this session, so a number without gaps cannot be given; call \
                 `session.start_transaction().await?` first, or leave `.session(..)` out and let the call own its transaction",
            ),
            Self::TransactionsUnsupported => f.write_str(
                "this MongoDB deployment has no transactions, so a number without gaps cannot be given; run it as a \
                 replica set (one node is enough), or leave `gapless` out",
            ),
            Self::UnsupportedCollection { namespace, reason } => write!(f, "collection `{namespace}` {reason}"),
            Self::Serialization { message } => f.write_str(message),
            Self::DocumentTooLarge { size, limit } => {
                write!(f, "the document has {size} bytes, MongoDB stores at most {limit}")
            }
            Self::UnsupportedScope { field, found } => write!(
                f,
                "scope field `{field}` holds a value of type {found}; expected a string, a whole number, a boolean, an \
                 ObjectId, a UUID or other binary, a date or nothing"
            ),
            Self::Incomplete { inserted, not_inserted, unknown, reason } => {
                let (inserted, not_inserted) = (inserted.len(), not_inserted.len());
                write!(f, "not every document of the batch was stored: {inserted} were, {not_inserted} were not")?;
                if !unknown.is_empty() {
                    write!(f, ", of {} it is unknown", unknown.len())?;
                }
                write!(f, "; {reason}")
            }
            Self::NotRaised { sequence, number, reason } => write!(
                f,
                "the document is stored with its own number {number}, but the counter of sequence `{sequence}` was not \
                 raised to it: {reason}; call `raise_to({number})` on the sequence"
            ),
            Self::InvalidSequence { sequence, message } => write!(f, "sequence `{sequence}`: {message}"),
            Self::Overloaded { limit } => {
                write!(f, "{limit} callers are waiting already; call again later, or let fewer of them call at once")
            }
            Self::ShutDown => {
                f.write_str(
                "nothing was stored: `shutdown` was called on this `SequencedCollection`, so make a new one; or the Tokio \
                 runtime has ended whose task served the call",
            )
            }
            Self::DuplicateNumbers { namespace, sequence, first } => {
                let listed: Vec<_> = first.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "collection `{namespace}` holds numbers of sequence `{sequence}` more than once: {}; renumber all but \
                     one of each first (`unset` takes them away, back-filling gives new ones)",
                    listed.join(", ")
                )
            }
            Self::IndexConflict { namespace, index, keys } => write!(
                f,
                "collection `{namespace}` has an index `{index}` on {keys} with other options than the unique index over \
                 numbered documents that is needed; drop it first"
            ),
            Self::NotBackfilled { sequence, reason } => write!(
                f,
                "a document without a number of sequence `{sequence}` could not be given one: {reason}; those before it \
                 have theirs, and the call can be repeated"
            ),
            Self::NothingToAdopt { sequence, source, found } => {
                write!(f, "sequence `{sequence}` cannot take over the counter in {source}: {found}; look at the name, and where the other \
                 library was told to keep its counters (`in_collection`)")
            }
            Self::RestartRefused { sequence, next, stored } => write!(
                f,
                "sequence `{sequence}` cannot go on with {next}: documents are numbered up to {stored}; delete or renumber \
                 them first"
            ),
            Self::BlocksReserved { sequence, next } => write!(
                f,
                "sequence `{sequence}` cannot go back to {next}: numbers were reserved from it in blocks, and whoever still \
                 has some hands them out; stop all who use it, and say so with `.assume_stopped()`"
            ),
        }
    }
}
