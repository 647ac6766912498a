//! The counters that one document needs, and the order in which they are asked.

use std::time::Duration;

use mongodb::{ClientSession, Collection, bson::Bson};

use crate::{
    AutoIncrement, Definition, ErrorKind, Result,
    capability::{self, unsupported},
    counter::{Counter, State},
    data::Data,
};

/// The sequences of a model, in the order of its fields.
#[derive(Debug)]
pub(crate) struct Numbering {
    sequences: Vec<Numbered>,
    /// The gapless ones, by the name of their counter: transactions that take several counters in one order do not
    /// undo each other's work.
    gapless: Vec<usize>,
}

#[derive(Debug)]
struct Numbered {
    counter: Counter,
    gapless: bool,
}

/// The counter of one field of the model.
pub(crate) fn counter_of<T: Send + Sync>(collection: &Collection<T>, definition: &Definition) -> Result<Counter> {
    let namespace = collection.namespace();
    if namespace.coll == definition.counters {
        return Err(unsupported(collection, "holds the counters; documents that are numbered belong into another one"));
    }
    let name = match definition.name {
        Some(name) => name.to_owned(),
        None => format!("{}.{}", namespace.coll, definition.stored_field),
    };
    Ok(Counter::new(
        &collection.client().database(&namespace.db),
        definition.counters,
        Bson::String(name),
        definition.value_field,
        definition.progression(),
        Some(Data::new(collection, definition.stored_field)),
    ))
}

impl Numbering {
    /// With `gapless` for the call, all fields are numbered without gaps; else those that are declared so.
    pub(crate) fn new<T: AutoIncrement>(
        collection: &Collection<T>,
        gapless: bool,
        time_limit: Option<Duration>,
        comment: Option<&Bson>,
    ) -> Result<Self> {
        let numbered = |definition: &Definition| {
            let counter = counter_of(collection, definition)?.with_limits(time_limit, comment);
            Ok(Numbered { counter, gapless: gapless || definition.gapless })
        };
        let sequences = T::SEQUENCES.iter().map(numbered).collect::<Result<Vec<_>>>()?;
        let mut gapless: Vec<usize> = (0..sequences.len()).filter(|&index| sequences[index].gapless).collect();
        gapless.sort_by_cached_key(|&index| sequences[index].counter.name());
        Ok(Self { sequences, gapless })
    }

    pub(crate) fn is_gapless(&self) -> bool {
        !self.gapless.is_empty()
    }

    /// Whether this sequence is taken in the transaction that inserts the document.
    pub(crate) fn is_taken_inside(&self, sequence: usize) -> bool {
        self.sequences[sequence].gapless
    }

    /// The gapless sequences in the order in which every transaction takes them.
    pub(crate) fn gapless(&self) -> impl Iterator<Item = (usize, &Counter)> {
        self.gapless.iter().map(|&index| (index, self.counter(index)))
    }

    pub(crate) fn counter(&self, sequence: usize) -> &Counter {
        &self.sequences[sequence].counter
    }

    /// Takes a number for every field that may have gaps. The places of the gapless ones hold 0.
    pub(crate) async fn take_plain(&self) -> Result<Vec<i64>> {
        let mut numbers = vec![0; self.sequences.len()];
        for (index, sequence) in self.sequences.iter().enumerate() {
            if !sequence.gapless {
                let taken = sequence.counter.advance(1).await;
                numbers[index] = taken.map_err(|error| error.burning(self.burnt(&numbers[..index])))?;
            }
        }
        Ok(numbers)
    }

    /// The first of these numbers that a failure burns; those of gapless fields are rolled back instead.
    pub(crate) fn burnt(&self, numbers: &[i64]) -> Option<i64> {
        let mut taken = self.sequences.iter().zip(numbers);
        taken.find(|(sequence, _)| !sequence.gapless).map(|(_, number)| *number)
    }

    /// Looks for the gapless counters outside the caller's transaction and before its first command, and creates what
    /// is missing: from its first command on, the transaction sees nothing new.
    pub(crate) async fn prepare_gapless(&self) -> Result<()> {
        for (_, counter) in self.gapless() {
            prepare(counter).await?;
        }
        Ok(())
    }

    /// After `number` turned out to be in the data already: moves the counter past what is stored, and tells whether
    /// what is stored explains the collision (then the next number is another one).
    ///
    /// A gapless sequence skips only the numbers that are taken; the others go behind the furthest.
    pub(crate) async fn repair(&self, sequence: usize, number: i64) -> Result<bool> {
        let Numbered { counter, gapless } = &self.sequences[sequence];
        let Some(data) = &counter.data else { return Ok(false) };
        let progression = &counter.progression;
        let stored =
            if *gapless { data.end_of_run(number, progression).await? } else { data.furthest(progression).await? };
        let Some(stored) = stored.filter(|&stored| !progression.beyond(number, stored)) else {
            return Ok(false);
        };
        if let Some(to) = progression.seed(Some(stored)) {
            counter.raise(to).await?;
        }
        Ok(true)
    }
}

/// Creates the counter if it is missing, so that a transaction which begins now finds it.
pub(crate) async fn prepare(counter: &Counter) -> Result<()> {
    match counter.read(None).await? {
        State::At(_) => Ok(()),
        State::Missing => {
            capability::check_transactions(counter.client()).await?;
            counter.create().await
        }
        State::Corrupt(found) => Err(counter.corrupt(found)),
    }
}

/// Takes the next `n` numbers in a transaction of the caller's and returns the last of them. Every error goes to the
/// caller: a retry of one command inside a transaction that the server has aborted cannot succeed.
pub(crate) async fn take_in(counter: &Counter, n: u64, session: &mut ClientSession) -> Result<i64> {
    for _ in 0..2 {
        match counter.advance_in(n, &mut *session).await {
            Ok(Some(number)) => return Ok(number),
            Ok(None) => {}
            Err(error) => {
                // `$inc` moves a fraction on before its reply can be looked at.
                if matches!(error.kind(), ErrorKind::CounterCorrupt { .. }) {
                    counter.break_transaction(session).await;
                }
                return Err(error);
            }
        }
        counter.settle_miss_in(n, &mut *session).await?;
    }
    Err(counter.missing("it was created in this transaction and is not there"))
}
