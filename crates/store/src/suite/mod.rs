//! The contract suite: what every store must do, stated once and run by all of them.
//!
//! A store's tests go through [`CASES`] and, by its kind, [`CLUSTER_CASES`] or [`EMBEDDED_CASES`].
//! Each case is given a fresh, empty store opened for the engine [`engine`] and panics when the
//! store breaks its promise. The cases need no runtime of their own: where several calls must be
//! under way at once they are polled side by side.

mod acquisition;
mod broadcasts;
mod called;
mod commit;
mod decisions;
mod definitions;
mod details;
mod due;
mod holds;
mod instance_of;
mod isolation;
mod lanes;
mod limits;
mod locks;
mod messages;
mod nodes;
mod queries;
mod sample;
mod starts;
mod subscriptions;
mod together;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::EngineName;

use crate::Store;

pub type CaseFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

pub struct Case {
    pub name: &'static str,
    pub run: fn(Arc<dyn Store>) -> CaseFuture,
}

/// The engine that a store under test is opened for.
pub fn engine() -> EngineName {
    EngineName::new("suite")
}

macro_rules! cases {
    ($($module:ident: $($name:ident)*;)*) => {
        &[$($(Case {
            name: concat!(stringify!($module), "::", stringify!($name)),
            run: |store| Box::pin($module::$name(store)),
        },)*)*]
    };
}

/// For every store.
pub const CASES: &[Case] = cases! {
    commit:
        an_inserted_instance_is_loaded_as_it_was
        an_update_needs_the_expected_revision
        a_delete_needs_the_expected_revision
        an_existing_key_is_not_inserted_again
        every_loser_is_named_and_nothing_applied
        without_its_losers_a_group_applies
        a_change_of_two_instances_is_all_or_nothing
        a_failing_statement_applies_nothing
        an_empty_group_is_recorded;
    lanes:
        a_group_has_landed_when_it_was_committed
        a_group_that_lost_has_not_landed
        lanes_do_not_know_of_each_other
        what_was_prepared_counts_only_when_it_is_committed
        a_fenced_session_commits_nothing
        a_lane_that_was_not_opened_commits_nothing;
    isolation:
        a_load_never_sees_half_a_group
        concurrent_updates_of_one_revision_have_one_winner
        acquisitions_at_once_never_share_a_job;
    nodes:
        a_node_is_listed_until_it_leaves
        a_node_is_fenced_only_at_the_counter_it_was_seen_at
        fencing_clears_exactly_the_locks_of_the_session
        fencing_clears_what_was_acquired_below_the_floor
        fencing_clears_what_a_change_locked_below_the_floor
        leaving_clears_the_locks_and_may_be_repeated
        the_predecessor_of_the_same_name_is_fenced
        a_freed_number_continues_above_all_its_keys
        a_beat_tells_what_is_due_next
        a_beat_tells_of_ready_engine_jobs
        a_beat_tells_of_nodes_and_definitions
        a_fenced_node_is_told_so;
    acquisition:
        jobs_come_by_priority_then_key
        the_limit_holds
        only_the_wanted_type_is_taken
        listeners_are_for_workers_and_completions_for_the_engine
        only_ready_unlocked_jobs_are_taken
        a_taken_job_is_not_taken_again
        the_engine_locks_for_its_session
        a_worker_locks_until_its_time_and_is_noted
        jobs_of_another_engine_are_left_alone;
    due:
        waiting_jobs_are_due_at_their_time_earliest_first
        due_jobs_are_limited_and_not_locked
        only_locks_ended_before_now_expire
        an_expired_job_can_be_taken_again;
    locks:
        a_release_needs_the_right_attempt
        a_lock_is_extended_only_while_it_lasts
        an_update_may_keep_the_lock
        an_update_may_clear_the_lock
        an_update_may_lock_for_a_session
        an_update_may_lock_for_a_worker
        an_update_writes_what_an_instance_decides
        a_locked_job_can_be_deleted;
    definitions:
        versions_count_up_per_process
        a_deployment_of_nothing_new_keeps_its_keys
        one_new_resource_gives_all_new_versions
        a_resource_of_another_name_is_new
        an_earlier_version_deployed_again_is_new
        tenants_have_versions_of_their_own
        definitions_are_found_by_key_and_version
        a_resource_keeps_its_bytes
        deployments_at_once_get_different_versions
        definitions_are_paged_newest_first;
    decisions:
        decisions_and_their_file_have_versions
        a_file_of_decisions_deployed_again_is_a_duplicate
        a_process_and_its_decisions_are_new_together
        decisions_are_found_by_version_tag_and_deployment
        a_beat_tells_of_decisions;
    details:
        variables_are_put_replaced_and_deleted
        all_variables_of_an_instance_can_be_deleted
        user_tasks_come_and_go
        incidents_come_and_go
        history_is_appended_and_read_oldest_first
        ended_instances_are_kept;
    queries:
        instances_are_paged_newest_first
        instances_are_found_by_process
        ended_instances_are_paged_and_found_by_process
        jobs_are_paged_and_filtered
        incidents_are_paged_and_filtered
        user_tasks_are_paged_and_filtered
        rows_of_another_engine_are_not_listed;
    instance_of:
        an_instance_belongs_to_itself
        an_element_instance_is_found_by_its_job
        an_element_instance_is_found_by_incident_or_user_task
        an_unknown_element_instance_is_not_found;
    subscriptions:
        subscriptions_come_and_go
        a_subscription_opened_and_closed_at_once_was_never_there
        subscriptions_are_part_of_their_change
        subscriptions_are_found_by_name_and_correlation_key
        subscriptions_are_paged_oldest_first
        an_element_instance_is_found_by_its_subscription;
    messages:
        messages_wait_in_their_channel_oldest_first
        a_message_is_taken_away_once
        an_id_is_unique_while_its_message_is_buffered
        an_expired_message_is_not_found_and_removed_in_bulk
        the_later_of_message_and_wait_is_told_of_the_earlier
        only_equal_channels_fit
        a_process_takes_a_message_once
        a_change_may_take_what_it_adds
        changes_of_a_group_that_want_the_same_have_one_winner
        a_closed_wait_fits_nothing
        a_message_and_a_wait_at_the_same_time_never_miss_each_other
        takers_at_the_same_time_have_one_winner;
    starts:
        start_events_are_those_of_the_latest_version
        start_events_are_paged
        timers_are_due_earliest_first
        a_timer_fires_once_for_each_of_its_moments
        a_timer_of_a_version_that_was_replaced_does_not_fire
        nodes_that_fire_a_timer_at_once_have_one_winner;
    holds:
        a_process_is_held_by_one_instance_for_each_key
        messages_wait_until_their_process_is_free
        a_message_and_an_end_at_the_same_time_never_miss_each_other;
    broadcasts:
        broadcasts_are_listed_until_they_are_done
        a_broadcast_moves_on_from_where_it_is
        nodes_that_move_a_broadcast_at_once_have_one_winner;
    called:
        an_instance_knows_its_caller_and_root
        called_instances_are_found_by_caller_and_root;
    limits:
        large_values_come_back
        empty_and_foreign_text_comes_back
        numbers_at_their_ends_come_back
        a_page_is_never_longer_than_the_limit
        a_closed_store_says_so;
};

/// For stores that several nodes share.
pub const CLUSTER_CASES: &[Case] = cases! {
    nodes:
        live_nodes_have_numbers_of_their_own
        fencing_one_node_leaves_the_others;
};

/// For stores with one owner at a time.
pub const EMBEDDED_CASES: &[Case] = cases! {
    nodes:
        joining_fences_every_other_node;
};
