//! Counters of other libraries.

use clap::ValueEnum;
use mongo_sequence::ForeignCounter;
use mongodb::{Database, bson::Bson};
use serde_json::json;

use crate::{
    Error, Outcome,
    arguments::{Adopt, Library, bson},
    output::{number, print},
    usage,
};

pub(crate) async fn adopt(database: &Database, json: bool, adopt: &Adopt) -> Result<Outcome, Error> {
    let foreign = counter(adopt)?;
    let sequence = adopt.of.on(database).await?;
    if adopt.dry_run {
        let (found, value) = (sequence.adoptable(&foreign).await?, sequence.current_value().await?);
        let planned = sequence.raise_to(found).dry_run().await?;
        print(json, &json!({ "found": found, "value": value, "planned": planned }), || {
            let stands = number(value);
            format!("the other counter gave out {found} last, ours stands at {stands}, and will at {planned}")
        })?;
        return Ok(Outcome::Done);
    }
    let adopted = sequence.adopt(&foreign).await?;
    print(json, &json!({ "found": adopted.found, "value": adopted.value }), || {
        format!("the other counter gave out {} last, ours stands at {} now", adopted.found, adopted.value)
    })?;
    Ok(Outcome::Done)
}

fn counter(adopt: &Adopt) -> Result<ForeignCounter, Error> {
    let Adopt { from, key, reference, in_collection, filter, number_field, holds_next, .. } = adopt;
    let library = from.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let needed = |option: &str, what: &str| usage(format!("`--from {library}` needs `{option}`: {what}"));
    let is_other = matches!(from, Library::Other);
    for (option, is_said, is_known) in [
        ("--key", key.is_some(), !is_other),
        ("--reference", reference.is_some(), matches!(from, Library::MongooseSequence | Library::IdentityCounter)),
        ("--filter", filter.is_some(), is_other),
        ("--number-field", number_field.is_some(), is_other),
        ("--holds-next", *holds_next, is_other),
    ] {
        if is_said && !is_known {
            return Err(usage(format!("`{option}` says nothing to `--from {library}`")));
        }
    }
    let key = || key.as_deref().ok_or_else(|| needed("--key", "what the counter is called there"));
    let place = || in_collection.as_deref().ok_or_else(|| needed("--in-collection", "where that counter is"));
    let counter = match from {
        Library::ById => ForeignCounter::by_id(place()?, key()?),
        Library::MongooseSequence => {
            let reference = reference.as_deref().map(bson).transpose();
            let reference =
                reference.map_err(|error| usage(format!("`--reference`: {error}; a text is '\"acme\"'")))?;
            ForeignCounter::mongoose_sequence(key()?, reference.unwrap_or(Bson::Null))
        }
        Library::IdentityCounter => {
            let field =
                reference.as_deref().ok_or_else(|| needed("--reference", "the field, `_id` by default there"))?;
            ForeignCounter::identity_counter(key()?, field)
        }
        Library::MongoidAutoinc => ForeignCounter::mongoid_autoinc(key()?),
        Library::Doctrine => ForeignCounter::doctrine(key()?),
        Library::Mongoengine => ForeignCounter::mongoengine(key()?),
        Library::Other => {
            let filter = filter.clone().ok_or_else(|| needed("--filter", "what finds that counter"))?;
            if filter.is_empty() {
                return Err(usage("`--filter` is empty: it has to find that counter alone".to_owned()));
            }
            let field = number_field.as_deref().ok_or_else(|| needed("--number-field", "what holds the number"))?;
            let counter = ForeignCounter::new(place()?, filter, field);
            if *holds_next { counter.holds_next() } else { counter }
        }
    };
    Ok(match in_collection {
        Some(collection) => counter.in_collection(collection),
        None => counter,
    })
}
