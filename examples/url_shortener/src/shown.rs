//! A link as it is shown, on pages and by the API.

use serde::Serialize;
use url::Url;

use crate::Link;

#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) slug: String,
    /// The whole short link.
    pub(crate) short: String,
    pub(crate) target: String,
    /// RFC 3339, in UTC.
    pub(crate) created: String,
}

impl Shown {
    pub(crate) fn new(link: Link, base: &Url) -> Self {
        let slug = link.slug();
        let created = link.created.try_to_rfc3339_string().unwrap_or_default();
        Self { short: format!("{}/{slug}", base.as_str().trim_end_matches('/')), slug, target: link.target, created }
    }

    /// Day and minute, for people.
    pub(crate) fn minute(&self) -> String {
        self.created.chars().take("2026-01-31T23:59".len()).collect::<String>().replace('T', " ")
    }
}
