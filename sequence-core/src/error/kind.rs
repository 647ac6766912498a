//! The kinds of error, each with what a person needs to act on it.

use std::{fmt, time::Duration};

use mongodb::bson::Document;

/// What went wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The driver's own error, as it came: see [`Error::driver_error`](crate::Error::driver_error).
    Driver,

    /// There is no counter, and nothing says where it should start.
    #[non_exhaustive]
    CounterMissing {
        /// The sequence.
        sequence: String,
        /// Why it was not simply created.
        reason: &'static str,
    },

    /// The counter document holds something that is not a whole number it could go on from. It was not changed, unless
    /// it held a Decimal128 (which the server has then moved on by the step).
    #[non_exhaustive]
    CounterCorrupt {
        /// The sequence.
        sequence: String,
        /// The field of the counter document that was looked at.
        field: String,
        /// What is there, with its BSON type.
        found: String,
    },

    /// Fewer numbers are left before the limit than were asked for; none was taken.
    #[non_exhaustive]
    Exhausted {
        /// The sequence.
        sequence: String,
        /// The last number handed out.
        value: i64,
        /// The last number that may be handed out: the declared `max` (`min` for a negative step), else what the
        /// field's type can hold.
        limit: i64,
        /// How many numbers are left.
        remaining: u64,
    },

    /// The server moved the counter but could not confirm that a majority has it. The number
    /// ([`Error::number`](crate::Error::number)) is burnt; with a reservation it is the last of the burnt ones.
    #[non_exhaustive]
    Unconfirmed {
        /// The sequence.
        sequence: String,
    },

    /// The commit of the library's own transaction was sent, and its outcome could not be learned within the time
    /// limit. The document may be stored under the number in [`Error::number`](crate::Error::number).
    #[non_exhaustive]
    UnknownOutcome {
        /// How long the commit was tried again.
        limit: Duration,
    },

    /// The library's own transaction, or the wait for a shared number, did not come to an end within the time limit. Nothing
    /// was stored.
    #[non_exhaustive]
    Deadline {
        /// The time limit of the call.
        limit: Duration,
    },

    /// Others moved the counter at every attempt to set it.
    #[non_exhaustive]
    Contended {
        /// The sequence.
        sequence: String,
    },

    /// The counter could not be moved for so long that an open transaction must hold it, probably one of this very
    /// task. No number was taken.
    #[non_exhaustive]
    CounterHeld {
        /// The sequence.
        sequence: String,
        /// How long the counter was found held.
        waited: Duration,
    },

    /// A gapless number was asked for with a session that has no transaction in progress.
    NoTransaction,

    /// The deployment has no transactions, so a number without gaps cannot be given.
    TransactionsUnsupported,

    /// The collection is of a sort for which the promise cannot be kept.
    #[non_exhaustive]
    UnsupportedCollection {
        /// Database and collection.
        namespace: String,
        /// What it is and what to do instead.
        reason: String,
    },

    /// The model could not be turned into the document to store. No number was taken, unless
    /// [`Error::number`](crate::Error::number) names one.
    #[non_exhaustive]
    Serialization {
        /// What was found, and what to do.
        message: String,
    },

    /// The document is larger than MongoDB stores. No number was taken.
    #[non_exhaustive]
    DocumentTooLarge {
        /// Its size in bytes, the number (and an `_id` that the driver would add) included.
        size: usize,
        /// The most that MongoDB stores, in bytes.
        limit: usize,
    },

    /// A scope field holds what cannot tell sequences apart. No number was taken.
    #[non_exhaustive]
    UnsupportedScope {
        /// The field, by its name in the document.
        field: String,
        /// The BSON type that was found.
        found: String,
    },

    /// Not every document of a batch was stored. [`Error::driver_error`](crate::Error::driver_error) says why, with the
    /// same indexes into the batch. The models that were stored have their numbers, the others are as they were.
    #[non_exhaustive]
    Incomplete {
        /// The documents that are stored.
        inserted: Vec<usize>,
        /// Those that are not: refused, or not tried any more.
        not_inserted: Vec<usize>,
        /// Those that may be stored or not, because the connection or the confirmation was lost.
        unknown: Vec<usize>,
        /// The first thing that went wrong.
        reason: String,
    },

    /// The document is stored with the number that it brought along, but the counter could not be raised to it, so the
    /// sequence may come to that number later.
    #[non_exhaustive]
    NotRaised {
        /// The sequence.
        sequence: String,
        /// The number in the document.
        number: i64,
        /// What happened at the counter.
        reason: String,
    },

    /// A sequence was described in a way that cannot work. Nothing was sent.
    #[non_exhaustive]
    InvalidSequence {
        /// The sequence.
        sequence: String,
        /// What was found, what was expected.
        message: String,
    },

    /// Too many callers wait in a queue of a [`SequencedCollection`](crate::SequencedCollection) or a
    /// [`SharedSequence`](crate::SharedSequence). Nothing was stored.
    #[non_exhaustive]
    Overloaded {
        /// How many may wait.
        limit: usize,
    },

    /// The [`SequencedCollection`](crate::SequencedCollection) was shut down, or the runtime whose task was to answer the
    /// call, again and again; or there is none. Nothing was stored.
    ShutDown,

    /// Documents already have the same numbers, so there can be no unique index. Nothing was changed.
    #[non_exhaustive]
    DuplicateNumbers {
        /// Database and collection.
        namespace: String,
        /// The sequence.
        sequence: String,
        /// The first 20 numbers that are there more than once: the scope and the number, as in the documents, and in
        /// `documents` how many have it.
        first: Vec<Document>,
    },

    /// An index with other options, or on other fields, is in the way of the one that numbers need. Nothing was changed.
    #[non_exhaustive]
    IndexConflict {
        /// Database and collection.
        namespace: String,
        /// The name of the index.
        index: String,
        /// Its fields.
        keys: Document,
    },

    /// A document without a number could not be given one. Those before it have theirs: the call can be repeated.
    #[non_exhaustive]
    NotBackfilled {
        /// The sequence.
        sequence: String,
        /// What the server says.
        reason: String,
    },

    /// There is nothing to take over: no counter of another library where it was looked for.
    #[non_exhaustive]
    NothingToAdopt {
        /// The sequence that was to take it over.
        sequence: String,
        /// Where it was looked for.
        source: String,
        /// What was found instead.
        found: String,
    },

    /// Going back to this number would hand out numbers that documents already have.
    #[non_exhaustive]
    RestartRefused {
        /// The sequence.
        sequence: String,
        /// The next number that was asked for.
        next: i64,
        /// The furthest number in the data.
        stored: i64,
    },

    /// Going back to this number could hand out numbers twice: blocks were reserved from the counter, and a process that
    /// still has one goes on with it.
    #[non_exhaustive]
    BlocksReserved {
        /// The sequence.
        sequence: String,
        /// The next number that was asked for.
        next: i64,
    },
}

impl fmt::Display for ErrorKind {
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
                "the outcome of the commit could not be learned within {limit:?}: the document may or may not be stored, \
                 look for its number before the call is repeated"
            ),
            Self::Deadline { limit } => write!(
                f,
                "the call did not get through within {limit:?}; nothing was stored, and no gapless number is missing"
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
                 `session.start_transaction()` first, or leave `.session(..)` out and let the call own its transaction",
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
                f.write_str("the collection was shut down and takes no more documents, or the runtime of its tasks was")
            }
            Self::DuplicateNumbers { namespace, sequence, first } => {
                let listed: Vec<_> = first.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "collection `{namespace}` holds numbers of sequence `{sequence}` more than once: {}; renumber all but \
                     one of each first",
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
                write!(f, "sequence `{sequence}` cannot take over the counter in {source}: {found}")
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
