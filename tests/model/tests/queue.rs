//! The queue of documents, under thousands of schedules for each story.

use sequence_model::{explore::explore, lane::Documents};

const TIMES: usize = 3_000;

#[test]
fn documents_are_taken_in_order_and_the_queue_closes_only_without_any() {
    explore(TIMES, || Documents { callers: 3, calls: 2, ends: 0 }.happen());
}

#[test]
fn a_queue_whose_runtime_ends_gives_up_what_waits_and_another_is_opened() {
    explore(TIMES, || Documents { callers: 2, calls: 2, ends: 1 }.happen());
    explore(TIMES, || Documents { callers: 2, calls: 1, ends: 2 }.happen());
}
