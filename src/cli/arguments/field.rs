//! Which field, and which of its sequences.

use clap::Args;
use mongo_sequence::{NumberedField, Sequence};
use mongodb::{
    Collection, Database,
    bson::{Bson, Document, doc},
};

use crate::Error;

/// A numbered field, as its model declares it.
#[derive(Args, Debug)]
pub(crate) struct Field {
    /// The collection of the documents
    collection: String,
    /// The numbered field, by its name in the documents
    #[arg(value_name = "FIELD")]
    numbered: String,
    /// The fields that its sequences are told apart by
    #[arg(long, value_delimiter = ',', value_name = "FIELD,..")]
    scope: Vec<String>,
    /// The name of the sequence [default: <COLLECTION>.<FIELD>]
    #[arg(long)]
    name: Option<String>,
    /// The first number
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    start: i64,
    /// The distance between numbers, negative to count down
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    step: i64,
    /// The smallest number that may be handed out
    #[arg(long, default_value_t = i64::MIN, allow_negative_numbers = true, hide_default_value = true)]
    min: i64,
    /// The largest number that may be handed out
    #[arg(long, default_value_t = i64::MAX, allow_negative_numbers = true, hide_default_value = true)]
    max: i64,
    /// Numbers are given without gaps
    #[arg(long)]
    gapless: bool,
    #[command(flatten)]
    counters: Counters,
}

/// Where counters are.
#[derive(Args, Debug)]
pub(crate) struct Counters {
    /// The collection of the counters
    #[arg(long, default_value = "sequences")]
    pub(crate) counters: String,
    /// The field of a counter that holds the last number
    #[arg(long, default_value = "seq")]
    pub(crate) value_field: String,
}

/// One sequence of a field.
#[derive(Args, Debug)]
pub(crate) struct Of {
    #[command(flatten)]
    pub(crate) field: Field,
    /// The values of the scope fields, as extended JSON: '{"tenant": "acme", "year": 2026}'
    #[arg(long = "of", value_name = "JSON", value_parser = document)]
    values: Option<Document>,
    /// The collection of the documents is not there yet
    #[arg(long)]
    new_collection: bool,
}

impl Field {
    pub(crate) fn on(&self, database: &Database) -> NumberedField {
        let field = NumberedField::new(&self.documents(database), &self.numbered)
            .scope(&self.scope)
            .start(self.start)
            .step(self.step)
            .min(self.min)
            .max(self.max)
            .counters(&self.counters.counters)
            .value_field(&self.counters.value_field);
        let field = if self.gapless { field.gapless() } else { field };
        match &self.name {
            Some(name) => field.name_of_sequence(name),
            None => field,
        }
    }

    pub(crate) fn numbered(&self) -> &str {
        &self.numbered
    }

    pub(crate) fn documents(&self, database: &Database) -> Collection<Document> {
        database.collection(&self.collection)
    }

    pub(crate) fn is_gapless(&self) -> bool {
        self.gapless
    }

    pub(crate) fn scope(&self) -> &[String] {
        &self.scope
    }

    pub(crate) async fn require_collection(&self, database: &Database) -> Result<(), Error> {
        let (name, collection) = (database.name(), &self.collection);
        if database.list_collection_names().filter(doc! { "name": collection }).await?.is_empty() {
            return Err(format!("there is no collection `{collection}` in the database `{name}`").into());
        }
        Ok(())
    }

    /// An error if no document has the field, and there is one that could.
    pub(crate) async fn require_field(&self, database: &Database) -> Result<(), Error> {
        self.require_collection(database).await?;
        let documents = self.documents(database);
        let is_there = documents.find_one(doc! { &self.numbered: { "$ne": Bson::Null } }).await?.is_some();
        if is_there || documents.find_one(doc! {}).await?.is_none() {
            return Ok(());
        }
        Err(format!("no document of `{}` has a field `{}`", documents.namespace(), self.numbered).into())
    }

    /// Whether numbers that were handed out, up to `last`, come again if `next` is the next one.
    pub(crate) fn goes_back(&self, last: i64, next: i64) -> bool {
        if self.step > 0 { next <= last } else { next >= last }
    }
}

impl Of {
    /// The sequence, if there is a counter or a collection of these names: a name that was mistyped is no new sequence.
    pub(crate) async fn on(&self, database: &Database) -> Result<Sequence, Error> {
        let sequence = self.field.on(database).sequence(&self.values.clone().unwrap_or_default())?;
        if self.new_collection || sequence.current_value().await?.is_some() {
            return Ok(sequence);
        }
        match self.field.require_collection(database).await {
            Err(error) => Err(format!("{error}; say `--new-collection` if it is still to come").into()),
            Ok(()) => Ok(sequence),
        }
    }
}

/// A document in extended JSON.
pub(super) fn document(text: &str) -> Result<Document, String> {
    match bson(text)? {
        Bson::Document(document) => Ok(document),
        other => Err(format!("expected a document in braces, found {other}")),
    }
}

pub(crate) fn bson(text: &str) -> Result<Bson, String> {
    serde_json::from_str(text).map_err(|error| format!("this is no extended JSON: {error}"))
}
