//! The trait that the derive implements.

use mongodb::bson::{Document, RawDocumentBuf};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    BackfillSequences, Definition, EnsureSequences, InsertTarget, NumberedField, Result, Sequence, VerifySequences,
    action::{GetOrInsertWithSeq, InsertManyWithSeq, InsertWithSeq},
    sequence::of_model,
};

/// A model whose marked fields take their numbers from sequences.
///
/// Derive it; the items without documentation belong to the generated code.
///
/// ```
/// # use sequence_core as mongo_sequence;
/// # use sequence_derive::AutoIncrement;
/// # use serde::{Serialize, de::DeserializeOwned};
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

    /// Shows `visit` the model with these numbers (`None` leaves a field alone). They stay if it returns `true`, else the
    /// old values come back. `None`, and nothing is shown, if a number does not fit.
    #[doc(hidden)]
    fn __with(&mut self, numbers: &[Option<i64>], visit: &mut dyn FnMut(&Self) -> bool) -> Option<()>;

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
    /// [`TransactionsUnsupported`](crate::ErrorKind::TransactionsUnsupported),
    /// [`UnsupportedScope`](crate::ErrorKind::UnsupportedScope); from a
    /// [`SequencedCollection`](crate::SequencedCollection) [`Overloaded`](crate::ErrorKind::Overloaded) and
    /// [`ShutDown`](crate::ErrorKind::ShutDown).
    /// From the counter, with no number taken: [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt),
    /// [`Exhausted`](crate::ErrorKind::Exhausted), [`CounterHeld`](crate::ErrorKind::CounterHeld),
    /// [`CounterMissing`](crate::ErrorKind::CounterMissing) if nothing tells where it starts (a `scope` without an index, a
    /// `shared` or formatted field) or it is removed again and again;
    /// [`Unconfirmed`](crate::ErrorKind::Unconfirmed) with the number burnt.
    /// From the library's own transaction, and with a time limit from any call: [`Deadline`](crate::ErrorKind::Deadline),
    /// [`UnknownOutcome`](crate::ErrorKind::UnknownOutcome).
    /// [`NotRaised`](crate::ErrorKind::NotRaised) if the document is stored under a number that it brought along, and the
    /// counter could not follow.
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
        InsertWithSeq::new(self, collection.__collection(), collection.__shared())
    }

    /// Numbers many models and inserts them together: one reservation for each sequence and scope, one `insertMany`, both
    /// in the order of the slice. Nothing is sent for an empty one.
    ///
    /// The four ways of [`insert_with_seq`](Self::insert_with_seq) are the same here. In a transaction (yours, or the
    /// library's with `gapless`) all documents are stored or none. Outside one, those before a refused document are, and
    /// with [`ordered(false)`](InsertManyWithSeq::ordered) those behind it too; the error tells which, and every model
    /// that is stored has its number while the others are as they were.
    ///
    /// Sends one `findAndModify` for each counter and one `insert` for every 100,000 documents or 48 MB; see
    /// [`insert_with_seq`](Self::insert_with_seq) for a missing counter and for numbers that are in the data already.
    /// Where documents are numbered anew for that, so are those behind them, to keep the order.
    ///
    /// `await` returns [`Result<InsertManyResult>`](mongodb::results::InsertManyResult). Before it can be chained:
    /// [`session`](InsertManyWithSeq::session), [`gapless`](InsertManyWithSeq::gapless),
    /// [`ordered`](InsertManyWithSeq::ordered), [`time_limit`](InsertManyWithSeq::time_limit),
    /// [`comment`](InsertManyWithSeq::comment),
    /// [`bypass_document_validation`](InsertManyWithSeq::bypass_document_validation),
    /// [`optional`](InsertManyWithSeq::optional).
    ///
    /// # Errors
    ///
    /// Those of [`insert_with_seq`](Self::insert_with_seq), with nothing stored; and
    /// [`Incomplete`](crate::ErrorKind::Incomplete) once something is stored or may be, or was refused.
    /// [`Exhausted`](crate::ErrorKind::Exhausted) if fewer numbers are left than there are models; none is taken then.
    ///
    /// # Cancellation
    ///
    /// A dropped call may have stored some of its documents, or still store them; no model is changed. Otherwise as with
    /// [`insert_with_seq`](Self::insert_with_seq).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let orders = db.collection::<Order>("orders");
    /// let mut batch = ["tea", "milk"].map(|item| Order { id: 0, item: item.into() });
    /// Order::insert_many_with_seq(&mut batch, &orders).await?;
    /// assert_eq!(batch[1].id, batch[0].id + 1);
    /// # Ok(())
    /// # }
    /// ```
    fn insert_many_with_seq<'a>(
        models: &'a mut [Self],
        collection: &'a (impl InsertTarget<Self> + ?Sized),
    ) -> InsertManyWithSeq<'a, Self> {
        InsertManyWithSeq::new(models, collection.__collection(), collection.__shared())
    }

    /// Gets the document that the filter finds, or numbers this model and inserts it. Either way the model is then what
    /// is stored; [`GetOrInsert`](crate::GetOrInsert) tells which.
    ///
    /// With a unique index on the fields of the filter, and a model that the filter finds, all concurrent callers get
    /// one document. Without the index each of them may insert one. A number is taken only if there is no document; that
    /// of a caller who was slower is a gap, unless `gapless` is called.
    ///
    /// Sends one `find`, to the primary, and what [`insert_with_seq`](Self::insert_with_seq) sends.
    ///
    /// `await` returns [`Result<GetOrInsert>`](crate::GetOrInsert). Before it can be chained:
    /// [`session`](GetOrInsertWithSeq::session), [`gapless`](GetOrInsertWithSeq::gapless),
    /// [`time_limit`](GetOrInsertWithSeq::time_limit), [`comment`](GetOrInsertWithSeq::comment),
    /// [`bypass_document_validation`](GetOrInsertWithSeq::bypass_document_validation),
    /// [`optional`](GetOrInsertWithSeq::optional).
    ///
    /// # Errors
    ///
    /// Those of [`insert_with_seq`](Self::insert_with_seq), and of kind [`Driver`](crate::ErrorKind::Driver) those of the
    /// look: a document that is not one of this model, for one. A duplicate key is returned if the filter does not find
    /// the document that has it.
    ///
    /// # Cancellation
    ///
    /// As with [`insert_with_seq`](Self::insert_with_seq).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, serde::Deserialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Customer { #[serde(rename = "_id")] #[auto_increment] id: i64, email: String }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongodb::bson::doc;
    /// use mongo_sequence::AutoIncrement;
    ///
    /// // there is a unique index on `email`
    /// let customers = db.collection::<Customer>("customers");
    /// let mut customer = Customer { id: 0, email: "a@example.com".into() };
    /// customer.get_or_insert_with_seq(&customers, doc! { "email": "a@example.com" }).await?;
    /// println!("customer number {}", customer.id);
    /// # Ok(())
    /// # }
    /// ```
    fn get_or_insert_with_seq<'a>(
        &'a mut self,
        collection: &'a (impl InsertTarget<Self> + ?Sized),
        filter: Document,
    ) -> GetOrInsertWithSeq<'a, Self>
    where
        Self: DeserializeOwned,
    {
        GetOrInsertWithSeq::new(self, collection.__collection(), collection.__shared(), filter)
    }

    /// Makes what the numbers need, where it is not there yet: for every numbered field but `_id` a unique index, for a
    /// field with a `scope` one over the scope fields and the number; and the counters of the fields without a scope,
    /// raised to the highest number that is stored. Call it once when the service starts; it can be repeated.
    ///
    /// Every model that numbers another field than `_id` should call it: without the index a number is unique among those of
    /// its counter, but not against what is typed in by hand, and a field with a `scope` is refused, since every new scope
    /// would be a scan of the collection. A `shared` sequence needs it of every model that shares it. For counters of scopes
    /// it does nothing; they are created when they are needed, behind the data.
    ///
    /// The index is `{scope.., number}`, unique, over documents with a number (`partialFilterExpression: {number: {$gte:
    /// <the lowest>}}`). Sends a few commands for each sequence: `listIndexes`, `createIndexes` in tries of half a second
    /// and longer, since inserts wait behind one that waits for an open transaction, and the counter's.
    ///
    /// `await` returns [`Result<Ensured>`](crate::Ensured), what there was to do. Before it can be chained:
    /// [`time_limit`](EnsureSequences::time_limit), [`dry_run`](EnsureSequences::dry_run).
    ///
    /// # Errors
    ///
    /// All of these are found out before anything is changed: [`DuplicateNumbers`](crate::ErrorKind::DuplicateNumbers) if
    /// documents already have one number twice, [`IndexConflict`](crate::ErrorKind::IndexConflict) if another index is in the
    /// way, [`UnsupportedCollection`](crate::ErrorKind::UnsupportedCollection),
    /// [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt), and [`CounterMissing`](crate::ErrorKind::CounterMissing) for a
    /// field with a `format` in a collection that has numbered documents. Then [`Driver`](crate::ErrorKind::Driver), and
    /// [`Deadline`](crate::ErrorKind::Deadline) if an index could not be made in time.
    ///
    /// # Cancellation
    ///
    /// A dropped call may have done some of it. Repeat it.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Invoice { tenant: String, year: i32, #[auto_increment(scope(tenant, year))] number: i64 }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let invoices = db.collection::<Invoice>("invoices");
    /// Invoice::ensure_sequences(&invoices).await?;
    /// # Ok(())
    /// # }
    /// ```
    fn ensure_sequences(collection: &(impl InsertTarget<Self> + ?Sized)) -> EnsureSequences<'_> {
        EnsureSequences::new(NumberedField::of_each(collection.__collection()))
    }

    /// Compares counters and data, at one point in time: one report for each numbered field, which can be printed. Nothing is
    /// written, and it may run while others insert.
    ///
    /// Sends for each field `listIndexes`, a read of its counters and one pass of the server over the index; where numbers
    /// are missing a few more, to find the first of them. Without a unique index all numbers are read by the client, in
    /// order. A standalone server cannot show one point in time, nor can any show one that lies more than 5 minutes back:
    /// there a counter that is moved meanwhile is seen later than the data. Memory grows with the number of counters, not of
    /// documents.
    ///
    /// Whether there are documents without a number it first learns from the server's own count of documents, which may be
    /// wrong after an unclean shutdown, until the server's `validate` has been run on the collection.
    ///
    /// `await` returns [`Result<Vec<SequenceReport>>`](crate::SequenceReport).
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver); [`UnsupportedCollection`](crate::ErrorKind::UnsupportedCollection).
    ///
    /// # Cancellation
    ///
    /// Nothing is written.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let orders = db.collection::<Order>("orders");
    /// for report in Order::verify_sequences(&orders).await? {
    ///     println!("{report}");
    ///     assert!(report.is_clean());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    fn verify_sequences(collection: &(impl InsertTarget<Self> + ?Sized)) -> VerifySequences<'_> {
        VerifySequences::new(NumberedField::of_each(collection.__collection()))
    }

    /// Numbers the documents that have no number (nothing under this name, or null), field by field, in the order of `_id`
    /// or another [`sort`](BackfillSequences::sort), each in its scope, behind the highest number there is: holes are not
    /// filled. It never touches a document that has one, works while
    /// others insert, and can be stopped at any point and run again. Call
    /// [`ensure_sequences`](Self::ensure_sequences) first.
    ///
    /// Sends one `find` for each look through the collection, and for every 1,000 documents a reservation and an `update`,
    /// with majority. A gapless field gets them in transactions.
    ///
    /// `await` returns [`Result<Backfilled>`](crate::Backfilled). Before it can be chained:
    /// [`sort`](BackfillSequences::sort), [`batch_size`](BackfillSequences::batch_size),
    /// [`on_progress`](BackfillSequences::on_progress).
    ///
    /// # Errors
    ///
    /// [`NotBackfilled`](crate::ErrorKind::NotBackfilled) if the server refuses an update (a validator, for one), a scope
    /// field holds what cannot be one, or the next numbers are in the data again and again;
    /// [`UnsupportedCollection`](crate::ErrorKind::UnsupportedCollection); [`Contended`](crate::ErrorKind::Contended) if others take the numbers of a gapless
    /// field all the time; those of the counter, as in
    /// [`next_value`](Sequence::next_value); [`Driver`](crate::ErrorKind::Driver). What is numbered so far stays so.
    ///
    /// # Cancellation
    ///
    /// A dropped call has numbered some of the documents, and may still number those of a batch. Numbers that it had reserved
    /// are gaps, but for a gapless field.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Customer { email: String, #[auto_increment] number: i64 }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongodb::bson::doc;
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let customers = db.collection::<Customer>("customers");
    /// Customer::ensure_sequences(&customers).await?;
    /// Customer::backfill_sequences(&customers)
    ///     .sort(doc! { "since": 1, "_id": 1 })
    ///     .on_progress(|so_far| println!("{} of {}", so_far.numbered, so_far.total))
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    fn backfill_sequences(collection: &(impl InsertTarget<Self> + ?Sized)) -> BackfillSequences<'_> {
        BackfillSequences::new(NumberedField::of_each(collection.__collection()))
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
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let orders = db.collection::<Order>("orders");
    /// Order::sequence(&orders, "id")?.raise_to(50_000).await?; // the last number before the restored backup
    /// # Ok(())
    /// # }
    /// ```
    fn sequence(collection: &(impl InsertTarget<Self> + ?Sized), field: &str) -> Result<Sequence> {
        Self::scoped_sequence(collection, field, Document::new())
    }

    /// The same for a field with a `scope`: the sequence that belongs to these values of the scope fields.
    ///
    /// # Errors
    ///
    /// Those of [`sequence`](Self::sequence); [`InvalidSequence`](crate::ErrorKind::InvalidSequence) also if `scope` does
    /// not name exactly the scope fields, by their names in Rust or in the database,
    /// [`UnsupportedScope`](crate::ErrorKind::UnsupportedScope) if a value cannot be one of a scope.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Invoice { tenant: String, year: i32, #[auto_increment(scope(tenant, year))] number: i64 }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongodb::bson::doc;
    /// use mongo_sequence::AutoIncrement;
    ///
    /// let invoices = db.collection::<Invoice>("invoices");
    /// let of_2026 = Invoice::scoped_sequence(&invoices, "number", doc! { "tenant": "acme", "year": 2026 })?;
    /// println!("{:?} invoices so far", of_2026.current_value().await?);
    /// # Ok(())
    /// # }
    /// ```
    fn scoped_sequence(
        collection: &(impl InsertTarget<Self> + ?Sized),
        field: &str,
        scope: Document,
    ) -> Result<Sequence> {
        of_model::sequence(collection.__collection(), field, &scope)
    }
}
