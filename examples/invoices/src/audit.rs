//! Whether the books are right: the numbers, and the ledger next to the invoices.

use std::collections::HashMap;

use futures_util::TryStreamExt;
use mongo_sequence::{AutoIncrement, Result};
use mongodb::{bson::doc, options::ReadConcern};

use crate::{
    billing::{Account, AccountId, Books},
    invoice::Invoice,
};

/// Prints what is found, and tells what is wrong.
pub(crate) async fn audit(books: &Books) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for report in Invoice::verify_sequences(&books.invoices).await? {
        println!("{report}");
        if !report.is_clean() || report.without_number > 0 || !report.indexed {
            wrong.push(format!("the numbers of `{}` are not what they have to be", report.namespace));
        }
        for counter in report.counters.iter().filter(|counter| counter.value > counter.highest) {
            let (value, highest) = (counter.value.unwrap_or_default(), counter.highest.unwrap_or_default());
            wrong.push(format!("{}: {} of {value} numbers are of no invoice any more", counter.scope, value - highest));
        }
    }

    // the ledger and the invoices at one moment, whoever goes on billing
    let mut session = books.client.start_session().await?;
    session.start_transaction().read_concern(ReadConcern::snapshot()).await?;
    let mut found = books.invoices.find(doc! {}).session(&mut session).await?;
    let invoices: Vec<Invoice> = found.stream(&mut session).try_collect().await?;
    let mut found = books.ledger.find(doc! {}).sort(doc! { "_id": 1 }).session(&mut session).await?;
    let accounts: Vec<Account> = found.stream(&mut session).try_collect().await?;
    session.commit_transaction().await?;

    let mut owed: HashMap<AccountId, (usize, i64)> = HashMap::new();
    for Invoice { tenant, customer, cents, .. } in invoices {
        let (count, sum) = owed.entry(AccountId { tenant, customer }).or_default();
        *count += 1;
        *sum += cents;
    }
    let mut total = 0;
    for Account { id, owed: booked, entries, .. } in accounts {
        total += booked;
        let (invoices, sum) = owed.remove(&id).unwrap_or_default();
        let entered: i64 = entries.iter().map(|entry| entry.cents).sum();
        if (entries.len(), entered, booked) != (invoices, sum, sum) {
            let AccountId { tenant, customer } = id;
            let found = format!("{invoices} invoices over {sum} cents, {} entries over {booked}", entries.len());
            wrong.push(format!("{customer} of {tenant}: {found}"));
        }
    }
    wrong.extend(
        owed.into_keys().map(|AccountId { tenant, customer }| format!("{customer} of {tenant} has no account")),
    );
    println!("the ledger has {total} cents");
    Ok(wrong)
}
