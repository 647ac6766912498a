//! A field that is described instead of declared.

use mongodb::{
    Collection,
    bson::{Bson, Document},
};

use super::NumberedField;
use crate::{
    BackfillSequences, EnsureSequences, Error, ErrorKind, Result, Sequence, SequenceReport, UnsetNumbers,
    data::Stored,
    definition::{DEFAULT_COUNTERS, DEFAULT_VALUE_FIELD},
    document::scope_value,
    maintain,
    observe::{Action, Span},
};

impl NumberedField {
    /// The field of this name in the documents of a collection.
    #[must_use]
    pub fn new<T: Send + Sync>(collection: &Collection<T>, field: impl Into<String>) -> Self {
        Self {
            collection: collection.clone_with_type(),
            field: field.into(),
            scope: Vec::new(),
            name: None,
            start: 1,
            step: 1,
            min: i64::MIN,
            max: i64::MAX,
            gapless: false,
            shared: false,
            counters: DEFAULT_COUNTERS.to_owned(),
            value_field: DEFAULT_VALUE_FIELD.to_owned(),
            stored: Stored::Numbers,
            render: None,
        }
    }

    /// The fields whose values tell its sequences apart.
    #[must_use]
    pub fn scope<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.scope = fields.into_iter().map(Into::into).collect();
        self.scope.sort();
        self.scope.dedup();
        self
    }

    /// The name of the sequence.
    #[must_use]
    pub fn name_of_sequence(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The first number.
    #[must_use]
    pub fn start(mut self, start: i64) -> Self {
        self.start = start;
        self
    }

    /// The distance between two numbers, negative to count down, never 0.
    #[must_use]
    pub fn step(mut self, step: i64) -> Self {
        self.step = step;
        self
    }

    /// The largest number that may be handed out.
    #[must_use]
    pub fn max(mut self, max: i64) -> Self {
        self.max = max;
        self
    }

    /// The smallest number that may be handed out.
    #[must_use]
    pub fn min(mut self, min: i64) -> Self {
        self.min = min;
        self
    }

    /// That numbers are given without gaps, so that a missing one is a fault, and that numbering what has none leaves no
    /// gap either.
    #[must_use]
    pub fn gapless(mut self) -> Self {
        self.gapless = true;
        self
    }

    /// The collection of the counters.
    #[must_use]
    pub fn counters(mut self, collection: impl Into<String>) -> Self {
        self.counters = collection.into();
        self
    }

    /// The field of a counter document that holds the last number.
    #[must_use]
    pub fn value_field(mut self, field: impl Into<String>) -> Self {
        self.value_field = field.into();
        self
    }

    /// The sequence of the field, or of these values of its scope fields. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`InvalidSequence`](ErrorKind::InvalidSequence) if the field is described in a way that cannot work, or `scope`
    /// does not name exactly its scope fields; [`UnsupportedScope`](ErrorKind::UnsupportedScope).
    pub fn sequence(&self, scope: &Document) -> Result<Sequence> {
        self.check()?;
        let mut values = Document::new();
        for field in &self.scope {
            let value = scope.get(field).ok_or_else(|| self.wrong_scope(scope))?;
            values.insert(field, scope_value(field, value.clone())?);
        }
        if values.len() != scope.len() {
            return Err(self.wrong_scope(scope));
        }
        let database = self.collection.client().database(&self.collection.namespace().db);
        Ok(Sequence::of_model(&database, &self.counter(&values)))
    }

    /// [`AutoIncrement::ensure_sequences`](crate::AutoIncrement::ensure_sequences) for this field, with its errors and its
    /// cancellation; and [`InvalidSequence`](ErrorKind::InvalidSequence) if the field is described in a way that cannot work.
    pub fn ensure(&self) -> EnsureSequences<'static> {
        EnsureSequences::new(self.checked())
    }

    /// [`AutoIncrement::verify_sequences`](crate::AutoIncrement::verify_sequences) for this field.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver), [`InvalidSequence`](ErrorKind::InvalidSequence).
    ///
    /// # Cancellation
    ///
    /// Nothing is written.
    pub async fn verify(&self) -> Result<SequenceReport> {
        let span = Span::of_call(Action::VerifySequences, None, None, || self.name());
        let verified = async {
            self.check()?;
            Box::pin(maintain::verify(self)).await // what is around it would hold it several times over
        };
        span.around_call(verified).await
    }

    /// [`AutoIncrement::backfill_sequences`](crate::AutoIncrement::backfill_sequences) for this field, with its errors and its
    /// cancellation; and [`InvalidSequence`](ErrorKind::InvalidSequence) as above. Numbers are stored as Int64.
    pub fn backfill(&self) -> BackfillSequences<'static> {
        BackfillSequences::new(self.checked())
    }

    /// Takes numbers away from documents that should not have them, as [`verify`](Self::verify) reports them, so that
    /// [`backfill`](Self::backfill) gives them new ones. Which ones is said with
    /// [`duplicates`](UnsetNumbers::duplicates) and [`no_numbers`](UnsetNumbers::no_numbers).
    ///
    /// Sends a `find`, or an aggregation and a `find` for each 1,000 numbers; and for each 1,000 documents an `update` that
    /// removes the field if it still holds the same. Inserts need not stop.
    ///
    /// `await` returns [`Result<u64>`], how many documents these are.
    ///
    /// # Errors
    ///
    /// [`InvalidSequence`](ErrorKind::InvalidSequence) for the field `_id`; [`Driver`](ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// A dropped call has changed some of the documents; it can be repeated.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongo_sequence::NumberedField;
    ///
    /// let number = NumberedField::new(&db.collection::<mongodb::bson::Document>("orders"), "number");
    /// number.unset().duplicates().on_each(|id, number| println!("{id} loses {number}")).await?;
    /// number.ensure().await?;
    /// number.backfill().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn unset(&self) -> UnsetNumbers {
        UnsetNumbers::new(self.check().map(|()| self.clone()))
    }

    fn checked(&self) -> Result<Vec<Self>> {
        self.check().map(|()| vec![self.clone()])
    }

    /// What the derive refuses at compile time.
    fn check(&self) -> Result<()> {
        let database = self.collection.client().database(&self.collection.namespace().db);
        let described = Sequence::new(&database, self.name())
            .start(self.start)
            .step(self.step)
            .min(self.min)
            .max(self.max)
            .counters(&self.counters)
            .value_field(&self.value_field);
        described.counter()?;
        for field in self.scope.iter().chain([&self.field]) {
            if field.is_empty() || field.starts_with('$') || field.contains(['.', '\0']) {
                return Err(self.invalid(format!("`{field}` cannot be the name of a field at the top of a document")));
            }
        }
        if self.scope.iter().any(|field| field == "seq") {
            let reason =
                "a scope field cannot be called `seq`: the name of the sequence stands there in the counter's key";
            return Err(self.invalid(reason.to_owned()));
        }
        if self.collection.name() == self.counters {
            return Err(self.invalid(format!("the collection `{}` holds the counters", self.counters)));
        }
        if self.start.checked_sub(self.step).is_none() {
            return Err(self.invalid("`start - step` must fit into an Int64".to_owned()));
        }
        if self.scope.contains(&self.field) || (self.field == "_id" && !self.scope.is_empty()) {
            return Err(self.invalid(format!("`{}` cannot be numbered within this scope", self.field)));
        }
        Ok(())
    }

    fn wrong_scope(&self, found: &Document) -> Error {
        let found: Vec<_> = found.keys().map(String::as_str).collect();
        self.invalid(format!(
            "it is one sequence for each value of [{}], found values for [{}]",
            self.scope.join(", "),
            found.join(", ")
        ))
    }

    fn invalid(&self, message: String) -> Error {
        Error::new(ErrorKind::InvalidSequence { sequence: self.name(), message })
    }

    /// How a number is stored.
    pub(crate) fn rendered(&self, number: i64) -> Option<Bson> {
        match self.render {
            None => Some(Bson::Int64(number)),
            Some((sequence, render)) => {
                let rendered = render(sequence, number)?;
                rendered.iter().next()?.ok()?.1.try_into().ok()
            }
        }
    }
}
