//! Customers, from a table with `AUTO_INCREMENT`.

use std::{collections::HashMap, fmt, io::Read};

use futures_util::TryStreamExt;
use mongo_sequence::{AutoIncrement, Error, ErrorKind, GetOrInsert, Result};
use mongodb::{Collection, IndexModel, bson::doc, options::IndexOptions};
use serde::{Deserialize, Serialize};

/// How many rows are stored with one command.
const BATCH: usize = 1000;
/// The largest id, that of INT UNSIGNED. Without a limit one row with a mistyped id could be the last of the sequence.
const MAX_ID: i64 = 4_294_967_295;
/// Server code: a unique index refused the document.
const DUPLICATE_KEY: i32 = 11_000;

/// The old id is kept. A customer without one gets the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
pub(crate) struct Customer {
    #[serde(rename = "_id")]
    #[auto_increment(by_default, max = MAX_ID)]
    id: Option<i64>,
    email: String,
    name: String,
}

/// A row of the table.
#[derive(Deserialize)]
struct Row {
    id: Option<i64>,
    email: String,
    name: String,
}

/// What became of the rows.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    kept: usize,
    numbered: usize,
    before: usize,
    refused: usize,
    /// What there is to say about single rows: the line in the file, and the text.
    remarks: Vec<(u64, String)>,
}

/// Brings the rows over. A row that is there already, from an earlier run, is left as it is.
///
/// Rows with an id come first: the number of a row without one must not be the id of a row further down.
/// `auto_increment` is the table's own: the ids of deleted rows behind the last one are not given again.
pub(crate) async fn import(customers: &Collection<Customer>, csv: impl Read, auto_increment: i64) -> Result<Imported> {
    let unique = IndexOptions::builder().unique(true).build();
    customers.create_index(IndexModel::builder().keys(doc! { "email": 1 }).options(unique).build()).await?;

    let mut imported = Imported::default();
    let (mut with_id, mut without_id) = (Vec::new(), Vec::new());
    for (line, row) in rows(csv) {
        match row {
            Ok(customer) if customer.id.is_some() => with_id.push((line, customer)),
            Ok(customer) => without_id.push((line, customer)),
            Err(why) => imported.refuse(line, &format!("bad row: {why}")),
        }
    }
    for batch in with_id.chunks(BATCH) {
        keep_ids(customers, batch, &mut imported).await?;
    }
    Customer::sequence(customers, "id")?.raise_to(auto_increment - 1).await?;
    for (line, mut customer) in without_id {
        let filter = doc! { "email": &customer.email };
        if customer.get_or_insert_with_seq(customers, filter).await? == GetOrInsert::Found {
            imported.before += 1;
        } else {
            imported.numbered += 1;
            imported.remarks.push((line, format!("no id, numbered {}", customer.id.unwrap_or_default())));
        }
    }
    Ok(imported)
}

/// The rows with their lines, and what is wrong with one that is none.
fn rows(csv: impl Read) -> Vec<(u64, Result<Customer, String>)> {
    let mut reader = csv::Reader::from_reader(csv);
    let headers = reader.headers().cloned().unwrap_or_default();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                rows.push((error.position().map_or(0, csv::Position::line), Err(error.to_string())));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let row = record.deserialize::<Row>(Some(&headers)).map_err(|error| error.to_string());
        rows.push((line, row.and_then(Customer::try_from)));
    }
    rows
}

impl TryFrom<Row> for Customer {
    type Error = String;

    fn try_from(Row { id, email, name }: Row) -> Result<Self, String> {
        match id {
            Some(id) if !(1..=MAX_ID).contains(&id) => Err(format!("{id} is no id")),
            _ => Ok(Self { id, email, name }),
        }
    }
}

/// Stores a batch as it is. The counter goes on behind the highest id in it.
async fn keep_ids(customers: &Collection<Customer>, batch: &[(u64, Customer)], imported: &mut Imported) -> Result<()> {
    let mut models: Vec<Customer> = batch.iter().map(|(_, customer)| customer.clone()).collect();
    let Err(error) = Customer::insert_many_with_seq(&mut models, customers).ordered(false).await else {
        imported.kept += batch.len();
        return Ok(());
    };
    let refused = refused_as_duplicates(&error).ok_or(error)?;
    imported.kept += batch.len() - refused.len();

    let ids: Vec<Option<i64>> = refused.iter().map(|&index| batch[index].1.id).collect();
    let stored: Vec<Customer> = customers.find(doc! { "_id": { "$in": ids } }).await?.try_collect().await?;
    let stored: HashMap<Option<i64>, Customer> = stored.into_iter().map(|stored| (stored.id, stored)).collect();
    for (line, customer) in refused.into_iter().map(|index| &batch[index]) {
        let id = customer.id.unwrap_or_default();
        match stored.get(&customer.id) {
            Some(same) if same == customer => imported.before += 1,
            Some(other) => imported.refuse(*line, &format!("id {id} is taken by {}", other.email)),
            None => imported.refuse(*line, &format!("{} has another id than {id} already", customer.email)),
        }
    }
    Ok(())
}

/// The places in the batch that a unique index refused; `None` if something else went wrong as well.
fn refused_as_duplicates(error: &Error) -> Option<Vec<usize>> {
    let ErrorKind::Incomplete { not_inserted, unknown, .. } = error.kind() else { return None };
    let mongodb::error::ErrorKind::InsertMany(refusals) = &*error.driver_error()?.kind else { return None };
    let refusals = refusals.write_errors.as_deref()?;
    let all = unknown.is_empty()
        && refusals.len() == not_inserted.len()
        && refusals.iter().all(|refusal| refusal.code == DUPLICATE_KEY);
    all.then(|| not_inserted.clone())
}

impl Imported {
    fn refuse(&mut self, line: u64, why: &str) {
        self.refused += 1;
        self.remarks.push((line, format!("not taken over: {why}")));
    }
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kept, numbered, before, refused, remarks } = self;
        write!(
            f,
            "{kept} kept their id, {numbered} were numbered, {before} were there already, {refused} were not taken over"
        )?;
        let mut remarks: Vec<_> = remarks.iter().collect();
        remarks.sort();
        remarks.into_iter().try_for_each(|(line, remark)| write!(f, "\n  line {line}: {remark}"))
    }
}
