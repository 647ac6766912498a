//! The counter in a session's transaction: one attempt of each command, whose errors belong to the transaction.

use mongodb::{ClientSession, bson::doc};

use super::{Counter, State, repeat::once};
use crate::Result;

impl Counter {
    /// Why [`advance_in`](Self::advance_in) found nothing, for a transaction of the caller's.
    ///
    /// A counter that was created outside after the transaction had read something is invisible in it. Writing it there
    /// conflicts with the newer version, which is the server's own way to say "run this transaction again"; labels come
    /// back intact. Without a conflict it has created the counter, with the right value.
    pub(crate) async fn settle_miss_in(&self, n: u64, session: &mut ClientSession) -> Result<()> {
        match self.read(Some(&mut *session)).await? {
            State::Missing => {
                let seed = self.seed().await?;
                self.create_in(seed, session).await
            }
            State::At(number) => self.check_room(number, n),
            State::Corrupt(found) => Err(self.corrupt(found)),
        }
    }

    /// Makes the server abort the session's transaction, by a command that must fail. The driver still takes it for
    /// open, so the caller's commit reports the abort instead of leaving a hole.
    pub(crate) async fn break_transaction(&self, session: &mut ClientSession) {
        let unreachable = doc! { "$inc": { &self.field: "not a number" } };
        let fail = self.collection.find_one_and_update(self.by_key(), unreachable).session(session);
        let _failed = once(&self.observed, fail).await;
    }

    /// Moves the counter to `to` if it lies behind. Tells whether the counter is there.
    pub(crate) async fn raise_in(&self, to: i64, session: &mut ClientSession) -> Result<bool> {
        let (filter, update) = self.raising(to);
        let raise = self.collection.find_one_and_update(filter, update).session(&mut *session);
        if once(&self.observed, raise).await?.is_some() {
            return Ok(true);
        }
        match self.read(Some(session)).await? {
            State::At(_) => Ok(true),
            State::Missing => Ok(false),
            State::Corrupt(found) => Err(self.corrupt(found)),
        }
    }

    /// Creates a counter that is missing in the session's transaction, at `to` or behind it; as
    /// [`settle_miss_in`](Self::settle_miss_in) does.
    pub(crate) async fn create_in(&self, to: i64, session: &mut ClientSession) -> Result<()> {
        let seed = self.seed().await?;
        let to = if self.progression.beyond(seed, to) { seed } else { to };
        let (_, update) = self.raising(to);
        let create = self.collection.find_one_and_update(self.by_key(), update).upsert(true).session(session);
        if once(&self.observed, create).await?.is_none() {
            self.observed.created(to, self.progression.seed(None) != Some(to));
        }
        Ok(())
    }
}
