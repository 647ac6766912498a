//! What deployment and collections can promise; looked at where a counter is created, so once per counter.

use mongodb::{
    Client, Collection,
    bson::doc,
    options::Collation,
    results::{CollectionSpecification, CollectionType},
};

use crate::{Error, ErrorKind, Result, document::Verbatim, error::server_code};

/// Server code: the user may not run this command.
const UNAUTHORIZED: i32 = 13;

/// Refuses a counter collection that compares keys by other than their bytes, loses documents, or is none.
pub(crate) async fn check_counters(counters: &Collection<Verbatim>) -> Result<()> {
    let Some(specification) = specification(counters).await? else {
        return Ok(());
    };
    let collation = specification.options.collation.as_ref();
    let reason = match specification.collection_type {
        CollectionType::View => "is a view, and counters must be stored in a collection of their own",
        CollectionType::Timeseries => "is a time series collection, where no document can be counted on",
        _ if specification.options.capped == Some(true) => "is capped: counters would be removed from it",
        _ if collation.is_some_and(is_linguistic) => {
            "has a collation, under which different sequences may share one counter; use a collection without one"
        }
        _ => return Ok(()),
    };
    Err(unsupported(counters, reason))
}

/// Refuses a model collection in which no number can be unique.
pub(crate) async fn check_model(models: &Collection<Verbatim>) -> Result<()> {
    let Some(specification) = specification(models).await? else {
        return Ok(());
    };
    let reason = match specification.collection_type {
        CollectionType::View => "is a view; insert into the collection behind it",
        CollectionType::Timeseries => {
            "is a time series collection, which has no unique index, not even on `_id`; use an ordinary collection"
        }
        _ => return Ok(()),
    };
    Err(unsupported(models, reason))
}

/// Refuses a deployment without transactions: neither a replica set nor a sharded cluster.
pub(crate) async fn check_transactions(client: &Client) -> Result<()> {
    let hello = client.database("admin").run_command(doc! { "hello": 1 }).await?;
    if hello.contains_key("setName") || hello.get_str("msg").is_ok_and(|kind| kind == "isdbgrid") {
        return Ok(());
    }
    Err(Error::new(ErrorKind::TransactionsUnsupported))
}

pub(crate) fn unsupported<T: Send + Sync>(collection: &Collection<T>, reason: &str) -> Error {
    let namespace = collection.namespace().to_string();
    Error::new(ErrorKind::UnsupportedCollection { namespace, reason: reason.to_owned() })
}

/// How the collection was made; `None` if it does not exist yet, or if this user may not know.
async fn specification(collection: &Collection<Verbatim>) -> Result<Option<CollectionSpecification>> {
    let namespace = collection.namespace();
    let database = collection.client().database(&namespace.db);
    let listed = database.list_collections().filter(doc! { "name": &namespace.coll }).await;
    let mut cursor = match listed {
        Err(error) if server_code(&error) == Some(UNAUTHORIZED) => return Ok(None),
        listed => listed?,
    };
    if cursor.advance().await? { Ok(Some(cursor.deserialize_current()?)) } else { Ok(None) }
}

fn is_linguistic(collation: &Collation) -> bool {
    collation.locale != "simple"
}
