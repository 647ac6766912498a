//! Whether everything that was told is true.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use mongodb::{
    Database,
    bson::{Document, doc},
    error::Result,
    options::{CollectionOptions, ReadConcern},
};

use crate::{
    log::{Entry, Outcome, Token},
    way::{Way, ledger},
};

/// What is stored in the end, as a majority has it.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Documents, by who brought them and their number.
    pub documents: Vec<(Token, i64)>,
    /// The last number handed out.
    pub counter: i64,
    /// What else was written in the same transactions.
    pub ledger: Option<Vec<(Token, i64)>>,
}

impl Stored {
    /// What one way has left behind.
    ///
    /// # Errors
    ///
    /// Those of the driver.
    pub async fn read(database: &Database, way: Way) -> Result<Self> {
        let key = doc! { "_id": format!("{}.number", way.name()) };
        let counter = majority(database, "sequences").find_one(key).await?;
        let ledger = match way {
            Way::GaplessByCaller => {
                Some(pairs(database, ledger(database.client(), database.name()).name(), "_id").await?)
            }
            _ => None,
        };
        Ok(Self {
            documents: pairs(database, way.name(), "token").await?,
            counter: counter.and_then(|counter| counter.get_i64("seq").ok()).unwrap_or_default(),
            ledger,
        })
    }
}

fn majority(database: &Database, name: &str) -> mongodb::Collection<Document> {
    let options = CollectionOptions::builder().read_concern(ReadConcern::majority()).build();
    database.collection_with_options(name, options)
}

async fn pairs(database: &Database, collection: &str, token: &str) -> Result<Vec<(Token, i64)>> {
    let mut found = majority(database, collection).find(doc! {}).await?;
    let mut pairs = Vec::new();
    while found.advance().await? {
        let document = found.current();
        let field = |name| document.get_i64(name).unwrap_or(i64::MIN);
        pairs.push((field(token), field("number")));
    }
    Ok(pairs)
}

/// What was found of one way.
#[derive(Debug, Default)]
pub struct Findings {
    /// Calls that were told that their document is stored.
    pub stored: usize,
    /// Calls that were told that nobody knows.
    pub unknown: usize,
    /// Calls that were told that nothing is stored.
    pub refused: usize,
    /// Calls whose process was killed.
    pub unfinished: usize,
    /// Numbers up to the counter that no document has.
    pub gaps: usize,
    /// What contradicts a promise.
    pub contradictions: Vec<String>,
}

impl Findings {
    /// Compares what was told of one way with what is stored. `ahead` is how many numbers may have been reserved by
    /// processes that were killed, or in vain.
    #[must_use]
    pub fn of(way: Way, entries: &[(Token, Outcome)], stored: &Stored, ahead: usize) -> Self {
        let mut found = Self::default();
        let calls: BTreeMap<Token, Outcome> = entries.iter().copied().collect(); // the last word on each
        let documents: BTreeMap<Token, i64> = stored.documents.iter().copied().collect();
        let numbers: BTreeSet<i64> = documents.values().copied().collect();
        found.require(documents.len() == stored.documents.len(), || "a document is stored twice".to_owned());
        found.require(numbers.len() == documents.len(), || "two documents have one number".to_owned());

        let mut told = BTreeMap::new();
        let mut burnt = BTreeSet::new();
        for (&token, &outcome) in &calls {
            let in_data = documents.get(&token).copied();
            match outcome {
                Outcome::Begun => found.unfinished += 1,
                Outcome::Unknown(number) => {
                    found.unknown += 1;
                    burnt.extend(number.filter(|_| in_data.is_none()));
                    let is_other = in_data.is_some() && number.is_some() && in_data != number;
                    found.require(!is_other, || format!("{token} is stored as {in_data:?}, and was told {number:?}"));
                }
                Outcome::Refused(number) => {
                    found.refused += 1;
                    burnt.extend(number);
                    found.require(in_data.is_none(), || format!("{token} was told to be refused, and is {in_data:?}"));
                }
                Outcome::Stored(number) => {
                    found.stored += 1;
                    let twin = told.insert(number, token);
                    found.require(twin.is_none(), || format!("{number} was told to {token} and to {twin:?}"));
                    found.require(in_data == Some(number), || {
                        format!("{token} was told {number}, and stored is {in_data:?}")
                    });
                }
            }
        }
        // without gaps, a number whose transaction did not come about is given to the next
        for number in burnt.iter().filter(|number| numbers.contains(number) && !way.is_gapless()) {
            found.contradictions.push(format!("{number} was told to be burnt, and was given to another"));
        }
        for token in documents.keys().filter(|token| !calls.contains_key(token)) {
            found.contradictions.push(format!("nobody has inserted {token}"));
        }
        found.gaps = usize::try_from(stored.counter).unwrap_or(0).saturating_sub(numbers.len());
        let last = numbers.last().copied().unwrap_or(0);
        found.require(stored.counter >= last, || format!("the counter is at {}, behind {last}", stored.counter));
        let first = numbers.first().copied().unwrap_or(1);
        found.require(first >= 1, || format!("{first} lies before the first number"));
        let allowed = if way.is_gapless() { 0 } else { found.unfinished + found.unknown + found.refused + ahead };
        let gaps = found.gaps;
        found.require(gaps <= allowed, || format!("{gaps} numbers are missing, {allowed} may be"));
        if let Some(ledger) = &stored.ledger {
            let ledger: BTreeMap<_, _> = ledger.iter().copied().collect();
            found.require(ledger == documents, || "documents and ledger differ".to_owned());
        }
        found
    }

    fn require(&mut self, is_so: bool, otherwise: impl FnOnce() -> String) {
        if !is_so {
            self.contradictions.push(otherwise());
        }
    }
}

/// The calls of one way.
#[must_use]
pub fn of_way(way: usize, entries: &[Entry]) -> Vec<(Token, Outcome)> {
    let of_way = entries.iter().filter(|entry| entry.way == way);
    of_way.map(|entry| (entry.token, entry.outcome)).collect()
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stored, unknown, refused, unfinished, gaps, contradictions } = self;
        write!(
            f,
            "{stored} stored, {unknown} unknown, {refused} refused, {unfinished} killed, {gaps} gaps, {} contradictions",
            contradictions.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Findings, Stored};
    use crate::{log::Outcome, way::Way};

    fn found(way: Way, calls: &[(i64, Outcome)], documents: &[(i64, i64)], counter: i64) -> String {
        let stored = Stored { documents: documents.to_vec(), counter, ledger: None };
        Findings::of(way, calls, &stored, 0).contradictions.join("; ")
    }

    #[test]
    fn what_is_true_contradicts_nothing() {
        let calls = [
            (1, Outcome::Stored(1)),
            (2, Outcome::Unknown(Some(2))),
            (3, Outcome::Unknown(Some(3))),
            (4, Outcome::Refused(Some(4))),
            (5, Outcome::Begun),
            (6, Outcome::Begun),
        ];
        assert_eq!(found(Way::Plain, &calls, &[(1, 1), (2, 2), (5, 5)], 6), "");
        assert_eq!(found(Way::Gapless, &[(1, Outcome::Stored(1)), (2, Outcome::Begun)], &[(1, 1), (2, 2)], 2), "");
    }

    #[test]
    fn each_contradiction_is_seen() {
        let stored = |number| Outcome::Stored(number);
        let cases: [(&str, Way, &[_], &[_], i64); 11] = [
            ("told to 2 and to Some(1)", Way::Plain, &[(1, stored(1)), (2, stored(1))], &[(1, 1)], 1),
            ("stored is None", Way::Plain, &[(1, stored(1))], &[], 1),
            ("stored is Some(2)", Way::Plain, &[(1, stored(1))], &[(1, 2)], 2),
            ("stored twice", Way::Plain, &[(1, stored(1))], &[(1, 1), (1, 2)], 2),
            ("two documents", Way::Plain, &[(1, stored(1)), (2, Outcome::Begun)], &[(1, 1), (2, 1)], 1),
            ("to be refused", Way::Plain, &[(1, Outcome::Refused(None))], &[(1, 1)], 1),
            ("was told Some(2)", Way::Plain, &[(1, Outcome::Unknown(Some(2)))], &[(1, 1)], 2),
            ("given to another", Way::Plain, &[(1, Outcome::Refused(Some(1))), (2, stored(1))], &[(2, 1)], 1),
            ("nobody", Way::Plain, &[], &[(1, 1)], 1),
            ("behind 3", Way::Plain, &[(1, stored(3))], &[(1, 3)], 2),
            ("1 numbers are missing, 0", Way::Gapless, &[(1, stored(2)), (2, Outcome::Begun)], &[(1, 2)], 2),
        ];
        for (told, way, calls, documents, counter) in cases {
            let found = found(way, calls, documents, counter);
            assert!(found.contains(told), "{told}: {found}");
        }
    }
}
