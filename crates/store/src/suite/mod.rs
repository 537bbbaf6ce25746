//! The contract suite: what every store must do, stated once and run by all of them.
//!
//! A store's tests go through [`CASES`] and, by its kind, [`CLUSTER_CASES`] or [`EMBEDDED_CASES`].
//! Each case is given a fresh, empty store opened for the engine [`engine`] and panics when the
//! store breaks its promise. The cases need no runtime of their own: where several calls must be
//! under way at once they are polled side by side.

mod acquisition;
mod assets;
mod batches;
mod begun;
mod broadcasts;
mod called;
mod chore_log;
mod chores;
mod commit;
mod decisions;
mod definitions;
mod deletions;
mod details;
mod due;
mod instance_of;
mod isolation;
mod job_definitions;
mod job_limits;
mod job_queries;
mod lanes;
mod limits;
mod locks;
mod messages;
mod migrations;
mod nodes;
mod pages;
mod prunes;
mod queries;
mod sample;
mod selections;
mod starts;
mod statements;
mod subscriptions;
mod tenants;
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
    pages:
        pages_are_put_replaced_and_deleted
        all_pages_of_an_instance_can_be_deleted
        a_change_that_loses_leaves_the_pages_as_they_were
        a_page_keeps_all_its_bytes;
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
        fencing_clears_what_was_locked_since_the_last_beat
        fencing_clears_what_was_held_for_long
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
        jobs_of_another_engine_are_left_alone
        nothing_exclusive_is_taken_beside_what_is_still_held
        what_is_still_held_counts_for_its_hierarchy;
    due:
        waiting_jobs_are_due_at_their_time_earliest_first
        due_jobs_of_workers_do_not_stand_behind_timers
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
    begun:
        it_is_a_job_like_others
        one_follows_another
        several_in_groups_prepared_ahead
        it_stays_while_its_instance_goes_on
        one_that_fails_can_be_taken
        one_that_is_given_back_can_be_taken
        those_of_a_dead_node_can_be_taken
        one_moves_to_another_definition;
    deletions:
        the_version_before_a_deleted_one_comes_back
        an_old_version_goes_without_an_heir;
    tenants:
        everything_of_a_deployment_gets_the_other_tenant
        what_was_on_its_way_is_settled
        what_the_other_tenant_has_is_not_there_twice
        of_two_versions_in_a_tenant_the_later_starts_instances
        called_instances_follow_who_gave_them_their_tenant;
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
        definitions_are_paged_newest_first
        definitions_are_found_by_every_field;
    assets:
        assets_have_versions_of_their_own
        an_asset_and_what_comes_with_it_are_new_together
        assets_are_found_by_version_tag_and_deployment
        what_is_deleted_is_found_no_more_and_its_version_is_not_given_again;
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
    statements:
        a_statement_that_fails_takes_its_change_along
        a_lost_race_comes_before_a_failing_statement;
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
        subscriptions_are_found_by_the_business_key_of_their_instance
        subscriptions_are_paged_oldest_first
        the_last_subscription_of_a_name_is_found
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
        start_events_are_paged;
    broadcasts:
        broadcasts_are_listed_until_they_are_done
        a_broadcast_moves_on_from_where_it_is
        nodes_that_move_a_broadcast_at_once_have_one_winner;
    migrations:
        rows_of_a_migrated_instance_name_the_other_definition
        a_migration_touches_nothing_else
        a_migration_that_loses_changes_nothing
        an_instance_may_be_migrated_where_it_starts;
    called:
        an_instance_knows_its_caller_and_root
        called_instances_are_found_by_caller_and_root;
    selections:
        every_order_takes_its_first_first
        extremes_have_a_place_in_every_order
        a_step_that_no_store_can_keep_is_refused
        only_priorities_in_the_range_are_taken
        a_deployment_aware_node_takes_its_own_and_those_of_none
        categories_topics_tenants_and_cleanups_may_be_left
        jobs_without_a_due_date_may_be_left
        a_node_is_seen_with_what_it_takes
        a_worker_is_not_concerned_by_the_order_of_the_engine;
    job_limits:
        limits_are_listed_replaced_and_deleted
        what_cannot_be_kept_is_refused
        no_more_jobs_are_locked_than_allowed
        a_job_needs_room_in_every_limit_it_matches
        workers_are_limited_too
        a_rate_is_kept
        acquisitions_at_once_keep_the_limit;
    chores:
        a_chore_is_acquired_like_any_job_of_the_engine
        only_who_holds_a_chore_ends_it
        the_work_of_a_chore_commits_with_its_end
        a_chore_is_updated_column_by_column
        fencing_frees_chores_and_shuts_out_their_holder
        changes_of_one_group_that_want_one_chore_have_one_winner
        of_nodes_that_make_one_chore_at_once_one_wins
        a_deployment_brings_its_chores_and_takes_those_before;
    chore_log:
        what_happens_to_a_chore_is_logged_by_the_change_that_does_it
        the_log_of_chores_is_found_by_every_field
        a_chore_has_one_incident_at_most
        a_deployment_logs_the_start_timers_that_go_and_come
        the_log_of_a_batch_goes_with_it
        the_log_of_chores_goes_by_age;
    job_definitions:
        they_come_with_their_definition_and_are_filtered
        suspension_and_priority_are_set_one_by_one
        definitions_are_suspended_and_activated
        definitions_that_come_suspended_raise_the_settings
        a_duplicate_suspends_nothing
        nodes_read_all_that_is_set_with_its_version;
    batches:
        a_batch_goes_on_and_ends
        operations_are_logged_and_found
        meters_are_added_and_summed;
    prunes:
        ended_instances_go_by_age_with_their_history
        ended_instances_go_when_their_time_has_come
        definitions_have_times_of_their_own
        clean_ups_share_the_minutes_of_every_hour
        batches_and_meters_go_by_age;
    job_queries:
        jobs_are_found_by_every_field
        jobs_are_listed_in_every_order
        instances_and_incidents_are_found_and_counted
        ended_instances_are_found_by_every_field;
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
