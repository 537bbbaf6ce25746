//! What the hot queries read: an index from its first entry on, never a table or a sort.

use orloj_store::suite::engine;
use orloj_store_sqlite::{Options, SqliteStore};
use rusqlite::Connection;

#[test]
fn acquisition_takes_the_first_entries_of_its_index() {
    for sql in [
        include_str!("../queries/job_acquire_engine.sql"),
        include_str!("../queries/job_acquire_worker.sql"),
    ] {
        let plan = plan(sql);
        assert!(plan.contains("USING INDEX job_ready (engine=? AND type=?"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        assert!(!plan.contains("SCAN job"), "{plan}");
    }
    let held = plan(include_str!("../queries/job_acquire_engine.sql"));
    assert!(held.contains("SCAN held USING INDEX job_still_held"), "{held}");
}

#[test]
fn recovery_reads_what_the_session_held() {
    let listed = plan(include_str!("../queries/job_clear_listed.sql"));
    assert!(listed.contains("INDEX job_listed (lock_session=?)"), "{listed}");
    assert!(!listed.contains("SCAN job"), "{listed}");
}

#[test]
fn time_is_read_from_its_indexes() {
    let due = plan(include_str!("../queries/job_due.sql"));
    assert!(due.contains("USING INDEX job_due (due_at<?)"), "{due}");
    assert!(!due.contains("TEMP B-TREE"), "{due}");
    let of_workers = plan(include_str!("../queries/job_due_worker.sql"));
    assert!(of_workers.contains("USING INDEX job_due_worker (due_at<?)"), "{of_workers}");
    assert!(!of_workers.contains("TEMP B-TREE"), "{of_workers}");
    let expire = plan(include_str!("../queries/job_expire.sql"));
    assert!(expire.contains("USING INDEX job_worker_lock (lock_until<?)"), "{expire}");
}

#[test]
fn a_beat_reads_first_entries_only() {
    let beat = plan(include_str!("../queries/node_beat.sql"));
    assert!(beat.contains("INDEX job_due (due_at>?)"), "{beat}");
    assert!(beat.contains("INDEX job_worker_lock (lock_until>?)"), "{beat}");
    assert!(beat.contains("INDEX job_ready (engine=? AND type=?)"), "{beat}");
    assert!(beat.contains("INDEX message_expires"), "{beat}");
    assert!(!beat.contains("TEMP B-TREE"), "{beat}");
}

#[test]
fn single_rows_and_histories_are_found_by_their_keys() {
    for sql in [
        include_str!("../queries/history_load.sql"),
        include_str!("../queries/variable_load.sql"),
        include_str!("../queries/page_load.sql"),
        include_str!("../queries/instance_load.sql"),
        include_str!("../queries/job_load.sql"),
        include_str!("../queries/job_delete.sql"),
        include_str!("../queries/instance_update.sql"),
        include_str!("../queries/job_migrate.sql"),
        include_str!("../queries/job_clear_session.sql"),
        include_str!("../queries/instance_of_near.sql"),
        include_str!("../queries/definition_find_latest.sql"),
        include_str!("../queries/instances.sql"),
        include_str!("../queries/definitions.sql"),
        include_str!("../queries/ended.sql"),
        include_str!("../queries/operations.sql"),
        include_str!("../queries/prune_instances.sql"),
    ] {
        let plan = plan(sql);
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        assert!(plan.contains("SEARCH"), "{plan}");
    }
}

#[test]
fn what_gets_another_tenant_is_found_by_indexes() {
    for (sql, index) in [
        (include_str!("../queries/tenant_ended.sql"), "ended_age (engine=? AND definition_key=?)"),
        (include_str!("../queries/tenant_chore.sql"), "job_chore (definition_key=?)"),
        (
            include_str!("../queries/tenant_chore_incident.sql"),
            "incident_instance (instance_key=?)",
        ),
        (include_str!("../queries/tenant_incident.sql"), "incident_instance (instance_key=?)"),
    ] {
        let plan = plan(sql);
        assert!(plan.contains(index), "{plan}");
    }
}

#[test]
fn waits_and_messages_are_found_by_their_indexes() {
    for (sql, index) in [
        (include_str!("../queries/subscriptions_named.sql"), "subscription_name (engine=?"),
        (include_str!("../queries/subscription_last.sql"), "subscription_name (engine=?"),
        (include_str!("../queries/subscriptions_correlated.sql"), "subscription_correlation"),
        (include_str!("../queries/subscriptions.sql"), "INTEGER PRIMARY KEY (rowid>?)"),
        (include_str!("../queries/starts_named.sql"), "start_event_name (engine=?"),
        (include_str!("../queries/starts.sql"), "PRIMARY KEY"),
        (include_str!("../queries/start_replace.sql"), "start_event_process (engine=?"),
        (include_str!("../queries/messages.sql"), "message_channel (engine=?"),
        (include_str!("../queries/message_fits.sql"), "subscription_correlation (engine=?"),
        (include_str!("../queries/message_expired.sql"), "message_expires (expires_at<?)"),
        (include_str!("../queries/called_instances_by_root.sql"), "called_root (root_key=?"),
        (include_str!("../queries/called_ended_by_caller.sql"), "called_caller (caller_key=?"),
    ] {
        let plan = plan(sql);
        assert!(plan.contains(index), "{index}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        assert!(!plan.contains("SCAN"), "{plan}");
    }
    let fit = plan(include_str!("../queries/message_fit.sql"));
    assert!(fit.contains("INDEX message_channel (engine=?"), "{fit}");
    assert!(fit.contains("INDEX subscription_correlation (engine=?"), "{fit}");
    assert!(!fit.contains("TEMP B-TREE FOR ORDER BY"), "{fit}");
}

#[test]
fn a_business_key_is_found_by_its_index_and_so_are_its_waits() {
    let listed = plan(include_str!("../queries/instances_of_business_key.sql"));
    assert!(listed.contains("instance_business_key (engine=? AND business_key=?"), "{listed}");
    assert!(!listed.contains("TEMP B-TREE"), "{listed}");
    let waits = plan(include_str!("../queries/subscriptions_of_business_key.sql"));
    assert!(waits.contains("instance_business_key (engine=? AND business_key=?)"), "{waits}");
    assert!(waits.contains("subscription_instance (instance_key=?"), "{waits}");
    assert!(!waits.contains("SCAN"), "{waits}");
}

#[test]
fn chores_batches_and_what_is_old_are_found_by_their_indexes() {
    for (sql, index) in [
        (include_str!("../queries/chore_replaced.sql"), "job_chore (definition_key=?"),
        (include_str!("../queries/definition_timers.sql"), "job_chore (definition_key=?"),
        (include_str!("../queries/chore_log.sql"), "INTEGER PRIMARY KEY (rowid<?)"),
        (include_str!("../queries/chore_log_of_job.sql"), "chore_log_job (job_key=?"),
        (include_str!("../queries/prune_chore_log.sql"), "chore_log_at (at<?)"),
        (include_str!("../queries/chore_lock.sql"), "INTEGER PRIMARY KEY (rowid=?)"),
        (include_str!("../queries/prune_removable.sql"), "ended_removal (removal_at>? AND"),
        (
            include_str!("../queries/prune_batches.sql"),
            "ended_batch_removal (engine=? AND removal_at<?)",
        ),
        (
            include_str!("../queries/prune_batches_ended.sql"),
            "ended_batch_age (engine=? AND ended_at<?)",
        ),
        (include_str!("../queries/prune_batch_keys.sql"), "INTEGER PRIMARY KEY (rowid=?)"),
        (include_str!("../queries/prune_batch_log.sql"), "chore_log_batch (batch_key=?)"),
        (include_str!("../queries/prune_operations.sql"), "operation_age (engine=? AND at<?)"),
        (include_str!("../queries/prune_meters.sql"), "meter_age (engine=? AND at<?)"),
        (
            include_str!("../queries/prune_ended.sql"),
            "SEARCH e USING COVERING INDEX ended_age (engine=? AND definition_key=? AND ended_at>? \
             AND ended_at<?)",
        ),
        (include_str!("../queries/history_delete.sql"), "PRIMARY KEY (instance_key=?)"),
        (include_str!("../queries/incidents_of_instance.sql"), "incident_instance (instance_key=?"),
    ] {
        let plan = plan(sql);
        assert!(plan.contains(index), "{index}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        for table in ["job", "ended", "e ", "operation", "meter", "chore_log"] {
            assert!(!plan.contains(&format!("SCAN {table}")), "{plan}");
        }
    }
}

fn plan(sql: &str) -> String {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    drop(SqliteStore::open(&Options::file(&path, engine())).expect("open"));
    let connection = Connection::open(&path).expect("open");
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("prepare");
    let nulls = vec![rusqlite::types::Null; statement.parameter_count()];
    let lines = statement
        .query_map(rusqlite::params_from_iter(nulls), |row| row.get::<_, String>(3))
        .expect("explain");
    lines.collect::<Result<Vec<_>, _>>().expect("plan").join("\n")
}
