//! The invoice, and the text that is printed on it.

use mongo_sequence::AutoIncrement;
use serde::{Deserialize, Serialize};

/// Numbered 1, 2, 3 … for every tenant and year, without gaps.
#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
#[serde(from = "Stored", into = "Stored")]
pub(crate) struct Invoice {
    pub(crate) order: i64,
    pub(crate) tenant: String,
    pub(crate) year: i32,
    #[auto_increment(scope(tenant, year), gapless)]
    pub(crate) number: u32,
    pub(crate) customer: String,
    pub(crate) cents: i64,
}

impl Invoice {
    /// `INV-2026-000042`.
    pub(crate) fn text(&self) -> String {
        format!("INV-{}-{:06}", self.year, self.number)
    }
}

/// The document. The text is there to be searched for and is never read back: it always follows from year and number.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// An order has one invoice, however often it is billed.
    #[serde(rename = "_id")]
    order: i64,
    tenant: String,
    year: i32,
    number: u32,
    #[serde(skip_deserializing)]
    text: String,
    customer: String,
    cents: i64,
}

impl From<Invoice> for Stored {
    fn from(invoice: Invoice) -> Self {
        let text = invoice.text();
        let Invoice { order, tenant, year, number, customer, cents } = invoice;
        Self { order, tenant, year, number, text, customer, cents }
    }
}

impl From<Stored> for Invoice {
    fn from(Stored { order, tenant, year, number, text: _, customer, cents }: Stored) -> Self {
        Self { order, tenant, year, number, customer, cents }
    }
}
