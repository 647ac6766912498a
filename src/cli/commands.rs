//! The commands on our own counters.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use indicatif::{ProgressBar, ProgressStyle};
use mongo_sequence::{Sequence, SequenceReport};
use mongodb::{Database, bson::Bson};
use serde_json::json;

use crate::{
    Error, Outcome,
    arguments::{Backfill, Ensure, Field, List, Raise, Restart, Show},
    output::{number, print},
};

pub(crate) async fn list(database: &Database, json: bool, List { counters }: &List) -> Result<Outcome, Error> {
    let listed = Sequence::list_in(database, &counters.counters, &counters.value_field).await?;
    let one = |counter: &mongo_sequence::ListedCounter| {
        json!({
            "key": counter.key,
            "value": counter.value,
            "gave_blocks": counter.gave_blocks,
        })
    };
    print(json, &listed.iter().map(one).collect(), || {
        let key = |counter: &mongo_sequence::ListedCounter| match &counter.key {
            Bson::String(name) => name.clone(),
            other => other.to_string(),
        };
        let width = listed.iter().map(|counter| key(counter).chars().count()).max().unwrap_or_default();
        let lines = listed.iter().map(|counter| {
            let blocks = if counter.gave_blocks { "  (in blocks)" } else { "" };
            format!("{:<width$}  {:>10}{blocks}", key(counter), number(counter.value))
        });
        if listed.is_empty() { "no counters".to_owned() } else { lines.collect::<Vec<_>>().join("\n") }
    })?;
    Ok(Outcome::Done)
}

pub(crate) async fn show(database: &Database, json: bool, Show { of }: &Show) -> Result<Outcome, Error> {
    let value = of.on(database)?.current_value().await?;
    print(json, &json!({ "value": value }), || match value {
        Some(value) => format!("the last number is {value}"),
        None => "there is no counter yet".to_owned(),
    })?;
    Ok(Outcome::Done)
}

pub(crate) async fn verify(database: &Database, json: bool, field: &Field) -> Result<Outcome, Error> {
    let spinner = bar(None);
    let report = field.on(database).verify().await;
    spinner.finish_and_clear();
    let report = report?;
    print(json, &report_json(&report)?, || report.to_string())?;
    Ok(if report.is_clean() { Outcome::Done } else { Outcome::Faults })
}

fn report_json(report: &SequenceReport) -> Result<serde_json::Value, Error> {
    let mut value = serde_json::to_value(report)?;
    value["clean"] = report.is_clean().into();
    Ok(value)
}

pub(crate) async fn ensure(database: &Database, json: bool, ensure: &Ensure) -> Result<Outcome, Error> {
    let Ensure { field, dry_run } = ensure;
    let ensuring = field.on(database).ensure();
    let ensured = if *dry_run { ensuring.dry_run() } else { ensuring }.await?;
    print(json, &serde_json::to_value(&ensured)?, || {
        let made = if *dry_run { "to be made" } else { "made" };
        let indexes = ensured.indexes.iter().map(|keys| format!("index {keys} {made}"));
        let set = if *dry_run { "to be set" } else { "set" };
        let counters = ensured.counters.iter().map(|(name, value)| format!("counter {name} {set} to {value}"));
        let lines: Vec<_> = indexes.chain(counters).collect();
        if lines.is_empty() { "nothing to do".to_owned() } else { lines.join("\n") }
    })?;
    Ok(Outcome::Done)
}

pub(crate) async fn backfill(database: &Database, json: bool, backfill: &Backfill) -> Result<Outcome, Error> {
    let Backfill { field, sort, batch_size, dry_run } = backfill;
    let field = field.on(database);
    if *dry_run {
        let without = field.verify().await?.without_number;
        print(json, &json!({ "without_number": without }), || format!("{without} documents have no number"))?;
        return Ok(Outcome::Done);
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

pub(crate) async fn raise(database: &Database, json: bool, raise: &Raise) -> Result<Outcome, Error> {
    let Raise { of, to, dry_run } = raise;
    let sequence = of.on(database)?;
    let before = sequence.current_value().await?;
    let after = if *dry_run { None } else { Some(sequence.raise_to(*to).await?) };
    print(json, &json!({ "before": before, "after": after }), || match after {
        Some(after) if Some(after) == before => format!("it stands at {after} already"),
        Some(after) => format!("raised from {} to {after}", number(before)),
        None => format!("it stands at {}, to be raised to {to} if that is further", number(before)),
    })?;
    Ok(Outcome::Done)
}

pub(crate) async fn restart(database: &Database, json: bool, restart: &Restart) -> Result<Outcome, Error> {
    let Restart { of, next, assume_stopped, yes, dry_run } = restart;
    let sequence = of.on(database)?;
    let before = sequence.current_value().await?;
    let plan = format!("it stands at {}; the next number becomes {next}", number(before));
    if *dry_run {
        print(json, &json!({ "before": before, "next": next }), || plan)?;
        return Ok(Outcome::Done);
    }
    if before.is_some_and(|before| of.field.goes_back(before, *next)) && !yes && !confirmed(&plan)? {
        return Ok(Outcome::Declined);
    }
    let restarting = sequence.restart(*next);
    if *assume_stopped { restarting.assume_stopped() } else { restarting }.await?;
    print(json, &json!({ "before": before, "next": next }), || format!("the next number is {next}"))?;
    Ok(Outcome::Done)
}

/// Asks, if there is somebody to ask.
fn confirmed(plan: &str) -> Result<bool, Error> {
    if !stdin().is_terminal() {
        return Err(format!("{plan}: say `--yes` where nobody can be asked").into());
    }
    eprint!("{plan}. Numbers that were handed out may come again. Go on? [y/N] ");
    stderr().flush()?;
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}

/// A progress bar, or a spinner if nobody knows how long it takes. Nothing is drawn where nobody looks.
fn bar(length: Option<u64>) -> ProgressBar {
    let Some(length) = length else {
        let spinner = ProgressBar::new_spinner();
        spinner.enable_steady_tick(std::time::Duration::from_millis(100));
        return spinner;
    };
    let template = "{bar:40} {human_pos}/{human_len} documents, {per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}
