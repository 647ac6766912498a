//! Which counter of another library.

use clap::{Args, ValueEnum};
use mongodb::bson::Document;

use super::{Of, field::document};

#[derive(Args, Debug)]
pub(crate) struct Adopt {
    #[command(flatten)]
    pub(crate) of: Of,
    /// Whose counter it is
    #[arg(long, value_enum)]
    pub(crate) from: Library,
    /// What its counter is called there: the id, the model for `identity-counter`, "<collection>.<field>" for
    /// `mongoengine`, "<model>_<field>" for `mongoid-autoinc`
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// `mongoose-sequence`: its `reference_value` as extended JSON, such as {"project": "web"}. `identity-counter`: the
    /// field
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
