//! Two collections are brought over, and continued: `migrate [CUSTOMERS.csv AUTO_INCREMENT]`.

mod customers;
mod old_service;
mod tickets;

use std::{env, fs::File, path::PathBuf, process::ExitCode};

use mongo_sequence::AutoIncrement;
use mongod_fixture::Server;
use mongodb::{Client, Collection};

use crate::{customers::Customer, tickets::Ticket};

/// The exit code if counters and data do not agree.
const WRONG: u8 = 3;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = env::args_os().skip(1);
    let sample = || concat!(env!("CARGO_MANIFEST_DIR"), "/data/customers.csv").into();
    let csv: PathBuf = arguments.next().map_or_else(sample, PathBuf::from);
    let auto_increment = match arguments.next() {
        Some(number) => number.to_string_lossy().parse()?,
        None => 1205,
    };

    let server = Server::get().await?;
    println!("{server}\n");
    let client = Client::with_uri_str(server.uri()).await?;
    let database = client.database(&env::var("DATABASE").unwrap_or_else(|_| "helpdesk".to_owned()));
    if database.list_collection_names().await?.is_empty() {
        old_service::leave_behind(&database).await?;
    }

    let customers: Collection<Customer> = database.collection("customers");
    let imported = customers::import(&customers, File::open(&csv)?, auto_increment).await?;
    println!("customers: {imported}\n");

    for (project, adopted) in tickets::take_over(&database).await? {
        println!(
            "tickets of {project}: the old service gave out {} last, ours stands at {}",
            adopted.found, adopted.value
        );
    }

    let tickets: Collection<Ticket> = database.collection("tickets");
    let mut reports = Customer::verify_sequences(&customers).await?;
    reports.extend(Ticket::verify_sequences(&tickets).await?);
    for report in &reports {
        println!("\n{report}");
    }
    let clean = reports.iter().all(|report| report.is_clean() && report.indexed);
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(WRONG) })
}
