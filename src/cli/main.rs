//! `mongo-sequence`: looks after sequences from the command line. It uses nothing but the public API of the library.

mod arguments;
mod commands;
mod foreign;
mod output;

use std::process::ExitCode;

use clap::Parser;
use mongodb::{Client, Database};

use crate::arguments::{Arguments, Command};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// How a command has ended. What went wrong on the way is 1, and wrong usage 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    /// Something is wrong with the numbers.
    Faults,
    /// The user did not confirm.
    Declined,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Faults => Self::from(3),
            Outcome::Declined => Self::from(4),
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments).await {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            eprintln!("mongo-sequence: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(Arguments { uri, database, json, command }: Arguments) -> Result<Outcome, Error> {
    let client = Client::with_uri_str(&uri).await?;
    let database = match database {
        Some(name) => client.database(&name),
        None => client.default_database().ok_or("no database: name one with `--database`, or in the URI")?,
    };
    let outcome = dispatch(&database, json, command).await;
    client.shutdown().await;
    outcome
}

async fn dispatch(database: &Database, json: bool, command: Command) -> Result<Outcome, Error> {
    match command {
        Command::List(list) => commands::list(database, json, &list).await,
        Command::Show(show) => commands::show(database, json, &show).await,
        Command::Verify(field) => commands::verify(database, json, &field).await,
        Command::Ensure(ensure) => commands::ensure(database, json, &ensure).await,
        Command::Backfill(backfill) => commands::backfill(database, json, &backfill).await,
        Command::Adopt(adopt) => foreign::adopt(database, json, &adopt).await,
        Command::Raise(raise) => commands::raise(database, json, &raise).await,
        Command::Restart(restart) => commands::restart(database, json, &restart).await,
    }
}
