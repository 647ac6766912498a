//! The numbers of each scope, counted.

use mongodb::bson::{Bson, Document, doc};

use super::{
    Duplicate,
    holes::{Holes, LISTED},
    or_null,
};
use crate::{
    NumberedField, Result,
    data::{self, Data},
    definition::Progression,
    document::scope_value,
    error::server_code,
    maintain::view::{View, unsigned},
    number,
};

/// Server code: a list of numbers is found like a number, and cannot be reckoned with.
const TYPE_MISMATCH: i32 = 14;

/// The numbers of one scope, as far as the sequence can hand them out.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) documents: u64,
    /// The furthest in the direction of the step.
    pub(super) highest: Option<i64>,
    pub(super) missing: u64,
    pub(super) first_missing: Vec<i64>,
    /// How many documents have the number of another.
    pub(super) duplicates: u64,
    pub(super) first_duplicates: Vec<Duplicate>,
}

impl Tally {
    /// Of so many documents with different numbers up to the furthest.
    async fn with_holes(
        data: &Data,
        progression: Progression,
        furthest: i64,
        documents: u64,
        view: &mut View,
    ) -> Result<Self> {
        let holes = Holes::new(data, progression, furthest).find(view, documents).await?;
        let (missing, first_missing) = (holes.missing, holes.first);
        Ok(Self { documents, highest: Some(furthest), missing, first_missing, ..Self::default() })
    }
}

/// Under a unique index the server counts, and only where numbers are missing they are looked for. Without one all of
/// them are looked at, in order.
pub(super) async fn tallies(
    field: &NumberedField,
    is_indexed: bool,
    view: &mut View,
) -> Result<Vec<(Document, Tally)>> {
    if is_indexed {
        if let Some(tallies) = of_integers(field, view).await? {
            return Ok(tallies);
        }
        match counted(field, view).await {
            Err(error) if error.driver_error().and_then(server_code) == Some(TYPE_MISMATCH) => {}
            counted => return counted,
        }
    }
    read(field, view).await
}

/// Of a field without a scope, whose numbers are all integers: these the server counts by the index alone, which takes half
/// as long as to look at each. Nothing, if it is not so simple.
async fn of_integers(field: &NumberedField, view: &mut View) -> Result<Option<Vec<(Document, Tally)>>> {
    let (progression, data) = (field.progression(), field.data(Document::new()));
    let (low, high) = progression.range();
    let mut integers = doc! { "$gte": low, "$lte": high, "$type": ["int", "long"] };
    match (progression.step, progression.start.unwrap_or_default()) {
        (1 | -1, _) => {}
        (step @ 2.., start @ 0..) => drop(integers.insert("$mod", [step, start % step].to_vec())),
        _ => return Ok(None),
    }
    if !field.null_scope().is_empty() || data.may_hold_lists().await {
        return Ok(None);
    }
    let back = doc! { data.field(): -progression.direction() };
    let mut furthest = view.find(data.collection(), data.numbers(low, high), back, data.value()).await?;
    let Some(furthest) = view.next(&mut furthest).await? else { return Ok(Some(Vec::new())) };
    let Some(furthest) = data::whole_value_of(&furthest) else { return Ok(None) };
    let Some(place) = progression.place(furthest) else { return Ok(None) };
    let documents = view.count(data.collection(), doc! { data.field(): integers }).await?;
    if documents != place + 1 && documents != view.count(data.collection(), data.numbers(low, high)).await? {
        return Ok(None);
    }
    let tally = Tally::with_holes(&data, progression, furthest, documents, view).await?;
    Ok(Some(vec![(Document::new(), tally)]))
}

async fn counted(field: &NumberedField, view: &mut View) -> Result<Vec<(Document, Tally)>> {
    let progression = field.progression();
    let data = field.data(Document::new());
    let number = format!("${}", data.field());
    let start = progression.start.unwrap_or_default();
    let (low, high) = progression.range();
    let off = doc! { "$mod": [{ "$subtract": [&number, start] }, progression.step] };
    let pipeline = vec![
        doc! { "$match": { data.field(): { "$gte": low, "$lte": high } } },
        doc! { "$group": {
            "_id": field.scope_expression(),
            "n": { "$sum": 1_i64 },
            "far": { if progression.ascending() { "$max" } else { "$min" }: &number },
            // numbers between those of the sequence, fractions too
            "least": { "$min": &off },
            "most": { "$max": &off },
        } },
    ];
    let mut found = Vec::new();
    let mut groups = view.aggregate(data.collection(), pipeline).await?;
    while let Some(group) = view.next(&mut groups).await? {
        found.push(group);
    }
    let mut tallies = Vec::with_capacity(found.len());
    for group in found {
        let scope = field.scope_in(group.get_document("_id").ok());
        if has_list(&scope) {
            continue;
        }
        let data = field.data(scope.clone());
        let zero = |name| number::decode(group.get(name)).is_ok_and(|number| number.value == 0);
        let furthest = number::decode(group.get("far")).ok().map(|number| number.value);
        let tally = match furthest {
            Some(furthest) if zero("least") && zero("most") => {
                Tally::with_holes(&data, progression, furthest, unsigned(&group, "n"), view).await?
            }
            _ => read_scope(&data, progression, view).await?,
        };
        tallies.push((scope, tally));
    }
    Ok(tallies)
}

/// All scopes, in the order of the index.
async fn read(field: &NumberedField, view: &mut View) -> Result<Vec<(Document, Tally)>> {
    let data = field.data(field.null_scope());
    let progression = field.progression();
    let projection = field.number_and_scope();
    let everywhere = field.data(Document::new());
    let (low, high) = progression.range();
    let mut cursor =
        view.find(data.collection(), everywhere.within(low, high), data.order(&progression), projection).await?;
    let mut tallies: Vec<(Document, Tally)> = Vec::new();
    let mut fold = Fold::new(progression);
    while let Some(document) = view.next(&mut cursor).await? {
        let scope = field.scope_in(document.get_document("s").ok());
        if has_list(&scope) {
            continue; // sorted by one of its elements
        }
        if tallies.last().is_none_or(|(last, _)| *last != scope) {
            if let Some((_, tally)) = tallies.last_mut() {
                *tally = std::mem::replace(&mut fold, Fold::new(progression)).tally;
            }
            tallies.push((scope, Tally::default()));
        }
        fold.add(&document);
    }
    if let Some((_, tally)) = tallies.last_mut() {
        *tally = fold.tally;
    }
    Ok(tallies)
}

/// A list is the scope of no sequence.
fn has_list(scope: &Document) -> bool {
    scope.values().any(|value| matches!(value, Bson::Array(_)))
}

/// One scope, in order.
async fn read_scope(data: &Data, progression: Progression, view: &mut View) -> Result<Tally> {
    let (low, high) = progression.range();
    let mut cursor =
        view.find(data.collection(), data.within(low, high), data.order(&progression), data.value()).await?;
    let mut fold = Fold::new(progression);
    while let Some(document) = view.next(&mut cursor).await? {
        fold.add(&document);
    }
    Ok(fold.tally)
}

/// Takes numbers in order.
struct Fold {
    progression: Progression,
    tally: Tally,
    last: Option<i64>,
    /// The place behind it.
    next: u64,
}

impl Fold {
    fn new(progression: Progression) -> Self {
        Self { progression, tally: Tally::default(), last: None, next: 0 }
    }

    fn add(&mut self, document: &Document) {
        let Self { progression, tally, last, .. } = self;
        let Some(number) = data::whole_value_of(document) else { return };
        tally.highest = Some(number);
        let Some(place) = progression.place(number) else { return };
        tally.documents += 1;
        if *last == Some(number) {
            tally.duplicates += 1;
            let listed = &mut tally.first_duplicates;
            if let Some(same) = listed.last_mut().filter(|last| last.number == number) {
                same.documents += 1;
            } else if listed.len() < LISTED {
                listed.push(Duplicate { number, documents: 2 });
            }
            return;
        }
        tally.missing += place - self.next;
        let listed = (self.next..place).take(LISTED - tally.first_missing.len());
        tally.first_missing.extend(listed.filter_map(|place| progression.at(place)));
        self.next = place + 1;
        *last = Some(number);
    }
}

impl NumberedField {
    /// The scope in the form that its counter has.
    pub(crate) fn scope_in(&self, document: Option<&Document>) -> Document {
        let value = |name: &String| {
            let value = or_null(document.and_then(|document| document.get(name)));
            // to the server 2026.0 is 2026
            let value = match value {
                Bson::Double(_) => number::decode(Some(&value)).map_or(value, |whole| Bson::Int64(whole.value)),
                _ => value,
            };
            scope_value(name, value.clone()).unwrap_or(value)
        };
        self.null_scope().keys().map(|name| (name.clone(), value(name))).collect()
    }
}
