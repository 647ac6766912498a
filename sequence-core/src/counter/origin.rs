//! Where a sequence stands whose counter is missing.

use super::{Counter, State};
use crate::{Result, data::Data};

/// What is known of the documents that hold the numbers.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Nothing: a sequence made by name.
    Unknown,
    /// All of them are here.
    Documents(Data),
    /// Some of them are here, others in collections of other models.
    Shared(Data),
}

impl Origin {
    pub(crate) fn data(&self) -> Option<&Data> {
        match self {
            Self::Unknown => None,
            Self::Documents(data) | Self::Shared(data) => Some(data),
        }
    }

    /// The documents, if the numbers can be read from them.
    pub(crate) fn readable(&self) -> Option<&Data> {
        self.data().filter(|data| data.is_readable())
    }
}

impl Counter {
    /// The value that a missing counter begins with, or why that cannot be told.
    pub(super) async fn seed(&self) -> Result<i64> {
        match &self.origin {
            Origin::Unknown if self.progression.start.is_none() => Err(self.missing(
                "a bare sequence does not know which data it belongs to; give it `.start(n)`, or take the sequence from \
                 the model (`AutoIncrement::sequence`), which reads the data",
            )),
            Origin::Unknown => self.seed_behind(None),
            Origin::Shared(_) => Err(self.missing(
                "several models share it, so no collection alone can tell where it stands; call `ensure_sequences` of \
                 each of them first, or `raise_to` on its `Sequence` with the last number of all",
            )),
            Origin::Documents(data) => self.seed_from(data).await,
        }
    }

    /// Raises the counter to `to`. One that is missing, and whose documents cannot tell where it stands, is created there,
    /// since the user has said so.
    pub(crate) async fn raise_or_create(&self, to: i64) -> Result<bool> {
        if self.begins_anywhere() && matches!(self.read(None).await?, State::Missing) {
            self.create_at(to).await?;
        }
        self.raise(to).await
    }

    /// Where the counter would stand after [`raise_or_create`](Self::raise_or_create).
    pub(crate) async fn raised(&self, to: i64) -> Result<i64> {
        let stands = match self.read(None).await? {
            State::At(number) => number.value,
            State::Corrupt(found) => return Err(self.corrupt(found)),
            State::Missing => {
                self.check_creation().await?;
                if self.begins_anywhere() { to } else { self.seed().await? }
            }
        };
        Ok(if self.progression.beyond(to, stands) { to } else { stands })
    }

    /// Whether its documents cannot tell where a missing counter stands, so that the user has to.
    fn begins_anywhere(&self) -> bool {
        match &self.origin {
            Origin::Unknown => false,
            Origin::Documents(data) => !data.is_readable(),
            Origin::Shared(_) => true,
        }
    }

    /// Creates the counter where these documents say it stands, or raises it to there. Also one that is shared: whoever
    /// asks for this knows that the others will.
    pub(crate) async fn catch_up(&self, data: &Data) -> Result<()> {
        let Some(to) = self.behind(data).await? else { return Ok(()) };
        self.create_at(to).await?;
        if self.raise(to).await? {
            self.observed.repaired(None, to);
        }
        Ok(())
    }

    /// Where these documents say that the counter should stand, if it does not.
    pub(crate) async fn behind(&self, data: &Data) -> Result<Option<i64>> {
        match self.read(None).await? {
            State::Corrupt(found) => Err(self.corrupt(found)),
            State::Missing => self.seed_from(data).await.map(Some),
            State::At(number) if data.is_readable() => {
                let seed = self.seed_behind(data.furthest(&self.progression).await?)?;
                Ok(Some(seed).filter(|&seed| self.progression.beyond(seed, number.value)))
            }
            State::At(_) => Ok(None),
        }
    }

    /// Where the counter stands by these documents alone.
    async fn seed_from(&self, data: &Data) -> Result<i64> {
        if !data.is_indexed().await? {
            return Err(self.missing(
                "without a unique index on the scope fields and the number every new scope would take a scan of the \
                 collection; call `ensure_sequences` once, before the first insert",
            ));
        }
        if data.is_readable() {
            return self.seed_behind(data.furthest(&self.progression).await?);
        }
        if data.any().await? {
            return Err(self.missing(
                "there are numbered documents, and what `format` made of their numbers cannot be turned back; call \
                 `raise_to` on its `Sequence` with the last number",
            ));
        }
        self.seed_behind(None)
    }

    fn seed_behind(&self, furthest: Option<i64>) -> Result<i64> {
        self.progression.seed(furthest).ok_or_else(|| {
            self.invalid("`start - step` does not fit into an i64, and the counter holds it before the first number")
        })
    }
}
