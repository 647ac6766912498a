//! The commands that set a counter.

use mongodb::Database;
use serde_json::json;

use crate::{
    Error, Outcome,
    arguments::{Raise, Restart},
    output::{is_confirmed, number, print},
};

pub(crate) async fn raise(database: &Database, json: bool, raise: &Raise) -> Result<Outcome, Error> {
    let Raise { of, to, dry_run } = raise;
    let sequence = of.on(database).await?;
    let before = sequence.current_value().await?;
    if *dry_run {
        let planned = sequence.raise_to(*to).dry_run().await?;
        print(json, &json!({ "before": before, "planned": planned }), || {
            if before == Some(planned) {
                format!("it stands at {planned} already")
            } else {
                format!("it stands at {}, to be raised to {planned}", number(before))
            }
        })?;
        return Ok(Outcome::Done);
    }
    let after = sequence.raise_to(*to).await?;
    print(json, &json!({ "before": before, "after": after }), || match before {
        None => format!("there was no counter; made at {after}"),
        Some(before) if before == after => format!("it stands at {after} already"),
        Some(before) => format!("raised from {before} to {after}"),
    })?;
    Ok(Outcome::Done)
}

pub(crate) async fn restart(database: &Database, json: bool, restart: &Restart) -> Result<Outcome, Error> {
    let Restart { of, next, assume_stopped, yes, dry_run } = restart;
    let sequence = of.on(database).await?;
    let before = sequence.current_value().await?;
    let plan = format!("it stands at {}; the next number becomes {next}", number(before));
    let restarting = || {
        let restarting = sequence.restart(*next);
        if *assume_stopped { restarting.assume_stopped() } else { restarting }
    };
    // what is refused is not asked for
    restarting().dry_run().await?;
    if *dry_run {
        print(json, &json!({ "before": before, "next": next }), || plan)?;
        return Ok(Outcome::Done);
    }
    if before.is_some_and(|before| of.field.goes_back(before, *next))
        && !yes
        && !is_confirmed(&format!("{plan}, and numbers that were handed out may come again")).await?
    {
        return Ok(Outcome::Declined);
    }
    restarting().await?;
    print(json, &json!({ "before": before, "next": next }), || format!("the next number is {next}"))?;
    Ok(Outcome::Done)
}
