//! `adopt`: the counter of another library is continued.

use mongodb::{
    Database,
    bson::{Bson, Document, doc},
};

use crate::{
    Error, ErrorKind, Result, Sequence,
    data::as_it_is_now,
    document::Verbatim,
    number,
    observe::{Action, Span},
};

/// Where another library, or a hand-made counter, keeps the number to go on from. It is only read.
///
/// Before it is taken over, that library must have given out its last number: what it gives out afterwards, this one gives
/// out again.
///
/// All libraries named here store the last number that they gave out, also the one that calls the field `next`. A counter
/// that holds the number to give out next is described with [`new`](Self::new) and [`holds_next`](Self::holds_next).
#[derive(Clone, Debug)]
pub struct ForeignCounter {
    collection: String,
    filter: Document,
    field: String,
    holds_next: bool,
}

impl ForeignCounter {
    /// The document of this collection that the filter finds, with the last number given out in `field`. If it finds
    /// several, the furthest number counts.
    #[must_use]
    pub fn new(collection: impl Into<String>, filter: Document, field: impl Into<String>) -> Self {
        Self { collection: collection.into(), filter, field: field.into(), holds_next: false }
    }

    /// That the field holds the number to give out next.
    #[must_use]
    pub fn holds_next(mut self) -> Self {
        self.holds_next = true;
        self
    }

    /// A counter with a name of its own, in the way of the tutorial in MongoDB's older manuals and of those for Spring:
    /// `{_id: <name>, seq: <last>}`. MongoDB's tutorial for Atlas triggers has `{_id: {db, coll}, seq_value: <last>}`:
    /// describe that with [`new`](Self::new).
    #[must_use]
    pub fn by_id(collection: impl Into<String>, id: impl Into<Bson>) -> Self {
        Self::new(collection, doc! { "_id": { "$eq": id.into() } }, "seq")
    }

    /// mongoose-sequence, whose counters are in `counters`: `{id: <name>, reference_value: <scope>, seq: <last>}`. Without
    /// a scope `reference_value` is null. With one it is a document of the reference fields, sorted by name
    /// (`{project: "web"}`); up to version 4 it was an array of their values as JSON texts (`["\"web\""]`).
    #[must_use]
    pub fn mongoose_sequence(id: impl Into<String>, reference_value: impl Into<Bson>) -> Self {
        let filter = doc! { "id": { "$eq": id.into() }, "reference_value": { "$eq": reference_value.into() } };
        Self::new("counters", filter, "seq")
    }

    /// mongoose-auto-increment and typegoose's `auto-increment`, whose counters are in `identitycounters`:
    /// `{model: <model>, field: <field>, count: <last>}`, where typegoose, since 0.9, says `modelName`.
    #[must_use]
    pub fn identity_counter(model: &str, field: &str) -> Self {
        let model = [doc! { "model": { "$eq": model } }, doc! { "modelName": { "$eq": model } }].to_vec();
        Self::new("identitycounters", doc! { "$or": model, "field": { "$eq": field } }, "count")
    }

    /// mongoid-autoinc, whose counters are in `auto_increment_counters` of the default client's database:
    /// `{_id: "<model>_<field>", c: <last>}` with the model in snake case, or `"<model>_<field>_<scope>"`.
    #[must_use]
    pub fn mongoid_autoinc(id: &str) -> Self {
        Self::new("auto_increment_counters", doc! { "_id": { "$eq": id } }, "c")
    }

    /// Doctrine ODM's increment generator, whose counters are in `doctrine_increment_ids`:
    /// `{_id: <collection>, current_id: <last>}`, or its option `key` in place of the collection.
    #[must_use]
    pub fn doctrine(collection: &str) -> Self {
        Self::new("doctrine_increment_ids", doc! { "_id": { "$eq": collection } }, "current_id")
    }

    /// MongoEngine's `SequenceField`, whose counters are in `mongoengine.counters`:
    /// `{_id: "<collection>.<field>", next: <last>}`, with the field as the class calls it, and
    /// its `sequence_name` in place of the collection if it has one.
    #[must_use]
    pub fn mongoengine(name: &str) -> Self {
        Self::new("mongoengine.counters", doc! { "_id": { "$eq": name } }, "next")
    }

    /// Another collection, where the library was told to use one.
    #[must_use]
    pub fn in_collection(mut self, collection: impl Into<String>) -> Self {
        self.collection = collection.into();
        self
    }
}

/// What was taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adopted {
    /// The last number that the other counter gave out.
    pub found: i64,
    /// Where the sequence stands now: there, or further if it was further already.
    pub value: i64,
}

impl Sequence {
    /// Takes over the counter of another library: raises this sequence to the last number which that one gave out. It never
    /// lowers, and can be repeated. The other counter is only read.
    ///
    /// Sends one `find`, to the primary, and what [`raise_to`](Self::raise_to) sends. It is looked for in the database of
    /// the sequence.
    ///
    /// # Errors
    ///
    /// [`NothingToAdopt`](ErrorKind::NothingToAdopt) if there is no such counter, or no whole number in it; those of
    /// [`raise_to`](Self::raise_to).
    ///
    /// # Cancellation
    ///
    /// A dropped call may have raised the counter.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # use sequence_core as mongo_sequence;
    /// # #[derive(serde::Serialize, sequence_derive::AutoIncrement)]
    /// # #[auto_increment(crate = ::sequence_core)]
    /// # struct Order { #[serde(rename = "_id")] #[auto_increment] id: i64, item: String }
    /// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
    /// use mongo_sequence::{AutoIncrement, ForeignCounter};
    ///
    /// let orders = db.collection::<Order>("orders");
    /// // the service that used mongoose-auto-increment has stopped
    /// Order::sequence(&orders, "id")?.adopt(&ForeignCounter::identity_counter("Order", "_id")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn adopt(&self, foreign: &ForeignCounter) -> Result<Adopted> {
        let span = Span::of_call(Action::Adopt, None, None, || self.name().to_owned());
        let adopted = async {
            let found = self.adoptable(foreign).await?;
            let value = self.raise_to(found).await?;
            Ok(Adopted { found, value })
        };
        span.around_call(adopted).await
    }

    /// The last number that the other counter gave out, which [`adopt`](Self::adopt) would go on from. Sends one `find`.
    ///
    /// # Errors
    ///
    /// [`NothingToAdopt`](ErrorKind::NothingToAdopt), [`InvalidSequence`](ErrorKind::InvalidSequence),
    /// [`Driver`](ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// Nothing is written.
    pub async fn adoptable(&self, foreign: &ForeignCounter) -> Result<i64> {
        let counter = self.counter()?;
        let mut last = None;
        for (id, value) in foreign.read(self.database()).await? {
            let value = value.map_err(|found| {
                let found = format!("the field `{}` of the document with `_id` {id} holds {found}", foreign.field);
                self.nothing_to_adopt(foreign, found)
            })?;
            if last.is_none_or(|last| counter.progression.beyond(value, last)) {
                last = Some(value);
            }
        }
        let found = last.ok_or_else(|| self.nothing_to_adopt(foreign, "there is no such document".to_owned()))?;
        // that one may have counted in other steps
        let direction = i64::from(counter.progression.direction());
        Ok(if foreign.holds_next { found.saturating_sub(direction) } else { found })
    }

    fn nothing_to_adopt(&self, foreign: &ForeignCounter, found: String) -> Error {
        let sequence = self.counter().map_or_else(|_| String::new(), |counter| counter.name());
        let source = format!("`{}` where {}", foreign.collection, foreign.filter);
        Error::new(ErrorKind::NothingToAdopt { sequence, source, found })
    }
}

impl ForeignCounter {
    /// What the documents hold: a number, or what is there instead.
    async fn read(&self, database: &Database) -> Result<Vec<(Bson, Result<i64, String>)>> {
        let collection = database.collection_with_options::<Verbatim>(&self.collection, as_it_is_now());
        let mut found = collection.find(self.filter.clone()).await?;
        let mut values = Vec::new();
        while found.advance().await? {
            let document = found.deserialize_current()?;
            let value = number::decode(document.get(&self.field)).map(|number| number.value);
            values.push((document.get("_id").cloned().unwrap_or(Bson::Null), value));
        }
        Ok(values)
    }
}
