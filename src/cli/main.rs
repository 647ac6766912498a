//! `mongo-sequence`: looks after sequences from the command line. It uses nothing but the public API of the library.

mod arguments;
mod commands;
mod counters;
mod documents;
mod foreign;
mod output;

use std::{process::ExitCode, time::Duration};

use clap::{CommandFactory, Parser, error::ErrorKind};
use mongodb::{Client, Database, options::ClientOptions};

use crate::arguments::{Arguments, Command};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// How long a server is looked for, unless the URI says otherwise.
const SELECTION_TIME: Duration = Duration::from_secs(10);

/// The status of a program that the user has interrupted.
const STOPPED: i32 = 130;

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
    let when_stopped = arguments.command.when_stopped();
    let outcome = tokio::select! {
        outcome = run(arguments) => outcome,
        _ = tokio::signal::ctrl_c() => {
            eprintln!("mongo-sequence: {when_stopped}");
            // at once: the runtime would wait for an answer that may never be typed
            std::process::exit(STOPPED);
        }
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => match error.downcast::<clap::Error>() {
            Ok(usage) => usage.exit(),
            Err(error) => {
                eprintln!("mongo-sequence: {}", output::error(&error));
                ExitCode::FAILURE
            }
        },
    }
}

async fn run(Arguments { uri, database, json, command }: Arguments) -> Result<Outcome, Error> {
    let mut options = ClientOptions::parse(&uri).await.map_err(|error| usage(format!("--uri: {}", error.kind)))?;
    options.server_selection_timeout.get_or_insert(SELECTION_TIME);
    let client = Client::with_options(options)?;
    let database = match database {
        Some(name) => client.database(&name),
        None => client
            .default_database()
            .ok_or_else(|| usage("no database: name one with `--database`, or in the URI".to_owned()))?,
    };
    let outcome = dispatch(&database, json, command).await;
    client.shutdown().await;
    outcome
}

async fn dispatch(database: &Database, json: bool, command: Command) -> Result<Outcome, Error> {
    match command {
        Command::List(list) => commands::list(database, json, &list).await,
        Command::Show(show) => commands::show(database, json, &show).await,
        Command::Verify(verify) => commands::verify(database, json, &verify).await,
        Command::Ensure(ensure) => commands::ensure(database, json, &ensure).await,
        Command::Unset(unset) => documents::unset(database, json, &unset).await,
        Command::Backfill(backfill) => documents::backfill(database, json, &backfill).await,
        Command::Adopt(adopt) => foreign::adopt(database, json, &adopt).await,
        Command::Raise(raise) => counters::raise(database, json, &raise).await,
        Command::Restart(restart) => counters::restart(database, json, &restart).await,
    }
}

/// Something in the arguments that the parser could not see.
fn usage(message: String) -> Error {
    Arguments::command().error(ErrorKind::ValueValidation, message).into()
}
