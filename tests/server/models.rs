//! The models that several tests use.

use mongo_sequence::AutoIncrement;
use serde::{Deserialize, Serialize, Serializer, ser::Error as _};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, AutoIncrement)]
pub(crate) struct Order {
    #[serde(rename = "_id")]
    #[auto_increment]
    pub(crate) id: i64,
    pub(crate) item: String,
}

pub(crate) fn order() -> Order {
    Order { id: 0, item: "tea".to_owned() }
}

#[derive(Clone, Debug, PartialEq, Serialize, AutoIncrement)]
pub(crate) struct SmallOrder {
    #[serde(rename = "_id")]
    #[auto_increment]
    pub(crate) id: i32,
}

/// Two numbers, one of them without gaps.
#[derive(Clone, Debug, PartialEq, Serialize, AutoIncrement)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invoice {
    #[serde(rename = "_id")]
    #[auto_increment(start = 1000, step = 10)]
    pub(crate) id: u64,
    #[auto_increment(gapless)]
    pub(crate) serial_number: u32,
    pub(crate) text: String,
}

pub(crate) fn invoice() -> Invoice {
    Invoice { id: 0, serial_number: 0, text: "tea".to_owned() }
}

/// Its document depends on the number in a second place, and cannot be made from the number 5.
#[derive(Clone, Debug, PartialEq, AutoIncrement)]
pub(crate) struct Page {
    #[auto_increment]
    pub(crate) id: i64,
}

impl Serialize for Page {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        if self.id == 5 {
            return Err(S::Error::custom("there is no page 5"));
        }
        let mut page = serializer.serialize_struct("Page", 2)?;
        page.serialize_field("id", &self.id)?;
        page.serialize_field("slug", &format!("page-{}", self.id))?;
        page.end()
    }
}

/// Two numbers and nothing else.
#[derive(Clone, Serialize, AutoIncrement)]
pub(crate) struct Plain {
    #[auto_increment]
    pub(crate) a: i64,
    #[auto_increment]
    pub(crate) b: i64,
}
