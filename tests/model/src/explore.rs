//! Many schedules of one story.

use shuttle::{
    Config, MaxSteps, Runner,
    scheduler::{PctScheduler, RandomScheduler, UrwRandomScheduler},
};

const SEED: u64 = 0x5e9;

/// So many by each of three ways to choose, the same ones in every run.
///
/// # Panics
///
/// If the story does, or if it cannot come to an end.
pub fn explore(times: usize, story: impl Fn() + Clone + Send + Sync + 'static) {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    config.max_steps = MaxSteps::FailAfter(1_000_000);
    Runner::new(RandomScheduler::new_from_seed(SEED, times), config.clone()).run(story.clone());
    Runner::new(UrwRandomScheduler::new_from_seed(SEED, times), config.clone()).run(story.clone());
    Runner::new(PctScheduler::new_from_seed(SEED, 4, times), config).run(story);
}
