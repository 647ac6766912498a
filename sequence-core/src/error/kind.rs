//! The kinds of error, each with what a person needs to act on it.

use std::time::Duration;

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

    /// The commit of the library's own transaction, or with a time limit the insert, was sent, and its outcome could not
    /// be learned in time. The document may be stored under the number in [`Error::number`](crate::Error::number).
    #[non_exhaustive]
    UnknownOutcome {
        /// The time limit of the call.
        limit: Duration,
    },

    /// The library's own transaction, or the wait for a number, did not come to an end within the time limit. Nothing was
    /// stored; a number that a counter on its own has given meanwhile is a gap.
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
