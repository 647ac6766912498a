//! `Sequence::reserve`: many numbers with one command.

use std::{collections::VecDeque, future::IntoFuture, iter::FusedIterator};

use mongodb::ClientSession;

use super::{mode, take};
use crate::{
    Result, Sequence,
    combiner::Run,
    observe::{Action, Span},
};

/// Takes several numbers of a sequence at once. Construct with [`Sequence::reserve`].
#[must_use = "nothing is sent until it is awaited"]
#[derive(Debug)]
pub struct Reserve<'a> {
    sequence: &'a Sequence,
    n: u64,
    session: Option<&'a mut ClientSession>,
}

impl<'a> Reserve<'a> {
    pub(crate) fn new(sequence: &'a Sequence, n: u64) -> Self {
        Self { sequence, n, session: None }
    }

    /// Takes the numbers inside the transaction of this session, which must be in progress: a rollback gives them back.
    pub fn session(mut self, session: impl Into<&'a mut ClientSession>) -> Self {
        self.session = Some(session.into());
        self
    }
}

impl<'a> IntoFuture for Reserve<'a> {
    type Output = Result<Reserved>;
    type IntoFuture = ReserveFuture<'a>;

    fn into_future(self) -> Self::IntoFuture {
        let count = usize::try_from(self.n).ok();
        let span = Span::of_call(Action::Reserve, Some(mode(&self.session)), count, || self.sequence.name().to_owned());
        ReserveFuture(Box::pin(span.around_call(async move {
            let counter = self.sequence.counter()?;
            let step = counter.progression.step;
            let mut runs = Vec::new();
            if self.n > 0 {
                runs.push(Run { n: self.n, last: take(counter, self.n, self.session).await? });
            }
            Ok(Reserved::new(runs, step))
        })))
    }
}

opaque_future! {
    /// The future of [`Reserve`].
    ReserveFuture -> Result<Reserved>
}

/// Reserved numbers, in order. Those that are not taken from it are gaps.
#[derive(Clone, Debug)]
pub struct Reserved {
    /// None of them empty.
    runs: VecDeque<Run>,
    step: i64,
    left: u64,
}

impl Reserved {
    pub(crate) fn new(runs: Vec<Run>, step: i64) -> Self {
        let left = runs.iter().map(|run| run.n).sum();
        Self { runs: runs.into(), step, left }
    }
}

impl Iterator for Reserved {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let Run { n, last } = self.runs.front_mut()?;
        *n -= 1;
        self.left -= 1;
        let number = i128::from(*last) - i128::from(*n) * i128::from(self.step);
        if *n == 0 {
            self.runs.pop_front();
        }
        i64::try_from(number).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl ExactSizeIterator for Reserved {}
impl FusedIterator for Reserved {}

#[cfg(test)]
mod tests {
    use super::{Reserved, Run};

    #[test]
    fn numbers_come_in_order_and_are_counted() {
        let up = Reserved::new(vec![Run { n: 2, last: 20 }, Run { n: 1, last: 70 }], 10);
        assert_eq!(up.len(), 3);
        assert_eq!(up.collect::<Vec<_>>(), [10, 20, 70]);
        let down = Reserved::new(vec![Run { n: 2, last: i64::MIN }], -1);
        assert_eq!(down.collect::<Vec<_>>(), [i64::MIN + 1, i64::MIN]);
        assert_eq!(Reserved::new(Vec::new(), 1).next(), None);
    }
}
