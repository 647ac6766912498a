//! A billing run: several tenants at once, several clerks for each, and an audit at the end.

mod audit;
mod billing;
mod invoice;

use std::{collections::BTreeMap, env, process::ExitCode};

use mongod_fixture::Server;
use mongodb::Client;

use crate::billing::{Books, Order, Outcome};

/// Each with the number of its first order.
const TENANTS: [(&str, i64); 3] = [("acme", 1001), ("apex", 2001), ("bolt", 3001)];
const CUSTOMERS: [&str; 2] = ["anna", "ben"];
/// How much a customer may owe a tenant, in cents.
const LIMIT: i64 = 100_000;
/// How many tasks bill the orders of a tenant.
const CLERKS: usize = 3;
/// The exit code if the books are wrong.
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
    let server = Server::get().await?;
    println!("{server}\n");
    let client = Client::with_uri_str(server.uri()).await?;
    let name = env::var("DATABASE").unwrap_or_else(|_| "invoices".to_owned());
    let books = Books::open(&client.database(&name)).await?;
    for (tenant, _) in TENANTS {
        for customer in CUSTOMERS {
            books.open_account(tenant, customer, LIMIT).await?;
        }
    }

    // A task for each clerk. Whoever stops waiting for one leaves its transactions whole.
    let clerks: Vec<_> = TENANTS
        .iter()
        .flat_map(|&(tenant, first)| shares(&orders(tenant, first)))
        .map(|orders| {
            let books = books.clone();
            tokio::spawn(async move {
                let mut billed = Vec::new();
                for order in orders {
                    let outcome = books.bill(&order).await?;
                    billed.push((order, outcome));
                }
                Ok::<_, mongo_sequence::Error>(billed)
            })
        })
        .collect();
    let mut billed = Vec::new();
    for clerk in clerks {
        billed.extend(clerk.await??);
    }
    print(billed);

    let wrong = audit::audit(&books).await?;
    for wrong in &wrong {
        println!("wrong: {wrong}");
    }
    println!("{}", if wrong.is_empty() { "the books are right" } else { "the books are wrong" });
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(WRONG) })
}

/// Eight orders of a tenant, in two years. One of them is more than anybody may owe.
fn orders(tenant: &str, first: i64) -> Vec<Order> {
    (0..8)
        .map(|n| Order {
            id: first + n,
            tenant: tenant.to_owned(),
            year: if n < 6 { 2026 } else { 2027 },
            customer: CUSTOMERS[usize::from(n % 2 == 1)].to_owned(),
            cents: if n == 2 { LIMIT + 1 } else { 1_000 * (n + 1) },
        })
        .collect()
}

/// The orders of a tenant, dealt out to its clerks.
fn shares(orders: &[Order]) -> Vec<Vec<Order>> {
    (0..CLERKS).map(|clerk| orders.iter().skip(clerk).step_by(CLERKS).cloned().collect()).collect()
}

fn print(billed: Vec<(Order, Outcome)>) {
    let (mut invoices, mut again) = (BTreeMap::new(), 0);
    for (order, outcome) in billed {
        let Order { id, tenant, customer, cents, .. } = order;
        match outcome {
            Outcome::Invoiced { invoice, runs } => {
                again += runs - 1;
                let line = format!("order {id}, {customer}: {cents} cents");
                invoices.insert((tenant, invoice.text()), line);
            }
            Outcome::Before => println!("order {id} of {tenant} has its invoice already"),
            Outcome::OverLimit => {
                println!("order {id} of {tenant} rolled back: {customer} would owe more than {LIMIT} cents");
            }
        }
    }
    for ((tenant, text), line) in invoices {
        println!("{tenant} {text}  {line}");
    }
    println!("transactions that were run again: {again}\n");
}
