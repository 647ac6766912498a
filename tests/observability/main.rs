//! What the library tells of itself, in a process of its own: there is one subscriber and one recorder for all of it.
//!
//! `cargo test --test observability --features tracing,metrics`

mod data;
mod faults;
mod filtered;
mod handles;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../server/models.rs"]
mod models;
mod seen;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../server/support.rs"]
mod support;
mod table;
mod ways;

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, Ordering},
};

use mongodb::Collection;

use crate::{models::Order, seen::SEEN, support::TestDb};

/// Each is a test, and all of them one after the other are what the table is compared with.
macro_rules! stories {
    ($($module:ident::$story:ident,)+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $story() {
            $module::$story().await;
        })+

        /// Everything that is told is in the table, and nothing else is.
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn the_table_of_names_is_complete_and_true() {
            $($module::$story().await;)+
            table::compare();
        }
    };
}

stories! {
    ways::every_way_has_its_name,
    ways::each_command_at_a_counter_is_counted,
    ways::numbers_without_documents_are_told,
    ways::a_batch_tells_its_first_number_and_how_many_there_are,
    ways::one_that_is_found_takes_no_number,
    ways::a_model_of_two_sequences_tells_both,
    ways::neither_scopes_nor_documents_are_told,
    ways::a_key_of_another_form_is_not_told,
    ways::the_part_of_the_range_that_is_used_is_told,
    faults::a_conflict_at_a_counter_is_told_and_so_is_each_repetition,
    faults::a_conflict_in_a_transaction_of_the_callers_is_told,
    faults::a_transaction_that_is_run_again_is_told,
    faults::numbers_of_refused_documents_are_burnt,
    faults::numbers_that_are_not_confirmed_are_burnt,
    faults::an_insert_whose_answer_is_lost_is_unknown,
    faults::a_counter_command_whose_answer_is_lost_is_unknown,
    faults::a_commit_that_stays_unknown_is_told_and_its_transaction_ended,
    faults::a_dropped_call_tells_what_became_of_its_transaction,
    faults::a_runtime_that_ends_is_told,
    data::a_counter_is_created_before_the_first_number_or_behind_the_data,
    data::a_counter_that_is_behind_the_data_is_told,
    data::what_looks_after_data_has_spans,
    data::numbers_that_a_backfill_has_not_used_are_burnt,
    handles::groups_follow_from_their_callers,
    handles::gapless_groups_share_a_transaction,
    handles::a_block_is_told_when_it_is_reserved_and_when_it_is_given_up,
    handles::those_who_share_a_command_are_counted,
}

/// A database, and a collection whose sequence is no other test's.
struct Stage {
    test: TestDb,
    orders: Collection<Order>,
    sequence: String,
}

impl Stage {
    async fn new() -> Self {
        Self::of(TestDb::new().await)
    }

    async fn with_faults() -> Self {
        Self::of(TestDb::with_faults().await)
    }

    fn of(test: TestDb) -> Self {
        LazyLock::force(&SEEN);
        let name = unique("orders");
        Self { orders: test.db.collection(&name), sequence: format!("{name}._id"), test }
    }
}

fn unique(name: &str) -> String {
    static NAMES: AtomicU32 = AtomicU32::new(0);
    format!("{name}_{}", NAMES.fetch_add(1, Ordering::Relaxed))
}
