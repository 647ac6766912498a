//! What can be said on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use mongo_sequence::{NumberedField, Sequence};
use mongodb::{
    Database,
    bson::{Bson, Document},
};

use crate::Error;

/// Looks after auto-increment numbers in MongoDB: what the counters say, whether the data agrees, and what to do about it.
///
/// Exit status: 0 done, 1 an error, 2 wrong usage, 3 `verify` found something wrong, 4 not confirmed.
#[derive(Debug, Parser)]
#[command(name = "mongo-sequence", version)]
pub(crate) struct Arguments {
    /// The deployment, and in its path the database
    #[arg(
        long,
        env = "MONGODB_URI",
        default_value = "mongodb://127.0.0.1:27017",
        hide_env_values = true,
        global = true
    )]
    pub(crate) uri: String,
    /// The database, unless the URI names it
    #[arg(long, short, global = true)]
    pub(crate) database: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// All counters and where they stand
    List(List),
    /// Where one sequence stands
    Show(Show),
    /// Compare counters and data: missing numbers, duplicates, counters behind the data. Writes nothing
    Verify(Field),
    /// Make the unique index that numbers need, and raise the counter to the data
    Ensure(Ensure),
    /// Number the documents that have no number
    Backfill(Backfill),
    /// Go on from the counter of another library, which must have stopped giving out numbers
    Adopt(Adopt),
    /// Raise a counter; it is never lowered
    Raise(Raise),
    /// Set the next number, also to a lower one
    Restart(Restart),
}

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
    #[arg(long, value_name = "JSON", value_parser = document)]
    of: Option<Document>,
}

#[derive(Args, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) counters: Counters,
}

#[derive(Args, Debug)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) of: Of,
}

#[derive(Args, Debug)]
pub(crate) struct Ensure {
    #[command(flatten)]
    pub(crate) field: Field,
    /// Only say what there is to do
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Backfill {
    #[command(flatten)]
    pub(crate) field: Field,
    /// The order in which documents are numbered, as extended JSON
    #[arg(long, value_name = "JSON", value_parser = document, default_value = r#"{"_id": 1}"#)]
    pub(crate) sort: Document,
    /// How many documents are numbered together
    #[arg(long, default_value_t = 1_000)]
    pub(crate) batch_size: usize,
    /// Only say how many documents have no number
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Adopt {
    #[command(flatten)]
    pub(crate) of: Of,
    /// Whose counter it is
    #[arg(long, value_enum)]
    pub(crate) from: Library,
    /// What its counter is called there: the id, the model for `identity-counter`, "<collection>.<field>" for `mongoengine`
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// `mongoose-sequence`: the value of the reference field, as extended JSON. `identity-counter`: the field
    #[arg(long)]
    pub(crate) reference: Option<String>,
    /// The collection of the other counter, if it is not where the library has it; needed for `by-id` and `other`
    #[arg(long)]
    pub(crate) in_collection: Option<String>,
    /// `other`: what finds the document of the counter, as extended JSON
    #[arg(long, value_name = "JSON", value_parser = document)]
    pub(crate) filter: Option<Document>,
    /// `other`: the field that holds the number
    #[arg(long, value_name = "FIELD")]
    pub(crate) number_field: Option<String>,
    /// `other`: the field holds the number to give out next, and not the last
    #[arg(long)]
    pub(crate) holds_next: bool,
    /// Only say what would be taken over
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Library {
    /// {_id: <key>, seq: <last>}, as in tutorials and Spring applications
    ById,
    MongooseSequence,
    /// mongoose-auto-increment and typegoose
    IdentityCounter,
    MongoidAutoinc,
    Doctrine,
    Mongoengine,
    /// Described by --in-collection, --filter and --number-field
    Other,
}

#[derive(Args, Debug)]
pub(crate) struct Raise {
    #[command(flatten)]
    pub(crate) of: Of,
    /// The last number that was given out elsewhere
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) to: i64,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Restart {
    #[command(flatten)]
    pub(crate) of: Of,
    /// The next number
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) next: i64,
    /// Nobody uses the sequence now, so nobody has numbers in blocks
    #[arg(long)]
    pub(crate) assume_stopped: bool,
    /// Do not ask before the counter is lowered
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Field {
    pub(crate) fn on(&self, database: &Database) -> NumberedField {
        let collection = database.collection::<Document>(&self.collection);
        let field = NumberedField::new(&collection, &self.numbered)
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

    /// Whether numbers that were handed out, up to `last`, come again if `next` is the next one.
    pub(crate) fn goes_back(&self, last: i64, next: i64) -> bool {
        if self.step > 0 { next <= last } else { next >= last }
    }
}

impl Of {
    pub(crate) fn on(&self, database: &Database) -> Result<Sequence, Error> {
        Ok(self.field.on(database).sequence(&self.of.clone().unwrap_or_default())?)
    }
}

/// A document in extended JSON.
fn document(text: &str) -> Result<Document, String> {
    match bson(text)? {
        Bson::Document(document) => Ok(document),
        other => Err(format!("expected a document in braces, found {other}")),
    }
}

pub(crate) fn bson(text: &str) -> Result<Bson, String> {
    serde_json::from_str(text).map_err(|error| format!("this is no extended JSON: {error}"))
}
