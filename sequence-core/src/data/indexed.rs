//! What the indexes say of the numbers.

use std::time::Duration;

use mongodb::{
    IndexModel,
    bson::{Bson, Document, doc},
};

use super::{Data, simple};
use crate::{Result, document::Verbatim, index};

/// How long a query may run that groups all numbers.
const GROUP_TIME: Duration = Duration::from_secs(300);
/// How many duplicates are listed.
const LISTED: i32 = 20;

impl Data {
    /// Whether a look at the data is one at an index. It need not be for a sequence without a scope, which looks once.
    pub(crate) async fn is_indexed(&self) -> Result<bool> {
        Ok(self.scope.is_empty() || self.has_index().await?)
    }

    async fn has_index(&self) -> Result<bool> {
        if self.field == "_id" {
            return Ok(true);
        }
        let indexes = index::list(&self.collection).await?;
        Ok(indexes.iter().any(|index| index::serves(index, &self.index_keys(), &self.present())))
    }

    /// Whether a number can be refused because it is there.
    pub(crate) async fn has_unique_index(&self) -> Result<bool> {
        if self.field == "_id" {
            return Ok(true);
        }
        let keys = self.index_keys();
        let indexes = index::list(&self.collection).await?;
        Ok(indexes
            .iter()
            .any(|index| index::is_unique(index) && index::is_over(index, keys.keys().map(String::as_str))))
    }

    /// Whether an index sees to it that no number is there twice.
    pub(crate) async fn forbids_duplicates(&self) -> Result<bool> {
        let (keys, present) = (self.index_keys(), self.present());
        let forbids = |index: &IndexModel| {
            index::is_unique(index)
                && index::is_over(index, keys.keys().map(String::as_str))
                && index::is_over_all(index, &keys, &present)
        };
        Ok(self.field == "_id" || index::list(&self.collection).await?.iter().any(forbids))
    }

    /// Whether a document may have a list in the field, which is found by its elements. The index knows; what cannot be
    /// asked may.
    pub(crate) async fn may_hold_lists(&self) -> bool {
        if self.field == "_id" {
            return false;
        }
        let find = doc! { "find": self.collection.name(), "filter": self.present() };
        let explain = doc! { "explain": find, "verbosity": "queryPlanner" };
        let Ok(plan) = self.database().run_command(explain).await else { return true };
        let answers = multikey(&plan);
        answers.is_empty() || answers.contains(&true)
    }

    /// The first numbers that more than one document has, each with its scope and how many have it.
    pub(crate) async fn duplicates(&self) -> Result<Vec<Document>> {
        let keys = self.index_keys();
        // as the index has them: what is missing is null, and of a list each element once
        let number = format!("${}", self.field);
        let each = doc! { "$cond": [{ "$isArray": &number }, { "$setUnion": [&number, []] }, &number] };
        let of_key = |field: &String| -> Bson {
            if *field == self.field {
                return number.clone().into();
            }
            doc! { "$ifNull": [format!("${field}"), Bson::Null] }.into()
        };
        let of_key: Document = keys.keys().map(|field| (field.clone(), of_key(field))).collect();
        let pipeline = [
            doc! { "$match": self.present() },
            doc! { "$set": { &self.field: each } },
            doc! { "$unwind": &number },
            doc! { "$group": { "_id": of_key, "documents": { "$sum": 1 } } },
            doc! { "$match": { "documents": { "$gt": 1 } } },
            doc! { "$sort": { "_id": 1 } },
            doc! { "$limit": LISTED },
            doc! { "$replaceWith": { "$mergeObjects": ["$_id", { "documents": "$documents" }] } },
        ];
        let found = self
            .collection
            .aggregate(pipeline)
            .with_type::<Verbatim>()
            .allow_disk_use(true)
            .collation(simple())
            .max_time(GROUP_TIME);
        let mut found = found.await?;
        let mut duplicates = Vec::new();
        while found.advance().await? {
            duplicates.push(found.deserialize_current()?.0);
        }
        Ok(duplicates)
    }
}

/// What the stages of a plan say of their indexes.
fn multikey(plan: &Document) -> Vec<bool> {
    let inner = plan.iter().flat_map(|(name, value)| match value {
        Bson::Boolean(is) if name == "isMultiKey" => vec![*is],
        Bson::Document(inner) => multikey(inner),
        Bson::Array(all) => all.iter().filter_map(Bson::as_document).flat_map(multikey).collect(),
        _ => Vec::new(),
    });
    inner.collect()
}
