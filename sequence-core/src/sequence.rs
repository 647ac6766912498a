//! `Sequence`: one counter without a model.

pub(crate) mod of_model;
pub(crate) mod shared;
mod valid;

use mongodb::{Database, bson::Bson};

use crate::{
    Result,
    action::{NextValue, RaiseTo, Reserve, Restart},
    counter::{self, Counter, Origin, State},
    definition::{DEFAULT_COUNTERS, DEFAULT_VALUE_FIELD, Progression},
};

/// The numbers of one counter, for whatever is not a document of a derived model: ids made elsewhere, scripts, repairs.
///
/// Made by name with [`Sequence::new`], or from a model with
/// [`AutoIncrement::sequence`](crate::AutoIncrement::sequence), which then also knows the documents and can continue
/// them. Cheap to clone; holds no numbers.
///
/// ```no_run
/// # use sequence_core as mongo_sequence;
/// # async fn example(db: mongodb::Database) -> sequence_core::Result<()> {
/// use mongo_sequence::Sequence;
///
/// let tickets = Sequence::new(&db, "tickets").start(1000).step(10);
/// assert_eq!(tickets.next_value().await?, 1000);
/// for number in tickets.reserve(3).await? {
///     println!("{number}"); // 1010, 1020, 1030
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sequence {
    database: Database,
    counters: String,
    key: Bson,
    value_field: String,
    start: Option<i64>,
    step: i64,
    max: i64,
    min: i64,
    model: Option<Counter>,
}

impl Sequence {
    /// The sequence whose counter has the `_id` `key` in the collection `sequences` of this database. Sends nothing.
    ///
    /// A missing counter is created by the first number only if [`start`](Self::start) is given: a bare name does not
    /// tell where existing documents stand.
    #[must_use]
    pub fn new(database: &Database, key: impl Into<Bson>) -> Self {
        Self {
            database: database.clone(),
            counters: DEFAULT_COUNTERS.to_owned(),
            key: key.into(),
            value_field: DEFAULT_VALUE_FIELD.to_owned(),
            start: None,
            step: 1,
            max: i64::MAX,
            min: i64::MIN,
            model: None,
        }
    }

    pub(crate) fn of_model(database: &Database, counter: &Counter) -> Self {
        Self { model: Some(counter.clone()), ..Self::new(database, counter.key().clone()) }
    }

    /// The first number, used when the counter does not exist yet; nothing before it is handed out, by
    /// [`restart`](Self::restart) either. Has no effect on a sequence taken from a model.
    #[must_use]
    pub fn start(mut self, start: i64) -> Self {
        self.start = Some(start);
        self
    }

    /// The distance between two numbers (1 by default), negative to count down, never 0. Has no effect on a sequence
    /// taken from a model. All who share a counter must count in the same direction.
    #[must_use]
    pub fn step(mut self, step: i64) -> Self {
        self.step = step;
        self
    }

    /// The largest number that may be handed out. Has no effect on a sequence taken from a model.
    #[must_use]
    pub fn max(mut self, max: i64) -> Self {
        self.max = max;
        self
    }

    /// The smallest number that may be handed out, the limit of a descending sequence. Has no effect on a sequence
    /// taken from a model.
    #[must_use]
    pub fn min(mut self, min: i64) -> Self {
        self.min = min;
        self
    }

    /// The collection that holds the counter (`sequences` by default), to continue a counter made by hand. Has no
    /// effect on a sequence taken from a model.
    #[must_use]
    pub fn counters(mut self, collection: impl Into<String>) -> Self {
        self.counters = collection.into();
        self
    }

    /// The field of the counter document that holds the last number (`seq` by default), to continue a counter made by
    /// hand. Has no effect on a sequence taken from a model.
    #[must_use]
    pub fn value_field(mut self, field: impl Into<String>) -> Self {
        self.value_field = field.into();
        self
    }

    /// Takes the next number.
    ///
    /// Sends one `findAndModify` with majority write concern, or without one in the session's transaction if
    /// [`session`](NextValue::session) is called. Two more commands create the counter if it is missing.
    ///
    /// `await` returns [`Result<i64>`].
    ///
    /// # Errors
    ///
    /// [`CounterMissing`](crate::ErrorKind::CounterMissing), [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt),
    /// [`Exhausted`](crate::ErrorKind::Exhausted), [`InvalidSequence`](crate::ErrorKind::InvalidSequence) and
    /// [`UnsupportedCollection`](crate::ErrorKind::UnsupportedCollection) with no number taken;
    /// [`Unconfirmed`](crate::ErrorKind::Unconfirmed) with the number burnt; [`CounterHeld`](crate::ErrorKind::CounterHeld) if an open
    /// transaction holds the counter; [`NoTransaction`](crate::ErrorKind::NoTransaction) and
    /// [`TransactionsUnsupported`](crate::ErrorKind::TransactionsUnsupported) with a session; [`Driver`](crate::ErrorKind::Driver) for
    /// everything else, where after a network error it is unknown whether a number was taken.
    ///
    /// # Cancellation
    ///
    /// A dropped call may have taken a number: a gap, never a number told twice. A transaction in which a call was
    /// dropped must not be committed; run it in a task of its own (`tokio::spawn`) if it has to survive a time-out.
    pub fn next_value(&self) -> NextValue<'_> {
        NextValue::new(self)
    }

    /// Takes the next `n` numbers with one command: all of them, or an error and none.
    ///
    /// Sends what [`next_value`](Self::next_value) sends. The numbers that are not used are gaps. For `n` = 0 nothing
    /// is sent.
    ///
    /// `await` returns [`Result<Reserved>`](crate::Reserved), an iterator over the numbers in order.
    ///
    /// # Errors
    ///
    /// Those of [`next_value`](Self::next_value). [`Exhausted`](crate::ErrorKind::Exhausted) tells how many numbers are left.
    ///
    /// # Cancellation
    ///
    /// As with [`next_value`](Self::next_value), with `n` numbers.
    pub fn reserve(&self, n: u64) -> Reserve<'_> {
        Reserve::new(self, n)
    }

    /// The last number handed out (the one before the first if there was none yet), or `None` if there is no counter.
    ///
    /// Sends one `find`, to the primary. By the time it answers, others may have taken more.
    ///
    /// # Errors
    ///
    /// [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt), [`InvalidSequence`](crate::ErrorKind::InvalidSequence),
    /// [`Driver`](crate::ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// Nothing is written.
    pub async fn current_value(&self) -> Result<Option<i64>> {
        let counter = self.counter()?;
        match counter.read(None).await? {
            State::Missing => Ok(None),
            State::At(number) => Ok(Some(number.value)),
            State::Corrupt(found) => Err(counter.corrupt(found)),
        }
    }

    /// Raises the counter, so that every number from now on lies behind `n`; never lowers it. Returns where it stands.
    ///
    /// For numbers given out elsewhere: an import, a restored backup. With a step other than 1 and a known start the
    /// counter goes to the last number of the sequence that is not behind `n`. For a descending sequence everything is
    /// mirrored. Sends one or two commands, more to create a missing counter (see [`new`](Self::new)).
    ///
    /// Numbers that others reserved before and have not used yet may still be below `n`.
    ///
    /// `await` returns [`Result<i64>`](crate::Result).
    ///
    /// # Errors
    ///
    /// [`CounterMissing`](crate::ErrorKind::CounterMissing), [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt),
    /// [`InvalidSequence`](crate::ErrorKind::InvalidSequence), also if `n` lies beyond the limit;
    /// [`Driver`](crate::ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// A dropped call may have raised the counter.
    pub fn raise_to(&self, n: i64) -> RaiseTo<'_> {
        RaiseTo::new(self, n)
    }

    /// Makes `n` the next number, lowering the counter if need be.
    ///
    /// A sequence taken from a model refuses to go back to numbers that its documents have, and to go back at all if
    /// several models share it. A sequence made by name knows no documents: numbers that were handed out before come again.
    /// So do those that somebody has taken and not stored yet: nobody should be at it meanwhile.
    ///
    /// Going back is refused too if numbers were ever reserved in blocks: a process that still has some would hand them
    /// out. If all have stopped, say so with [`assume_stopped`](Restart::assume_stopped).
    ///
    /// Sends one or two reads, one write, and for a model's sequence a look at the data.
    ///
    /// `await` returns [`Result<()>`].
    ///
    /// # Errors
    ///
    /// [`RestartRefused`](crate::ErrorKind::RestartRefused), [`BlocksReserved`](crate::ErrorKind::BlocksReserved),
    /// [`Contended`](crate::ErrorKind::Contended) if others take numbers all the time,
    /// [`CounterMissing`](crate::ErrorKind::CounterMissing),
    /// [`CounterCorrupt`](crate::ErrorKind::CounterCorrupt), [`InvalidSequence`](crate::ErrorKind::InvalidSequence), also if `n` is
    /// outside of what the sequence can hand out; [`Driver`](crate::ErrorKind::Driver).
    ///
    /// # Cancellation
    ///
    /// A dropped call has restarted the sequence or left it as it was.
    pub fn restart(&self, n: i64) -> Restart<'_> {
        Restart::new(self, n)
    }

    /// Without the values of a scope.
    pub(crate) fn name(&self) -> &str {
        counter::name_of(&self.key)
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// The counter behind this sequence, if it is described in a way that can work.
    pub(crate) fn counter(&self) -> Result<Counter> {
        if let Some(counter) = &self.model {
            return Ok(counter.clone());
        }
        let last = if self.step > 0 { self.max } else { self.min };
        let progression = Progression { start: self.start, step: self.step, last };
        let field = &self.value_field;
        let counter =
            Counter::new(&self.database, &self.counters, self.key.clone(), field, progression, Origin::Unknown);
        match self.contradiction() {
            Some(message) => Err(counter.invalid(message)),
            None => Ok(counter),
        }
    }
}
