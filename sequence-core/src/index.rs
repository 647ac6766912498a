//! The indexes of a collection, and which of them a look at the data can use.

use mongodb::{
    Collection, IndexModel,
    bson::{Bson, Document},
};

use crate::{Result, error::server_code};

/// Server code: there is no such collection.
const NAMESPACE_NOT_FOUND: i32 = 26;

/// All indexes; none of a collection that does not exist yet.
pub(crate) async fn list<T: Send + Sync>(collection: &Collection<T>) -> Result<Vec<IndexModel>> {
    let mut cursor = match collection.list_indexes().await {
        Err(error) if server_code(&error) == Some(NAMESPACE_NOT_FOUND) => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut indexes = Vec::new();
    while cursor.advance().await? {
        indexes.push(cursor.deserialize_current()?);
    }
    Ok(indexes)
}

pub(crate) fn name(index: &IndexModel) -> Option<&str> {
    index.options.as_ref()?.name.as_deref()
}

pub(crate) fn is_unique(index: &IndexModel) -> bool {
    index.options.as_ref().is_some_and(|options| options.unique.unwrap_or(false))
}

/// Whether the index is over these fields and no others, in any order.
pub(crate) fn is_over<'f>(index: &IndexModel, fields: impl IntoIterator<Item = &'f str>) -> bool {
    let mut fields = fields.into_iter();
    let mut n = 0;
    fields.all(|field| {
        n += 1;
        index.keys.contains_key(field)
    }) && index.keys.len() == n
}

/// Whether the server can use the index for the highest number of a scope: the scope fields in any order, then the
/// number; visible, compared by bytes, and over everything that is numbered.
pub(crate) fn serves(index: &IndexModel, keys: &Document, present: &Document) -> bool {
    let scope = keys.len() - 1;
    let fields = index.keys.keys().zip(keys.keys()).enumerate();
    let in_order = index.keys.len() >= keys.len()
        && fields.take(keys.len()).all(|(at, (field, number))| {
            if at < scope { keys.keys().take(scope).any(|name| name == field) } else { field == number }
        })
        && index.keys.values().take(keys.len()).all(is_direction);
    let Some(options) = &index.options else { return in_order };
    in_order
        && !options.hidden.unwrap_or(false)
        && options.collation.as_ref().is_none_or(|collation| collation.locale == "simple")
        && is_over_all(index, keys, present)
}

/// Whether every numbered document is in the index.
pub(crate) fn is_over_all(index: &IndexModel, keys: &Document, present: &Document) -> bool {
    let filter = index.options.as_ref().and_then(|options| options.partial_filter_expression.as_ref());
    filter.is_none_or(|filter| filter == present || is_existence(filter, keys))
}

/// Whether the server takes it for the same index, under another name or with other options: it refuses a second one.
pub(crate) fn is_same(index: &IndexModel, keys: &Document, present: &Document) -> bool {
    let Some(options) = &index.options else { return false };
    index.keys == *keys
        && options.collation.as_ref().is_none_or(|collation| collation.locale == "simple")
        && options.partial_filter_expression.as_ref() == Some(present)
}

/// `1` or `-1`, and not `"text"`, `"hashed"`, …
fn is_direction(value: &Bson) -> bool {
    matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_))
}

/// `{number: {$exists: true}}`
fn is_existence(filter: &Document, keys: &Document) -> bool {
    let exists = |condition: &Bson| match condition {
        Bson::Document(condition) => condition.len() == 1 && condition.get_bool("$exists").is_ok_and(|exists| exists),
        _ => false,
    };
    filter.len() == 1 && filter.iter().all(|(field, condition)| Some(field) == keys.keys().last() && exists(condition))
}
