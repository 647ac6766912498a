//! Any calls on any handles of three counters, and exactly what a model without a server says of them.
//!
//! Two counters belong to the scopes of a model, one to a name. Each has handles without memory on two clients, one whose
//! callers share commands, and two with blocks. Whatever a handle fetches ahead is awaited before the next call, so that
//! there is one right answer. `PROPTEST_RNG_SEED` repeats a failure, `PROPTEST_CASES` makes more of it.

mod calls;
mod machine;
mod reference;

use proptest::test_runner::{Config, RngSeed, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use self::{calls::Calls, machine::Machine};

const CASES: u32 = 80;
const MOST_CALLS: usize = 50;

#[test]
fn every_handle_does_what_the_model_says() {
    let mut config = Config { failure_persistence: None, max_shrink_time: 60_000, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    if let RngSeed::Random = config.rng_seed {
        config.rng_seed = RngSeed::Fixed(rand::random());
    }
    let seed = config.rng_seed;
    let failed =
        TestRunner::new(config.clone()).run(&Calls::sequential_strategy(1..MOST_CALLS), |(references, calls, seen)| {
            Machine::test_sequential(config.clone(), references, calls, seen);
            Ok(())
        });
    if let Err(failure) = failed {
        panic!("with PROPTEST_RNG_SEED={seed}: {failure}");
    }
}
