//! Whether a sequence is described in a way that can work. (For a model the derive has checked the same.)

use mongodb::bson::{Bson, Document};

use super::Sequence;

impl Sequence {
    /// What is wrong with it, and what was expected.
    pub(super) fn contradiction(&self) -> Option<String> {
        let (counters, field) = (&self.counters, &self.value_field);
        let (min, max) = (self.min, self.max);
        if self.step == 0 {
            Some("its step is 0, so there would be one number only".to_owned())
        } else if min > max {
            Some(format!("its `min` {min} lies above its `max` {max}"))
        } else if let Some(start) = self.start.filter(|start| !(min..=max).contains(start)) {
            Some(format!("its start {start} is not between its `min` {min} and its `max` {max}"))
        } else if counters.is_empty() || counters.contains(['$', '\0']) || counters.starts_with("system.") {
            Some(format!("MongoDB has no collection called `{counters}`"))
        } else if field.is_empty() || field == "_id" || field.starts_with('$') || field.contains(['.', '\0']) {
            Some(format!("a counter cannot hold its value in a field called `{field}`"))
        } else {
            unusable_key(&self.key)
        }
    }
}

/// What MongoDB refuses as `_id`, or would not compare as a plain value.
fn unusable_key(key: &Bson) -> Option<String> {
    let operator = |document: &Document| document.keys().next().is_some_and(|name| name.starts_with('$'));
    match key {
        Bson::Array(_) | Bson::RegularExpression(_) | Bson::Undefined | Bson::Null => {
            Some(format!("a counter cannot have the `_id` {key}; use a string or a document"))
        }
        Bson::Document(document) if operator(document) => {
            Some("the first name in the `_id` of a counter cannot start with `$`".to_owned())
        }
        _ => None,
    }
}
