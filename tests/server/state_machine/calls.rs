//! The calls, which of them may come, and what the model does at each.

use proptest::{collection::vec, prelude::*};
use proptest_state_machine::ReferenceStateMachine;

use super::reference::{Outcome, Prefetch, Reference};

/// Which handle of a counter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Handle {
    /// A `Sequence`, of the first or the second client.
    Plain(usize),
    Shared,
    Blocks(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Call {
    Next(Handle),
    Reserve(Handle, u64),
    /// Of callers who share a command.
    ReserveTogether(Vec<u64>),
    ReserveInTransaction {
        amounts: Vec<u64>,
        commits: bool,
    },
    RaiseTo(Handle, i64),
    Restart {
        client: usize,
        n: i64,
        are_stopped: bool,
    },
    /// A document, of a counter that belongs to a scope.
    Insert,
    /// The counter's document is deleted.
    Lose,
}

/// The counter without a model comes first.
const COUNTERS: usize = 3;

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) counters: Vec<Reference>,
    /// Of the last call.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) prefetch: Prefetch,
}

/// The state machine of the model.
#[derive(Debug)]
pub(super) struct Calls;

impl ReferenceStateMachine for Calls {
    type State = State;
    type Transition = (usize, Call);

    fn init_state() -> BoxedStrategy<State> {
        let step = prop_oneof![Just(1), Just(10), Just(-1), Just(-7)];
        let room = prop_oneof![1 => Just(None), 2 => (0..60_i64, 0..7_i64).prop_map(Some)];
        let sizes = vec([1..8_u32, 1..8], COUNTERS);
        (-20..20_i64, step, room, sizes)
            .prop_map(|(start, step, room, sizes)| {
                let last = match room {
                    // a part of a step may be left over
                    Some((numbers, rest)) => start + step * numbers + step.signum() * (rest % step),
                    None if step > 0 => i64::MAX,
                    None => i64::MIN,
                };
                let mut sizes = sizes.into_iter();
                let named = sizes.next().map(|sizes| Reference::new(start, step, last, sizes));
                let scoped = sizes.map(|sizes| Reference::new(1, 1, i64::MAX, sizes));
                State {
                    counters: named.into_iter().chain(scoped).collect(),
                    outcomes: Vec::new(),
                    prefetch: Prefetch::default(),
                }
            })
            .boxed()
    }

    fn transitions(state: &State) -> BoxedStrategy<(usize, Call)> {
        let (start, sign): (i64, i64) = (state.counters[0].start, state.counters[0].step.signum());
        let handle = prop_oneof![
            2 => (0..2_usize).prop_map(Handle::Plain),
            1 => Just(Handle::Shared),
            4 => (0..2_usize).prop_map(Handle::Blocks),
        ];
        let amounts = || vec(1..5_u64, 1..5);
        // as far as the numbers of one test go
        let ahead = -8..80_i64;
        let call = prop_oneof![
            8 => handle.clone().prop_map(Call::Next),
            6 => (handle.clone(), 0..9_u64).prop_map(|(handle, n)| Call::Reserve(handle, n)),
            2 => amounts().prop_map(Call::ReserveTogether),
            2 => (amounts(), any::<bool>()).prop_map(|(amounts, commits)| Call::ReserveInTransaction { amounts, commits }),
            2 => (handle, ahead.clone()).prop_map(|(handle, n)| Call::RaiseTo(handle, n)),
            2 => (0..2_usize, ahead, any::<bool>())
                .prop_map(|(client, n, are_stopped)| Call::Restart { client, n, are_stopped }),
            4 => Just(Call::Insert),
            3 => Just(Call::Lose),
        ];
        let of_counter = move |(counter, mut call)| {
            if let Call::RaiseTo(_, n) | Call::Restart { n, .. } = &mut call
                && counter == 0
            {
                *n = start + sign * *n;
            }
            (counter, call)
        };
        (0..COUNTERS, call).prop_map(of_counter).boxed()
    }

    fn preconditions(_state: &State, (counter, call): &(usize, Call)) -> bool {
        *counter > 0 || !matches!(call, Call::Insert)
    }

    fn apply(mut state: State, (counter, call): &(usize, Call)) -> State {
        let counter = &mut state.counters[*counter];
        state.prefetch = Prefetch::default();
        state.outcomes = match call {
            Call::Next(handle) => vec![take(counter, *handle, 1, &mut state.prefetch)],
            Call::Reserve(handle, n) => vec![take(counter, *handle, *n, &mut state.prefetch)],
            Call::ReserveTogether(amounts) => counter.take_together(amounts),
            Call::ReserveInTransaction { amounts, commits } => counter.take_in_transaction(amounts, *commits),
            Call::RaiseTo(handle, n) => {
                let outcome = counter.raise_to(*n);
                if let (Handle::Blocks(handle), Outcome::StandsAt(_)) = (handle, &outcome) {
                    counter.give_up_blocks(*handle);
                }
                vec![outcome]
            }
            Call::Restart { n, are_stopped, .. } => {
                let outcome = counter.restart(*n, *are_stopped);
                if let (true, Outcome::Restarted) = (are_stopped, &outcome) {
                    (0..2).for_each(|handle| counter.give_up_blocks(handle)); // these have stopped, and others began
                }
                vec![outcome]
            }
            Call::Insert => vec![counter.insert()],
            Call::Lose => {
                counter.lose();
                Vec::new()
            }
        };
        state
    }
}

fn take(counter: &mut Reference, handle: Handle, n: u64, prefetch: &mut Prefetch) -> Outcome {
    let Handle::Blocks(handle) = handle else { return counter.take(n) };
    let (outcome, fetched) = counter.take_from_blocks(handle, n);
    *prefetch = fetched;
    outcome
}
