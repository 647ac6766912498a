//! The combiner, under thousands of schedules for each story.

use sequence_model::story::Story;

const TIMES: usize = 1_500;

fn explore(story: Story) {
    sequence_model::explore::explore(TIMES, move || story.happen());
}

#[test]
fn callers_share_commands() {
    explore(Story::PLAIN);
}

#[test]
fn callers_share_blocks() {
    explore(Story { block: 4, ..Story::PLAIN });
}

#[test]
fn the_last_numbers_go_to_the_first_who_ask() {
    explore(Story { last: 7, ..Story::PLAIN });
    explore(Story { last: 9, block: 3, ..Story::PLAIN });
}

#[test]
fn commands_fail_and_callers_give_up() {
    explore(Story { fails: true, gives_up: true, ..Story::PLAIN });
    explore(Story { block: 3, fails: true, gives_up: true, ..Story::PLAIN });
}

#[test]
fn runtimes_end_and_those_of_others_are_served() {
    explore(Story { ends: 1, callers: 2, ..Story::PLAIN });
    explore(Story { block: 3, ends: 2, callers: 2, gives_up: true, ..Story::PLAIN });
}

#[test]
fn blocks_are_thrown_away_when_the_counter_is_raised() {
    explore(Story { block: 4, raised: 2, ..Story::PLAIN });
    explore(Story { block: 3, raised: 2, fails: true, gives_up: true, ..Story::PLAIN });
}

#[test]
fn the_counter_is_lost_and_begins_again() {
    explore(Story { block: 3, lost: 2, ..Story::PLAIN });
    explore(Story { block: 3, lost: 1, ends: 1, callers: 2, ..Story::PLAIN });
    explore(Story { block: 2, lost: 1, raised: 1, ends: 1, fails: true, gives_up: true, callers: 2, ..Story::PLAIN });
}
