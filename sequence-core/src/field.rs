//! One numbered field of a collection: where its numbers are, and which counter gives them.

mod described;
mod key;

use mongodb::{
    Collection,
    bson::{Bson, Document, RawDocumentBuf, doc, spec::ElementType},
};

use self::key::key;
use crate::{
    AutoIncrement, Result,
    capability::unsupported,
    counter::{Counter, Origin},
    data::{Data, Stored},
    definition::{self, Definition, Progression},
    document::Verbatim,
};

type Render = fn(usize, i64) -> Option<RawDocumentBuf>;

/// A numbered field, described by names in the database: for looking after numbers where there is no model, in scripts
/// and tools. With a model its own methods do the same ([`verify_sequences`](crate::AutoIncrement::verify_sequences), …).
///
/// What is not said is as the derive has it: the sequence is called `<collection>.<field>` and its counter is in
/// `sequences`, it starts with 1 and goes up by 1 to the largest Int64. Nothing is sent before a method is awaited.
///
/// ```no_run
/// # use sequence_core as mongo_sequence;
/// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
/// use mongodb::bson::Document;
/// use mongo_sequence::NumberedField;
///
/// let invoices = db.collection::<Document>("invoices");
/// let number = NumberedField::new(&invoices, "number").scope(["tenant", "year"]).gapless();
/// println!("{}", number.verify().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct NumberedField {
    collection: Collection<Verbatim>,
    field: String,
    /// Sorted.
    scope: Vec<String>,
    name: Option<String>,
    start: i64,
    step: i64,
    min: i64,
    max: i64,
    gapless: bool,
    shared: bool,
    counters: String,
    value_field: String,
    stored: Stored,
    /// How a model stores a number, and as which of its sequences.
    render: Option<(usize, Render)>,
}

impl NumberedField {
    pub(crate) fn of_model<T: AutoIncrement>(
        collection: &Collection<T>,
        sequence: usize,
        definition: &Definition,
    ) -> Result<Self> {
        if collection.name() == definition.counters {
            return Err(unsupported(
                collection,
                "holds the counters; documents that are numbered belong into another one",
            ));
        }
        let rendered = if definition.formatted { T::__render(sequence, definition.start) } else { None };
        let value = rendered.as_deref().and_then(|rendered| rendered.iter().next()?.ok());
        let stored = match value.map(|(_, value)| value.element_type()) {
            _ if !definition.formatted => Stored::Numbers,
            Some(ElementType::String) => Stored::Strings,
            Some(ElementType::Int32 | ElementType::Int64 | ElementType::Double) => Stored::Scrambled,
            _ => Stored::Opaque,
        };
        Ok(Self {
            collection: collection.clone_with_type(),
            field: definition.stored_field.to_owned(),
            scope: definition.scope.iter().map(|(_, stored, _)| (*stored).to_owned()).collect(),
            name: definition.name.map(str::to_owned),
            start: definition.start,
            step: definition.step,
            min: definition.min,
            max: definition.max,
            gapless: definition.gapless,
            shared: definition.shared,
            counters: definition.counters.to_owned(),
            value_field: definition.value_field.to_owned(),
            stored,
            render: Some((sequence, T::__render)),
        })
    }

    pub(crate) fn of_each<T: AutoIncrement>(collection: &Collection<T>) -> Result<Vec<Self>> {
        let each = T::SEQUENCES.iter().enumerate();
        each.map(|(sequence, definition)| Self::of_model(collection, sequence, definition)).collect()
    }

    /// The counter for these values of the scope fields.
    pub(crate) fn counter(&self, scope: &Document) -> Counter {
        let namespace = self.collection.namespace();
        let data = self.data(scope.clone());
        Counter::new(
            &self.collection.client().database(&namespace.db),
            &self.counters,
            key(self.name(), scope),
            &self.value_field,
            self.progression(),
            if self.shared { Origin::Shared(data) } else { Origin::Documents(data) },
        )
    }

    pub(crate) fn data(&self, scope: Document) -> Data {
        Data::new(&self.collection, &self.field, scope, self.stored.clone())
    }

    pub(crate) fn progression(&self) -> Progression {
        let last = if self.step > 0 { self.max } else { self.min };
        Progression { start: Some(self.start), step: self.step, last }
    }

    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    pub(crate) fn is_gapless(&self) -> bool {
        self.gapless
    }

    /// The scope fields, each without a value.
    pub(crate) fn null_scope(&self) -> Document {
        self.scope.iter().map(|name| (name.clone(), Bson::Null)).collect()
    }

    /// The scope of a document, for an aggregation: `null` for a field without one.
    pub(crate) fn scope_expression(&self) -> Bson {
        let names = self.null_scope();
        if names.is_empty() {
            return Bson::Null;
        }
        let value = |name: &String| doc! { "$ifNull": [format!("${name}"), Bson::Null] };
        Bson::Document(names.keys().map(|name| (name.clone(), value(name).into())).collect())
    }

    /// What a query shows of a document: its number, and under `s` its scope, since a scope field may have any name.
    pub(crate) fn number_and_scope(&self) -> Document {
        let mut shown = self.data(Document::new()).value();
        let scope: Document = self.scope.iter().map(|name| (name.clone(), format!("${name}").into())).collect();
        if !scope.is_empty() {
            shown.insert("s", scope);
        }
        shown
    }

    /// The condition on the `_id` of the counters of all scopes.
    pub(crate) fn counter_keys(&self) -> Document {
        let lowest = key(self.name(), &Document::new());
        if self.scope.is_empty() {
            return doc! { "_id": lowest };
        }
        let mut highest = self.null_scope();
        highest.iter_mut().for_each(|(_, value)| *value = Bson::MaxKey);
        doc! { "_id": { "$gte": { "seq": lowest }, "$lte": key(self.name(), &highest) } }
    }

    /// The scope in the `_id` of a counter, if it is one of this field.
    pub(crate) fn scope_of_key(&self, id: Option<&Bson>) -> Option<Document> {
        if self.scope.is_empty() {
            return Some(Document::new());
        }
        let mut scope = id?.as_document()?.clone();
        scope.remove("seq");
        scope.keys().eq(&self.scope).then_some(scope)
    }

    pub(crate) fn name(&self) -> String {
        definition::sequence(self.name.as_deref(), self.collection.name(), &self.field)
    }
}
