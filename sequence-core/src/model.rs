//! The trait that the derive implements, and what the generated methods insert into.

use std::sync::Arc;

use mongodb::{Collection, bson::RawDocumentBuf};
use serde::Serialize;

use crate::{Definition, Error, ErrorKind, Result, Sequence, action::InsertWithSeq, numbering::counter_of};

/// A model whose marked fields take their numbers from sequences.
///
/// Derive it; the items without documentation belong to the generated code.
///
/// ```
/// # use sequence_core as mongo_sequence;
/// # use sequence_derive::AutoIncrement;
/// # use serde::Serialize;
/// #[derive(Serialize, AutoIncrement)]
/// # #[auto_increment(crate = ::sequence_core)]
/// struct Order {
///     #[serde(rename = "_id")]
///     #[auto_increment]
///     id: i64,
///     item: String,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no numbered fields",
    label = "`AutoIncrement` is not implemented for this type",
    note = "add `#[derive(AutoIncrement)]` to the struct and mark its number field with `#[auto_increment]`"
)]
pub trait AutoIncrement: Serialize + Send + Sync + Sized {
    /// The sequences of the marked fields, in the order of the fields. The other items take numbers in this order.
    #[doc(hidden)]
    const SEQUENCES: &'static [Definition];

    /// Shows `visit` the model with these numbers and puts the old values back. `None` if a number does not fit.
    #[doc(hidden)]
    fn __with(&mut self, numbers: &[i64], visit: &mut dyn FnMut(&Self)) -> Option<()>;

    /// Sets the marked fields. `None`, and nothing is changed, if a number does not fit.
    #[doc(hidden)]
    fn __set(&mut self, numbers: &[i64]) -> Option<()>;

    /// `{"": value}`: how the marked field of this index stores `number`. `None` if it does not fit.
    #[doc(hidden)]
    fn __render(sequence: usize, number: i64) -> Option<RawDocumentBuf>;

    /// Takes the next number of every marked field and inserts the model. It is changed in place, and only if the call
    /// succeeds. The fields are numbered whatever they hold, so a transaction closure that is run again takes fresh
    /// numbers.
    ///
    /// | call | counter | document |
    /// |---|---|---|
    /// | `insert_with_seq(&orders)` | on its own | plain insert |
    /// | `.session(&mut session)` | on its own | in the session's transaction, if one is in progress |
    /// | `.session(&mut session).gapless()` | in the session's transaction | in the session's transaction |
    /// | `.gapless()` | in a transaction of the library's | in the same transaction |
    ///
    /// A field that is declared `gapless` is numbered as if `.gapless()` were called.
    ///
    /// Sends one `findAndModify` for each counter, with majority write concern outside transactions whatever the client
    /// says, and one `insert` with the write concern of the collection (majority in the library's own transaction).
    /// With a session and `gapless` each counter is looked for first, outside. A missing counter costs a few commands
    /// more, once: it starts behind the numbers that documents already have.
    ///
    /// `await` returns [`Result<InsertOneResult>`](mongodb::results::InsertOneResult). Before it can be chained:
    /// [`session`](InsertWithSeq::session), [`gapless`](InsertWithSeq::gapless),
    /// [`time_limit`](InsertWithSeq::time_limit), [`comment`](InsertWithSeq::comment),
    /// [`bypass_document_validation`](InsertWithSeq::bypass_document_validation),
    /// [`optional`](InsertWithSeq::optional).
    ///
    /// # Errors
    ///
    /// Before anything is written: [`Serialization`](crate::ErrorKind::Serialization),
    /// [`DocumentTooLarge`](crate::ErrorKind::DocumentTooLarge),
    /// [`UnsupportedCollection`](crate::ErrorKind::UnsupportedCollection),
    /// [`NoTransaction`](crate::ErrorKind::NoTransaction),
    /// [`TransactionsUnsupported`](crate::ErrorKind::TransactionsUnsupported).
    /// From the counter, with no number taken: [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt),
    /// [`Exhausted`](crate::ErrorKind::Exhausted), [`CounterHeld`](crate::ErrorKind::CounterHeld),
    /// [`CounterMissing`](crate::ErrorKind::CounterMissing) if it is removed again and again;
    /// [`Unconfirmed`](crate::ErrorKind::Unconfirmed) with the number burnt.
    /// From the library's own transaction: [`Deadline`](crate::ErrorKind::Deadline),
    /// [`UnknownOutcome`](crate::ErrorKind::UnknownOutcome).
    /// Everything else is the driver's own error, unchanged, of kind [`Driver`](crate::ErrorKind::Driver): a duplicate
    /// key in another unique field, a write conflict with its `TransientTransactionError` label, a lost connection.
    ///
    /// A number that is in the data already, under a unique index on the field, is skipped: the counter is moved past
    /// the data and the call goes on. In a transaction of the caller's that takes running the transaction again, so the
    /// caller gets a transient error.
    ///
    /// # Cancellation
    ///
    /// A dropped call may still store its document, and may leave a gap. It harms no other caller. A transaction of the
    /// caller's in which a call was dropped must not be committed: spawn the whole transaction (`tokio::spawn`) and put
    /// the time-out around its handle.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # async fn example(db: mongodb::Database) -> mongo_sequence::Result<()> {
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let orders = db.collection::<Order>("orders");
    /// let mut order = Order { id: 0, item: "tea".into() };
    /// order.insert_with_seq(&orders).await?;
    /// println!("stored as {}", order.id);
    /// # Ok(())
    /// # }
    /// ```
    fn insert_with_seq<'a>(
        &'a mut self,
        collection: &'a (impl InsertTarget<Self> + ?Sized),
    ) -> InsertWithSeq<'a, Self> {
        InsertWithSeq::new(self, collection.__collection())
    }

    /// The sequence of one marked field, by its name in Rust or in the database, to look at it, raise or restart it. It
    /// knows the documents of `collection`. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`InvalidSequence`](crate::ErrorKind::InvalidSequence) if no marked field has this name,
    /// [`UnsupportedCollection`](crate::ErrorKind::UnsupportedCollection) if `collection` is the one with the counters.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use sequence_core::AutoIncrement;
    ///
    /// let orders = db.collection::<Order>("orders");
    /// Order::sequence(&orders, "id")?.raise_to(50_000).await?; // the last number before the restored backup
    /// # Ok(())
    /// # }
    /// ```
    fn sequence(collection: &(impl InsertTarget<Self> + ?Sized), field: &str) -> Result<Sequence> {
        let collection = collection.__collection();
        let named = |definition: &&Definition| [definition.rust_field, definition.stored_field].contains(&field);
        let Some(definition) = Self::SEQUENCES.iter().find(named) else {
            let fields: Vec<_> = Self::SEQUENCES.iter().map(|definition| definition.rust_field).collect();
            let message = format!("no numbered field has this name, there is {}", fields.join(", "));
            return Err(Error::new(ErrorKind::InvalidSequence { sequence: field.to_owned(), message }));
        };
        let database = collection.client().database(&collection.namespace().db);
        Ok(Sequence::of_model(&database, &counter_of(collection, definition)?))
    }
}

/// What the generated methods insert into: a [`Collection`] of the model, or a reference, `Arc` or `Box` of one.
///
/// Sealed: it exists so that a later kind of collection can be accepted in the same place.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection of `{T}`",
    label = "expected a reference to a `Collection<{T}>`",
    note = "a collection of another type becomes one by `.clone_with_type::<{T}>()`"
)]
pub trait InsertTarget<T: Send + Sync>: sealed::Sealed {
    #[doc(hidden)]
    fn __collection(&self) -> &Collection<T>;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Send + Sync> sealed::Sealed for Collection<T> {}

impl<T: Send + Sync> InsertTarget<T> for Collection<T> {
    fn __collection(&self) -> &Collection<T> {
        self
    }
}

macro_rules! through_pointers {
    ($($pointer:ty),*) => { $(
        impl<C: sealed::Sealed + ?Sized> sealed::Sealed for $pointer {}

        impl<T: Send + Sync, C: InsertTarget<T> + ?Sized> InsertTarget<T> for $pointer {
            fn __collection(&self) -> &Collection<T> {
                (**self).__collection()
            }
        }
    )* };
}

through_pointers!(&C, &mut C, Arc<C>, Box<C>);
