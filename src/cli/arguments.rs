//! What can be said on the command line.

mod adopt;
mod field;

use clap::{Args, Parser, Subcommand};
use mongodb::bson::Document;

use self::field::document;
pub(crate) use self::{
    adopt::{Adopt, Library},
    field::{Counters, Field, Of, bson},
};

/// Looks after auto-increment numbers in MongoDB: what the counters say, whether the data agrees, and what to do about it.
///
/// Exit status: 0 done, 1 an error, 2 wrong usage, 3 `verify` found something wrong, 4 not confirmed, 130 stopped.
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

impl Command {
    /// What to know when it was stopped in the middle.
    pub(crate) fn when_stopped(&self) -> &'static str {
        match self {
            Self::Backfill(backfill) if !backfill.field.is_gapless() => {
                "stopped; what is numbered stays so. Run it again for the rest; numbers of one batch may be left unused"
            }
            Self::Backfill(_) | Self::Unset(_) => "stopped; what is done stays done. Run it again for the rest",
            _ => "stopped",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// All counters and where they stand
    List(List),
    /// Where one sequence stands
    Show(Show),
    /// Compare counters and data: missing numbers, duplicates, counters behind the data. Writes nothing
    Verify(Verify),
    /// Make the unique index that numbers need, and raise the counter to the data
    Ensure(Ensure),
    /// Take numbers away from documents that share them, or what is no number: `backfill` gives new ones
    Unset(Unset),
    /// Number the documents that have no number
    Backfill(Backfill),
    /// Go on from the counter of another library, which must have stopped giving out numbers
    Adopt(Adopt),
    /// Raise a counter; it is never lowered
    Raise(Raise),
    /// Set the next number, also to a lower one
    Restart(Restart),
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
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) field: Field,
    /// A document without a number is a fault too, and so is a missing unique index
    #[arg(long)]
    pub(crate) complete: bool,
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
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[group(id = "what", required = true, multiple = true, args = ["duplicates", "no_numbers"])]
pub(crate) struct Unset {
    #[command(flatten)]
    pub(crate) field: Field,
    /// From documents whose number another one of the same scope has too, all but the first by `_id`
    #[arg(long)]
    pub(crate) duplicates: bool,
    /// What is no whole number: a text, a fraction, a list
    #[arg(long)]
    pub(crate) no_numbers: bool,
    /// Do not ask before it is done
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Only list the documents
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
    /// No document has this field yet
    #[arg(long)]
    pub(crate) new_field: bool,
    /// Only say how many documents have no number
    #[arg(long)]
    pub(crate) dry_run: bool,
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
