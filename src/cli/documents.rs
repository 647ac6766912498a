//! The commands that change documents.

use std::sync::mpsc;

use indicatif::{ProgressBar, ProgressStyle};
use mongo_sequence::UnsetNumbers;
use mongodb::{
    Database,
    bson::{Bson, Document, doc},
};
use serde_json::{Value, json};

use crate::{
    Error, Outcome,
    arguments::{Backfill, Field, Unset},
    output::{extended, is_confirmed, print},
};

/// How many scopes are listed.
const LISTED: i32 = 20;

pub(crate) async fn unset(database: &Database, json: bool, unset: &Unset) -> Result<Outcome, Error> {
    let Unset { field, duplicates, no_numbers, yes, dry_run } = unset;
    field.require_field(database).await?;
    let taking = || {
        let taking = field.on(database).unset();
        let taking = if *duplicates { taking.duplicates() } else { taking };
        if *no_numbers { taking.no_numbers() } else { taking }
    };
    let (mut documents, mut listed) = listed(taking().dry_run()).await?;
    let mut what = "to lose their number";
    if documents > 0 && !dry_run {
        let plan = format!("{documents} documents lose their number; `--dry-run` lists them");
        if !yes && !is_confirmed(&plan).await? {
            return Ok(Outcome::Declined);
        }
        (documents, listed) = self::listed(taking()).await?;
        what = "have lost their number";
    }
    let one = |(id, value): &(Bson, Bson)| Ok(json!({ "_id": extended(id)?, "value": extended(value)? }));
    let values: Value = listed.iter().map(one).collect::<Result<_, Error>>()?;
    print(json, &json!({ "documents": documents, "listed": values }), || {
        let lines = listed.iter().map(|(id, value)| format!("_id {id}: {value}"));
        lines.chain([format!("{documents} documents {what}")]).collect::<Vec<_>>().join("\n")
    })?;
    Ok(Outcome::Done)
}

/// How many documents, and their `_id`s and numbers.
async fn listed(taking: UnsetNumbers) -> Result<(u64, Vec<(Bson, Bson)>), Error> {
    let (sender, receiver) = mpsc::channel();
    let documents = taking.on_each(move |id, value| drop(sender.send((id.clone(), value.clone())))).await?;
    Ok((documents, receiver.into_iter().collect()))
}

pub(crate) async fn backfill(database: &Database, json: bool, backfill: &Backfill) -> Result<Outcome, Error> {
    let Backfill { field: numbered, sort, batch_size, new_field, dry_run } = backfill;
    let known =
        if *new_field { numbered.require_collection(database).await } else { numbered.require_field(database).await };
    known.map_err(|error| -> Error { format!("{error}; `--new-field` numbers all of them").into() })?;
    let field = numbered.on(database);
    if *dry_run {
        return plan(database, json, numbered).await;
    }
    let bar = bar(Some(0));
    let filling = field.backfill().sort(sort.clone()).batch_size(*batch_size).on_progress(|so_far| {
        bar.set_length(so_far.total.max(so_far.numbered));
        bar.set_position(so_far.numbered);
    });
    let done = filling.await;
    bar.finish_and_clear();
    let done = done?;
    print(json, &json!({ "numbered": done.numbered, "unused": done.unused }), || {
        let unused = if done.unused > 0 { format!(", {} numbers were not used", done.unused) } else { String::new() };
        format!("{} documents numbered{unused}", done.numbered)
    })?;
    Ok(Outcome::Done)
}

/// What a back-fill would number, by scope.
async fn plan(database: &Database, json: bool, field: &Field) -> Result<Outcome, Error> {
    let report = field.on(database).verify().await?;
    let (without, other) = (report.without_number, report.not_a_number);
    let scopes = if field.scope().is_empty() { Vec::new() } else { lacking(database, field).await? };
    let listed: Value = scopes.iter().map(|scope| extended(&scope.clone().into())).collect::<Result<_, _>>()?;
    let value = json!({ "without_number": without, "not_a_number": other, "scopes": listed });
    print(json, &value, || {
        let mut lines = vec![format!("{without} documents have no number")];
        lines.extend(scopes.iter().map(|scope| {
            let documents = scope.get("documents").map_or(String::new(), ToString::to_string);
            format!("  {}: {documents}", scope.get("scope").unwrap_or(&Bson::Null))
        }));
        if other > 0 {
            lines.push(format!("{other} documents have something else than a number, and keep it"));
        }
        lines.join("\n")
    })?;
    Ok(Outcome::Done)
}

/// How many documents of each scope have no number, those with the most first.
async fn lacking(database: &Database, field: &Field) -> Result<Vec<Document>, Error> {
    let of = |name: &String| (name.clone(), doc! { "$ifNull": [format!("${name}"), Bson::Null] }.into());
    let scope: Document = field.scope().iter().map(of).collect();
    let pipeline = [
        doc! { "$match": { field.numbered(): Bson::Null } },
        doc! { "$group": { "_id": scope, "documents": { "$sum": 1_i64 } } },
        doc! { "$sort": { "documents": -1, "_id": 1 } },
        doc! { "$limit": LISTED },
        doc! { "$project": { "_id": 0, "scope": "$_id", "documents": 1 } },
    ];
    let mut found = field.documents(database).aggregate(pipeline).allow_disk_use(true).await?;
    let mut scopes = Vec::new();
    while found.advance().await? {
        scopes.push(found.deserialize_current()?);
    }
    Ok(scopes)
}

/// A progress bar, or a spinner if nobody knows how long it takes. Nothing is drawn where nobody looks.
pub(crate) fn bar(length: Option<u64>) -> ProgressBar {
    let Some(length) = length else {
        let spinner = ProgressBar::new_spinner();
        spinner.enable_steady_tick(std::time::Duration::from_millis(100));
        return spinner;
    };
    let template = "{bar:40} {human_pos}/{human_len} documents, {per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}
