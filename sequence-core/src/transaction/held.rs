//! Whether somebody holds a counter, or many want it.

use std::time::{Duration, Instant};

use crate::{
    Error, ErrorKind, Result,
    counter::{Counter, State},
    error::server_code,
};

/// Server code: another transaction has written the document.
pub(crate) const WRITE_CONFLICT: i32 = 112;
/// Conflicts at one counter that go on for so long, while nothing moves it, come from one transaction that holds it.
const HELD_TIME: Duration = Duration::from_secs(10);

/// Tells a counter that one transaction holds from one that many want: the latter moves.
#[derive(Default)]
pub(super) struct Held {
    /// The group at whose counter the conflicts are, and since when.
    since: Option<(usize, Instant)>,
    /// Where the counter stood at half time.
    value: Option<i64>,
}

impl Held {
    pub(super) fn released(&mut self) {
        *self = Self::default();
    }

    /// Notes a failure at the counter of a group. An error once it has stood still behind conflicts for too long.
    pub(super) async fn failed(&mut self, group: usize, error: &Error, counter: &Counter) -> Result<()> {
        let conflict = error.driver_error().and_then(server_code) == Some(WRITE_CONFLICT);
        if !conflict || self.since.is_some_and(|(before, _)| before != group) {
            self.released();
        }
        if !conflict {
            return Ok(());
        }
        let (_, since) = self.since.get_or_insert_with(|| (group, Instant::now()));
        let waited = since.elapsed();
        let look = if self.value.is_none() { HELD_TIME / 2 } else { HELD_TIME };
        if waited < look {
            return Ok(());
        }
        let Ok(State::At(number)) = counter.read(None).await else {
            return Ok(()); // looked at again at the next conflict
        };
        match self.value {
            Some(before) if before == number.value => {
                return Err(Error::new(ErrorKind::CounterHeld { sequence: counter.name(), waited }));
            }
            Some(_) => self.released(),
            None => self.value = Some(number.value),
        }
        Ok(())
    }
}
