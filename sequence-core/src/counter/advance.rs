//! Taking numbers.

use mongodb::{
    ClientSession,
    bson::{Bson, Document, doc},
    options::FindOneAndUpdateOptions,
};

use super::{BLOCKS, CREATIONS, Counter, repeat::once};
use crate::{
    Error, ErrorKind, Result,
    definition::Stride,
    document::Verbatim,
    error::server_code,
    number::{self, Number},
    progress::is_nothing_done,
};

/// What is known of the counter.
#[derive(Clone, Copy)]
pub(super) enum Stands {
    /// Nothing: it is moved if it is an Int64, as the library leaves it. Of the commands that are safe this costs the server
    /// and the client least.
    AtInt64,
    /// It is no Int64: whoever made it writes another type. A Double stays one, and needs both commands each time.
    Anywhere,
}

impl Stands {
    /// Whether the command of this kind moves such a value at all.
    pub(super) fn takes(self, value: Option<&Bson>) -> bool {
        matches!((self, value), (Self::Anywhere, _) | (Self::AtInt64, Some(Bson::Int64(_))))
    }
}

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

    async fn increment(
        &self,
        stride: &Stride,
        is_block: bool,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Option<i64>> {
        let mut before = self.step(stride, is_block, Stands::AtInt64, session.as_deref_mut()).await?;
        if before.as_ref().is_some_and(|before| !Stands::AtInt64.takes(before.get(&self.field))) {
            before = self.step(stride, is_block, Stands::Anywhere, session).await?;
        }
        let Some(before) = before else { return Ok(None) };
        match number::decode(before.get(&self.field)) {
            Ok(number) => Ok(self.moved(number, stride)),
            Err(found) => Err(self.corrupt(found)),
        }
    }

    /// One command, and what the counter was before it.
    ///
    /// The filter is the plain `_id`, and there is no projection: with either the server leaves its fast path, which
    /// costs a tenth of all the numbers that a counter can give.
    async fn step(
        &self,
        stride: &Stride,
        is_block: bool,
        stands: Stands,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Verbatim>> {
        let inside = session.is_some();
        let change = || (self.by_key(), vec![self.moving(stride, is_block, stands)]);
        let mut options = FindOneAndUpdateOptions::default();
        options.comment.clone_from(&self.comment);
        let before = match session {
            Some(session) => {
                let (filter, update) = change();
                let action = self.collection.find_one_and_update(filter, update).with_options(options);
                once(&self.observed, action.session(session)).await
            }
            None => self.modify(change, options).await,
        };
        before.map_err(|error| self.refused(error, stride, stands, inside))
    }

    /// Moves the value on, if it is a number that has room for the stride; else nothing is changed.
    fn moving(&self, stride: &Stride, is_block: bool, stands: Stands) -> Document {
        let value = format!("${}", self.field);
        let room = if self.progression.ascending() { "$lte" } else { "$gte" };
        let fits = || {
            let mut all = vec![doc! { room: [&value, stride.bound] }];
            match stands {
                Stands::AtInt64 => all.push(doc! { "$eq": [{ "$type": &value }, "long"] }),
                Stands::Anywhere => all.extend(self.counts(&value, stride)),
            }
            doc! { "$and": all }
        };
        let mut set = doc! { &self.field: { "$cond": [fits(), { "$add": [&value, stride.by] }, &value] } };
        if is_block {
            set.insert(BLOCKS, doc! { "$cond": [fits(), true, format!("${BLOCKS}")] });
        }
        doc! { "$set": set }
    }

    /// What a value of any type has to be, so that it can be counted on from it.
    ///
    /// To the server null and NaN lie below all other numbers, text above, and a Decimal128 is as good as any. A fraction
    /// differs from what comes of it as an Int64; so does the sum of a Double that cannot hold it (`$inc` by 1 leaves 2^53
    /// where it is, for ever), unless the step is no Double either: how often that is rounded, depends on the server.
    fn counts(&self, value: &str, stride: &Stride) -> [Document; 2] {
        let kind = || doc! { "$type": value };
        let integer = doc! { "$in": [kind(), ["int", "long"]] };
        let is_of_64_bits = if self.progression.ascending() {
            doc! { "$gte": [value, i64::MIN] }
        } else {
            doc! { "$lte": [value, i64::MAX] }
        };
        if !number::is_double(stride.by) {
            return [is_of_64_bits, integer];
        }
        let exact = doc! { "$and": [
            { "$eq": [kind(), "double"] },
            { "$eq": [value, { "$toLong": value }] },
            { "$eq": [{ "$add": [value, stride.by] }, { "$add": [{ "$toLong": value }, stride.by] }] },
        ] };
        [is_of_64_bits, doc! { "$or": [integer, exact] }]
    }

    /// Where the server has moved a counter that stood here. `None` if it has not.
    pub(super) fn moved(&self, before: Number, stride: &Stride) -> Option<i64> {
        before.plus(stride.by).filter(|_| !self.progression.beyond(before.value, stride.bound))
    }
}
