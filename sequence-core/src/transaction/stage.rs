//! How far a transaction is, for a caller that stops waiting while it is under way.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shared by the task that runs the transaction and the caller.
#[derive(Debug, Default)]
pub(crate) struct Stage(Mutex<At>);

#[derive(Clone, Copy, Debug, Default)]
enum At {
    #[default]
    Begun,
    /// The commit may be on its way, of documents whose first number this is.
    Committing(Option<i64>),
    Committed(Option<i64>),
    GivenUp,
}

/// What a caller that stops waiting knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// It will not be committed any more.
    NotStored,
    /// It may be, with this first number.
    Unknown(Option<i64>),
    /// It is, with this first number.
    Stored(Option<i64>),
}

impl Stage {
    /// Tells whether it may be committed: not, if nobody waits for it any more.
    pub(super) fn commits(&self, number: Option<i64>) -> bool {
        self.go_on(At::Committing(number))
    }

    pub(super) fn is_committed(&self, number: Option<i64>) {
        self.go_on(At::Committed(number));
    }

    /// The commit was refused, and it begins again.
    pub(super) fn begins_again(&self) {
        self.go_on(At::Begun);
    }

    /// Tells whether somebody waits for it.
    fn go_on(&self, to: At) -> bool {
        let mut at = self.lock();
        if matches!(*at, At::GivenUp) {
            return false;
        }
        *at = to;
        true
    }

    /// Stops waiting: from now on nothing more is committed.
    pub(crate) fn give_up(&self) -> GivenUp {
        let mut at = self.lock();
        let given_up = match *at {
            At::Committed(number) => return GivenUp::Stored(number), // and stays so
            At::Committing(number) => GivenUp::Unknown(number),
            At::Begun | At::GivenUp => GivenUp::NotStored,
        };
        *at = At::GivenUp;
        given_up
    }

    fn lock(&self) -> MutexGuard<'_, At> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{GivenUp, Stage};

    /// A caller that stops waiting for what comes behind the commit may find the runtime ended, and asks again.
    #[test]
    fn what_is_stored_stays_so_however_often_it_is_asked_for() {
        let stage = Stage::default();
        assert!(stage.commits(Some(7)));
        stage.is_committed(Some(7));
        assert_eq!([stage.give_up(), stage.give_up()], [GivenUp::Stored(Some(7)); 2]);
    }

    #[test]
    fn nothing_is_committed_any_more_once_it_is_given_up() {
        let stage = Stage::default();
        assert!(stage.commits(Some(7)));
        stage.begins_again();
        assert_eq!(stage.give_up(), GivenUp::NotStored);
        assert!(!stage.commits(Some(8)));
        let stage = Stage::default();
        assert!(stage.commits(Some(7)));
        assert_eq!(stage.give_up(), GivenUp::Unknown(Some(7)));
        stage.begins_again();
        assert!(!stage.commits(Some(7)));
    }
}
