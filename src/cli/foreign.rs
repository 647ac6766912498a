//! Counters of other libraries.

use mongo_sequence::ForeignCounter;
use mongodb::{Database, bson::Bson};
use serde_json::json;

use crate::{
    Error, Outcome,
    arguments::{Adopt, Library, bson},
    output::{number, print},
};

pub(crate) async fn adopt(database: &Database, json: bool, adopt: &Adopt) -> Result<Outcome, Error> {
    let foreign = counter(adopt)?;
    let sequence = adopt.of.on(database)?;
    if adopt.dry_run {
        let (found, value) = (sequence.adoptable(&foreign).await?, sequence.current_value().await?);
        print(json, &json!({ "found": found, "value": value }), || {
            format!("the other counter gave out {found} last, ours stands at {}", number(value))
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
    let key = || adopt.key.as_deref().ok_or("`--key` is needed: what the counter is called there");
    let collection = || adopt.in_collection.as_deref().ok_or("`--in-collection` is needed: where that counter is");
    let counter = match adopt.from {
        Library::ById => ForeignCounter::by_id(collection()?, key()?),
        Library::MongooseSequence => {
            let reference = adopt.reference.as_deref().map(bson).transpose()?.unwrap_or(Bson::Null);
            ForeignCounter::mongoose_sequence(key()?, reference)
        }
        Library::IdentityCounter => {
            let field =
                adopt.reference.as_deref().ok_or("`--reference` is needed: the field, `_id` by default there")?;
            ForeignCounter::identity_counter(key()?, field)
        }
        Library::MongoidAutoinc => ForeignCounter::mongoid_autoinc(key()?),
        Library::Doctrine => ForeignCounter::doctrine(key()?),
        Library::Mongoengine => ForeignCounter::mongoengine(key()?),
        Library::Other => {
            let filter = adopt.filter.clone().ok_or("`--filter` is needed: what finds that counter")?;
            let field = adopt.number_field.as_deref().ok_or("`--number-field` is needed: what holds the number")?;
            let counter = ForeignCounter::new(collection()?, filter, field);
            return Ok(if adopt.holds_next { counter.holds_next() } else { counter });
        }
    };
    Ok(match &adopt.in_collection {
        Some(collection) => counter.in_collection(collection),
        None => counter,
    })
}
