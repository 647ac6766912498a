//! The commands that look, and `ensure`.

use mongo_sequence::Sequence;
use mongodb::{Database, bson::Bson};
use serde_json::json;

use crate::{
    Error, Outcome,
    arguments::{Ensure, List, Show, Verify},
    documents::bar,
    output::{extended, in_words, number, print},
};

pub(crate) async fn list(database: &Database, json: bool, List { counters }: &List) -> Result<Outcome, Error> {
    let listed = Sequence::list_in(database, &counters.counters, &counters.value_field).await?;
    let one = |counter: &mongo_sequence::ListedCounter| {
        Ok(json!({
            "key": extended(&counter.key)?,
            "value": counter.value,
            "gave_blocks": counter.gave_blocks,
        }))
    };
    print(json, &listed.iter().map(one).collect::<Result<_, Error>>()?, || {
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
    let value = of.on(database).await?.current_value().await?;
    print(json, &json!({ "value": value }), || match value {
        Some(value) => format!("the last number is {value}"),
        None => "there is no counter yet".to_owned(),
    })?;
    Ok(Outcome::Done)
}

pub(crate) async fn verify(database: &Database, json: bool, verify: &Verify) -> Result<Outcome, Error> {
    let Verify { field, complete } = verify;
    field.require_collection(database).await?;
    let spinner = bar(None);
    let report = field.on(database).verify().await;
    spinner.finish_and_clear();
    let report = report?;
    // a name that was mistyped is no clean sequence
    if report.counters.is_empty() && report.documents + report.outside + report.not_a_number == 0 {
        field.require_field(database).await?;
    }
    let is_complete = report.without_number == 0 && report.indexed;
    let mut value = serde_json::to_value(&report)?;
    value["first_not_a_number"] = report.first_not_a_number.iter().map(extended).collect::<Result<_, _>>()?;
    for (at, counter) in report.counters.iter().enumerate() {
        value["counters"][at]["scope"] = extended(&counter.scope.clone().into())?;
    }
    value["clean"] = report.is_clean().into();
    value["complete"] = is_complete.into();
    print(json, &value, || in_words(report.to_string()))?;
    Ok(if report.is_clean() && (is_complete || !complete) { Outcome::Done } else { Outcome::Faults })
}

pub(crate) async fn ensure(database: &Database, json: bool, ensure: &Ensure) -> Result<Outcome, Error> {
    let Ensure { field, dry_run } = ensure;
    let is_new = field.require_collection(database).await.is_err();
    let ensuring = field.on(database).ensure();
    let ensured = if *dry_run { ensuring.dry_run() } else { ensuring }.await?;
    print(json, &serde_json::to_value(&ensured)?, || {
        let made = if *dry_run { "to be made" } else { "made" };
        let indexes = ensured.indexes.iter().map(|keys| format!("index {keys} {made}"));
        let set = if *dry_run { "to be set" } else { "set" };
        let counters = ensured.counters.iter().map(|(name, value)| format!("counter {name} {set} to {value}"));
        let collection = is_new.then(|| "there was no such collection: is the name right?".to_owned());
        let lines: Vec<_> = indexes.chain(counters).chain(collection).collect();
        if lines.is_empty() { "nothing to do".to_owned() } else { lines.join("\n") }
    })?;
    Ok(Outcome::Done)
}
