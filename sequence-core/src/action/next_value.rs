//! `Sequence::next_value`: one number.

use std::future::IntoFuture;

use mongodb::ClientSession;

use super::{mode, take};
use crate::{
    Result, Sequence,
    observe::{Action, Span},
};

/// Takes the next number of a sequence. Construct with [`Sequence::next_value`].
#[must_use = "nothing is sent until it is awaited"]
#[derive(Debug)]
pub struct NextValue<'a> {
    sequence: &'a Sequence,
    session: Option<&'a mut ClientSession>,
}

impl<'a> NextValue<'a> {
    pub(crate) fn new(sequence: &'a Sequence) -> Self {
        Self { sequence, session: None }
    }

    /// Takes the number inside the transaction of this session, which must be in progress: a rollback gives it back.
    pub fn session(mut self, session: impl Into<&'a mut ClientSession>) -> Self {
        self.session = Some(session.into());
        self
    }
}

impl<'a> IntoFuture for NextValue<'a> {
    type Output = Result<i64>;
    type IntoFuture = NextValueFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let span =
            Span::of_call(Action::NextValue, Some(mode(&self.session)), Some(1), || self.sequence.name().to_owned());
        let taken = async move { take(self.sequence.counter()?, 1, self.session).await };
        NextValueFuture(Box::pin(span.around_call(taken)))
    }
}

opaque_future! {
    /// The future of [`NextValue`].
    NextValueFuture -> Result<i64>
}
