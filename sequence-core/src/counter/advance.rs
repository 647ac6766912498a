//! Taking numbers.

use mongodb::{
    ClientSession,
    bson::{Document, doc},
    options::FindOneAndUpdateOptions,
};

use super::{BLOCKS, CREATIONS, Counter, repeat::once};
use crate::{
    Error, ErrorKind, Result,
    definition::Stride,
    error::server_code,
    number::{self, Number},
    progress::is_nothing_done,
};

impl Counter {
    /// Takes `n` numbers and returns the last of them. Creates the counter if it is missing.
    pub(crate) async fn advance(&self, n: u64) -> Result<i64> {
        for _ in 0..CREATIONS {
            if let Some(value) = self.try_advance(n, false).await? {
                return Ok(value);
            }
            self.settle_miss(n).await?;
        }
        Err(self.removed_again())
    }

    /// Takes `n` numbers. For a block it notes that there are some. `None` if the counter is missing or has not so many.
    pub(crate) async fn try_advance(&self, n: u64, is_block: bool) -> Result<Option<i64>> {
        if is_block && self.field == BLOCKS {
            return Err(self.invalid(format!("with blocks the field `{BLOCKS}` of the counter cannot hold its value")));
        }
        let Some(stride) = self.progression.stride(n) else { return Ok(None) };
        let taken = self.increment(&stride, is_block, None).await;
        match &taken {
            Ok(Some(last)) => self.observed.given(n, Some(*last), &self.progression),
            Ok(None) => {}
            Err(error) => self.tell_lost(n, error),
        }
        taken
    }

    /// Whether an error has cost numbers.
    fn tell_lost(&self, n: u64, error: &Error) {
        if matches!(error.kind(), ErrorKind::Unconfirmed { .. }) {
            self.observed.given(n, error.number(), &self.progression);
            self.observed.burnt(n, error.number().and_then(|last| self.progression.first_of(n, last)));
        } else if error.driver_error().is_some_and(|error| server_code(error).is_none()) && !is_nothing_done(error) {
            self.observed.unknown(n, None);
        }
    }

    /// One attempt to take `n` numbers in the session's transaction. `None` as for [`try_advance`](Self::try_advance).
    pub(crate) async fn advance_in(&self, n: u64, session: &mut ClientSession) -> Result<Option<i64>> {
        match self.progression.stride(n) {
            Some(stride) => self.increment(&stride, false, Some(session)).await,
            None => Ok(None),
        }
    }

    /// The filter is the plain `_id`, and there is no projection: with either the server leaves its fast path, which
    /// costs a tenth of all the numbers that a counter can give.
    async fn increment(
        &self,
        stride: &Stride,
        is_block: bool,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<i64>> {
        let (filter, update) = (self.by_key(), vec![self.moving(stride, is_block)]);
        let mut options = FindOneAndUpdateOptions::default();
        options.comment.clone_from(&self.comment);
        let inside = session.is_some();
        let before = match session {
            Some(session) => {
                let action = self.collection.find_one_and_update(filter, update).with_options(options);
                once(&self.observed, action.session(session)).await
            }
            None => self.modify(filter, update, options).await,
        };
        match before {
            Ok(Some(before)) => match number::decode(before.get(&self.field)) {
                Ok(number) => Ok(self.moved(number, stride)),
                Err(found) => Err(self.corrupt(found)),
            },
            Ok(None) => Ok(None),
            Err(error) => Err(self.refused(error, stride, inside)),
        }
    }

    /// Moves the value on, if it is a number that has room for the stride; else nothing is changed.
    ///
    /// To the server null and NaN lie below all other numbers, text above, and a Decimal128 is as good as any. A fraction
    /// differs from what comes of it as an Int64; so does the sum of a Double that cannot hold it (`$inc` by 1 leaves 2^53
    /// where it is, for ever), unless the step is no Double either: how often that is rounded, depends on the server.
    fn moving(&self, stride: &Stride, is_block: bool) -> Document {
        let value = format!("${}", self.field);
        let (low, high) =
            if self.progression.ascending() { (i64::MIN, stride.bound) } else { (stride.bound, i64::MAX) };
        let kind = || doc! { "$type": &value };
        let sum = || doc! { "$add": [&value, stride.by] };
        let exact = || {
            doc! { "$and": [
                { "$eq": [kind(), "double"] },
                { "$eq": [&value, { "$toLong": &value }] },
                { "$eq": [sum(), { "$add": [{ "$toLong": &value }, stride.by] }] },
            ] }
        };
        let integer = || doc! { "$in": [kind(), ["int", "long"]] };
        let counts = || {
            if number::is_double(stride.by) {
                doc! { "$or": [integer(), exact()] }
            } else {
                integer()
            }
        };
        let fits = || doc! { "$and": [{ "$gte": [&value, low] }, { "$lte": [&value, high] }, counts()] };
        let mut set = doc! { &self.field: { "$cond": [fits(), sum(), &value] } };
        if is_block {
            set.insert(BLOCKS, doc! { "$cond": [fits(), true, format!("${BLOCKS}")] });
        }
        doc! { "$set": set }
    }

    /// Where the server has moved a counter that stood here. `None` if it has not.
    pub(super) fn moved(&self, before: Number, stride: &Stride) -> Option<i64> {
        before.plus(stride.by).filter(|_| !self.progression.beyond(before.value, stride.bound))
    }
}
