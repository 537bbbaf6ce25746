//! What acquisitions read: an index from its first entry on, never the table or a sort.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use crate::common::{NOW, client, group, join, open, with_database};
use orloj_store::{
    Acquire, Change, ChoreUpdate, ChoreWrite, FailureWrite, Held, JobState, JobUpdate, JobWrite,
    LimitScope, LockWrite, NewLimit, NodeProfile, Order, Selection, Store, Wanted,
};
use orloj_types::JobKey;

/// Enough that reading it all costs more than an index.
const ROWS: &str = "INSERT INTO job SELECT
        n, 'suite', '', n, n % 50, n, 'task', CASE WHEN n % 3 = 0 THEN 3 ELSE 0 END, '', 0, 3,
        n % 7, true, CASE WHEN n % 3 = 0 THEN n END, NULL, NULL, NULL, 0, '', NULL, n, ''
    FROM generate_series(1, 20000) AS n";

/// The plan of what is sent, as the server logs it. The statement itself is taken from the store.
async fn plan(admin: &tokio_postgres::Client, sql: &str) -> String {
    let rows = admin.simple_query(&format!("EXPLAIN {sql}")).await.expect("explain");
    let line = |message: &tokio_postgres::SimpleQueryMessage| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    rows.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn every_order_takes_the_first_entries_of_its_index() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let admin = client(&url).await;
        admin.batch_execute(ROWS).await.expect("rows");
        // Others that wait, in front and behind.
        let waiting = ROWS.replace("SELECT\n        n,", "SELECT\n        n * 7 - 70000,");
        let waiting = waiting.replace("'', 0, 3,", "'', 1, 3,");
        let waiting = waiting.replace("AS n", "AS n WHERE n * 7 - 70000 NOT BETWEEN 1 AND 20000");
        admin.batch_execute(&waiting).await.expect("rows");
        let run_at = "coalesce(due_at, created_at)";
        let timers = "(CASE WHEN kind IN (3, 7, 8, 9, 10, 11) THEN 0 ELSE 1 END)";
        let aging = format!(
            "(greatest(least({run_at}, 4000000000000000000), -4000000000000000000) \
             - greatest(least(priority, 2147483647), -2147483647) * 1000)"
        );
        let flags = |priority, timers_first, due| Order::Flags { priority, timers_first, due };
        let orders = [
            (flags(false, false, false), "job_order_k", String::new()),
            (flags(true, false, false), "job_ready", "priority DESC,".to_owned()),
            (flags(false, true, false), "job_order_tk", format!("{timers},")),
            (flags(false, false, true), "job_order_dk", format!("{run_at},")),
            (flags(true, true, false), "job_order_ptk", format!("priority DESC, {timers},")),
            (flags(true, false, true), "job_order_pdk", format!("priority DESC, {run_at},")),
            (flags(false, true, true), "job_order_tdk", format!("{timers}, {run_at},")),
            (
                flags(true, true, true),
                "job_order_ptdk",
                format!("priority DESC, {timers}, {run_at},"),
            ),
            (Order::Aging { step_ms: 1_000 }, "job_order_aging_1000", format!("{aging},")),
        ];
        for (order, index, by) in orders {
            let profile = NodeProfile { order, ..NodeProfile::default() };
            store.describe_node(lease, profile).await.expect("described");
            admin.batch_execute("ANALYZE job").await.expect("analyze");
            let sql = include_str!("../queries/job_acquire_engine.sql")
                .lines()
                .filter(|line| !line.trim().starts_with("--"))
                .collect::<Vec<_>>()
                .join("\n")
                .replace("orloj.", "")
                .replace("ORDER BY priority DESC, key", &format!("ORDER BY {by} key"));
            let values = [
                ("$11", "false"),
                ("$10", "NULL"),
                ("$9", "false"),
                ("$8", "NULL"),
                ("$7", "NULL"),
                ("$6", "NULL"),
                ("$5", "9223372036854775807"),
                ("$4", "(-9223372036854775808)"),
                ("$3", "10"),
                ("$2", "'suite'"),
                ("$1", "1"),
            ];
            let sql = values.iter().fold(sql, |sql, (place, value)| sql.replace(place, value));
            let plan = plan(&admin, &sql).await;
            let picked =
                plan.split("CTE picked").nth(1).and_then(|rest| rest.split("CTE taken").next());
            let picked = picked.expect("there is such a part");
            assert!(picked.contains(&format!("Index Scan using {index} on job")), "{plan}");
            assert!(!picked.contains("Sort"), "{order:?}: {plan}");
            assert!(!plan.contains("Seq Scan on job "), "{order:?}: {plan}");
            assert!(plan.contains("using job_still_held on job h"), "{order:?}: {plan}");
            assert!(picked.contains("NOT (hashed SubPlan"), "{order:?}: {plan}");

            let selection = Selection { order, ..Selection::default() };
            let wanted = Wanted::Engine(selection);
            let acquire = Acquire { lease, wanted, limit: 3, now: NOW };
            let taken = store.acquire(acquire).await.expect("acquire");
            assert_eq!(taken.len(), 3);
        }
    })
    .await;
}

/// Statistics that say of most jobs that they are ready, though none is: what is merely asked to
/// exist would be looked for from end to end, with every beat.
#[tokio::test]
async fn a_beat_looks_for_ready_jobs_in_their_index() {
    with_database(|url| async move {
        let _store = open(&url).await;
        let admin = client(&url).await;
        admin.batch_execute(ROWS).await.expect("rows");
        admin.batch_execute("ANALYZE job; UPDATE job SET lock_session = 1").await.expect("locked");
        let sql = include_str!("../queries/node_beat.sql")
            .lines()
            .filter(|line| !line.trim().starts_with("--"))
            .collect::<Vec<_>>()
            .join("\n")
            .replace("orloj.", "");
        let values = [
            ("$7", "0"),
            ("$6", "'suite'"),
            ("$5", "0"),
            ("$4", "0"),
            ("$3", "0"),
            ("$2", "0"),
            ("$1", "1"),
        ];
        let sql = values.iter().fold(sql, |sql, (place, value)| sql.replace(place, value));
        let plan = plan(&admin, &sql).await;
        assert!(plan.contains("using job_ready on job"), "{plan}");
        assert!(
            !plan.contains("Seq Scan on job\n") && !plan.contains("Seq Scan on job "),
            "{plan}"
        );
    })
    .await;
}

#[tokio::test]
async fn locked_jobs_are_counted_in_an_index_made_with_the_first_limit() {
    with_database(|url| async move {
        let store = open(&url).await;
        let admin = client(&url).await;
        let rows = ROWS.replace(
            "NULL, NULL, NULL, 0, '', NULL, n, ''",
            "n % 5, NULL, NULL, 0, '', NULL, n, 't' || n % 100",
        );
        admin.batch_execute(&rows).await.expect("rows");
        let limit = NewLimit {
            scope: LimitScope::Topic,
            name: "t1".into(),
            max_concurrent: Some(1),
            rate: None,
        };
        store.set_limit(limit, NOW).await.expect("limit");
        admin.batch_execute("ANALYZE job").await.expect("analyze");
        let sql = include_str!("../queries/limits_locked.sql").replace("orloj.", "");
        let plan = plan(&admin, &sql.replace("$1", "'suite'")).await;
        let counted = plan.split("SubPlan 2").next().expect("the first part");
        assert!(counted.contains("job_locked_topic"), "{plan}");
        assert!(!counted.contains("Seq Scan on job j"), "{plan}");
    })
    .await;
}

/// A job that was locked long ago is found by its index, and keeps no row of all that came since
/// from being left out.
#[tokio::test]
async fn recovery_reads_what_the_session_held() {
    with_database(|url| async move {
        let _store = open(&url).await;
        let admin = client(&url).await;
        admin.batch_execute(&ROWS.replace("'', 0, 3,", "'', 1, 3,")).await.expect("rows");
        let held = "UPDATE job SET lock_session = 7, lock_listed = true WHERE key IN (1, 2, 3);
            UPDATE job SET lock_session = 7 WHERE key > 19990;
            UPDATE job SET lock_session = 8, lock_listed = true WHERE key IN (4, 19980);
            ANALYZE job";
        admin.batch_execute(held).await.expect("locks");
        let sql = include_str!("../queries/job_clear_session.sql").replace("orloj.", "");
        let sql = sql.lines().filter(|line| !line.trim().starts_with("--"));
        let sql = sql.collect::<Vec<_>>().join(" ").replace("$1", "7").replace("$2", "19900");
        let plan = plan(&admin, &format!("(ANALYZE, TIMING OFF) {sql}")).await;
        assert!(plan.contains("job_listed"), "{plan}");
        assert!(!plan.contains("Seq Scan on job"), "{plan}");
        let removed = plan.lines().filter_map(|line| line.split("Removed by Filter: ").nth(1));
        let removed: u64 = removed.map(|rows| rows.trim().parse::<u64>().expect("a number")).sum();
        // Those from the floor on which nobody holds.
        assert!(removed <= 100, "{plan}");
        let left =
            admin.query("SELECT key FROM job WHERE lock_session IS NOT NULL ORDER BY 1", &[]);
        let left: Vec<i64> = left.await.expect("rows").iter().map(|row| row.get(0)).collect();
        assert_eq!(left, [4, 19_980]);
    })
    .await;
}

/// A job that a change locks may be older than all the others, and so may one that is locked before
/// the node has told anything.
#[tokio::test]
async fn a_lock_on_an_old_job_makes_no_recovery_read_what_came_since() {
    with_database(|url| async move {
        let store = open(&url).await;
        let admin = client(&url).await;
        admin.batch_execute(&ROWS.replace("'', 0, 3,", "'', 1, 3,")).await.expect("rows");
        admin.batch_execute("UPDATE job SET instance_key = 0 WHERE key = 51").await.expect("chore");
        let lease = join(&*store, "n").await;
        let session = lease.session;
        let job = JobUpdate {
            key: JobKey::new(50),
            state: JobState::Ready,
            retries_left: 3,
            priority: 0,
            due_at: None,
            failure: None,
            failure_details: None,
            failed_element: None,
            lock: LockWrite::Session(session),
        };
        let chore = ChoreUpdate {
            key: JobKey::new(51),
            held: Held::Free,
            state: JobState::Ready,
            retries_left: 3,
            priority: Some(0),
            due_at: None,
            failure: FailureWrite::Keep,
            payload: None,
            lock: LockWrite::Session(session),
        };
        let change = Change {
            jobs: vec![JobWrite::Update(job)].into(),
            chores: vec![ChoreWrite::Update(chore)].into(),
            ..Change::default()
        };
        store.commit(group(lease, 0, 1, vec![change])).await.expect("commit");
        let told = "SELECT least(lock_floor, taken_floor) FROM node";
        let floor: i64 = admin.query_one(told, &[]).await.expect("node").get(0);
        assert!(floor > 20_000, "{floor}");
        assert_eq!(store.fence(session, 0).await, Ok(true));
        let left = admin.query("SELECT key FROM job WHERE lock_session IS NOT NULL", &[]);
        assert!(left.await.expect("rows").is_empty());
    })
    .await;
}

/// One of 200 definitions has a shorter time to live than the others, and its rows lie behind.
#[tokio::test]
async fn what_is_old_is_found_by_its_age() {
    with_database(|url| async move {
        drop(open(&url).await);
        let admin = client(&url).await;
        let rows = "INSERT INTO ended SELECT
                n, 'suite', '', n % 200, NULL, true, 0, n * 1000, '', NULL
            FROM generate_series(1, 20000) AS n;
            INSERT INTO operation SELECT
                n, n, 'suite', '', n, NULL, 'o', 'e', NULL, NULL, NULL, NULL, NULL, NULL, NULL
            FROM generate_series(1, 20000) AS n;
            INSERT INTO meter SELECT 'suite', 'm' || n % 10, n, '', 1
            FROM generate_series(1, 20000) AS n;
            INSERT INTO ended_batch
                (key, engine, tenant, kind, total, created_at, ended_at, removal_at, parts_made,
                parts_done, parts_failed)
            SELECT n, 'suite', '', 'k', 1, n, n, n, 1, 1, 0
            FROM generate_series(1, 20000) AS n;
            INSERT INTO chore_log
                (job_key, engine, tenant, definition_key, element_id, kind, batch_key, event, at,
                retries, priority)
            SELECT n, 'suite', '', 0, '', 8, n % 200, 0, n, 0, 0
            FROM generate_series(1, 20000) AS n;
            ANALYZE ended; ANALYZE operation; ANALYZE meter; ANALYZE chore_log;
            ANALYZE ended_batch";
        admin.batch_execute(rows).await.expect("rows");
        let ended = [
            ("$7::bigint[]", "'{10000000}'::bigint[]"),
            ("$6::bigint[]", "'{199}'::bigint[]"),
            ("$5", "10"),
            ("$4", "59"),
            ("$3", "0"),
            ("$2", "500"),
            ("$1", "'suite'"),
        ];
        let of_kinds = [
            ("$5", "true"),
            ("$4", "'{}'::text[]"),
            ("$3", "10"),
            ("$2", "100"),
            ("$1", "'suite'"),
        ];
        let by_time = [("$3", "10"), ("$2", "100"), ("$1", "'suite'")];
        for (sql, values, index) in [
            (include_str!("../queries/prune_ended.sql"), &ended[..], "ended_age"),
            (include_str!("../queries/prune_operations.sql"), &by_time[..], "operation_age"),
            (include_str!("../queries/prune_meters.sql"), &by_time[..], "meter_age"),
            (include_str!("../queries/prune_batch_log.sql"), &by_time[..], "chore_log_batch"),
            (include_str!("../queries/prune_batches.sql"), &by_time[..], "ended_batch_removal"),
            (include_str!("../queries/prune_batches_ended.sql"), &of_kinds[..], "ended_batch_age"),
        ] {
            let sql = sql.lines().filter(|line| !line.trim().starts_with("--"));
            let sql = sql.collect::<Vec<_>>().join("\n").replace("orloj.", "");
            let sql = values.iter().fold(sql, |sql, (place, value)| sql.replace(place, value));
            let plan = plan(&admin, &format!("(ANALYZE, TIMING OFF) {sql}")).await;
            let found = plan.split("CTE old").nth(1).and_then(|rest| rest.split("CTE ").next());
            let whole = plan.split("CTE history").next().unwrap_or_default();
            assert!(whole.contains(&format!("using {index} on")), "{plan}");
            for table in ["ended", "operation", "meter", "chore_log", "ended_batch"] {
                assert!(!whole.contains(&format!("Seq Scan on {table} ")), "{plan}");
            }
            assert!(found.is_some_and(|found| found.contains("actual rows=10 ")), "{plan}");
        }
    })
    .await;
}

/// What a deployment's tenant is changed of, as far as an index leads to it.
#[tokio::test]
async fn what_gets_another_tenant_is_found_by_indexes() {
    with_database(|url| async move {
        drop(open(&url).await);
        let admin = client(&url).await;
        let rows = "INSERT INTO ended SELECT
                n, 'suite', '', n % 200, NULL, true, 0, n * 1000, '', NULL
            FROM generate_series(1, 20000) AS n;
            INSERT INTO incident
                (key, engine, tenant, instance_key, definition_key, element_instance_key,
                element_id, job_key, kind, message, created_at, cause_key, root_cause_key)
            SELECT n, 'suite', '', n / 2, n % 200, n, 'task', n, 'k', 'm', n, n, n
            FROM generate_series(0, 20000) AS n; ANALYZE ended; ANALYZE incident; ANALYZE job";
        admin
            .batch_execute(&ROWS.replace("'suite', '', n,", "'suite', '', n / 2,"))
            .await
            .expect("rows");
        admin.batch_execute(rows).await.expect("rows");
        let of_definitions = [("$1", "'{7}'::bigint[]"), ("$2", "''"), ("$3", "'suite'")];
        let of_instances = [("$1", "'{7,8}'::bigint[]"), ("$2", "''"), ("$3", "''")];
        for (sql, values, index) in [
            (include_str!("../queries/tenant_ended.sql"), of_definitions, "ended_age"),
            (include_str!("../queries/tenant_chore.sql"), of_definitions, "job_chore"),
            (
                include_str!("../queries/tenant_chore_incident.sql"),
                of_definitions,
                "incident_instance",
            ),
            (include_str!("../queries/tenant_incident.sql"), of_instances, "incident_instance"),
            (include_str!("../queries/tenant_ended_instance.sql"), of_instances, "ended_pkey"),
        ] {
            let sql = sql.lines().filter(|line| !line.trim().starts_with("--"));
            let sql = sql.collect::<Vec<_>>().join("\n").replace("orloj.", "");
            let sql = values.iter().fold(sql, |sql, (place, value)| sql.replace(place, value));
            let plan = plan(&admin, &sql).await;
            assert!(plan.contains(index), "{index}: {plan}");
            assert!(!plan.contains("Seq Scan on"), "{plan}");
        }
    })
    .await;
}

/// The parameters are known when a listing is planned, so absent ones cost nothing.
#[tokio::test]
async fn what_is_ready_chores_and_incidents_of_one_are_found_by_their_indexes() {
    with_database(|url| async move {
        drop(open(&url).await);
        let admin = client(&url).await;
        let waiting = ROWS.replace("'', 0, 3,", "'', CASE WHEN n % 100 = 0 THEN 0 ELSE 1 END, 3,");
        let chores = waiting
            .replace("'suite', '', n,", "'suite', '', CASE WHEN n % 100 = 1 THEN 0 ELSE n END,");
        assert_ne!((&*waiting, &*chores), (ROWS, &*waiting), "they are told apart");
        admin.batch_execute(&chores).await.expect("rows");
        let incidents = "INSERT INTO incident
                (key, engine, tenant, instance_key, definition_key, element_instance_key,
                element_id, job_key, kind, message, created_at, cause_key, root_cause_key)
            SELECT n, 'suite', '', n, 1, n, 'task', n, 'k', 'm', n, n, n
            FROM generate_series(1, 20000) AS n; ANALYZE incident; ANALYZE job";
        admin.batch_execute(incidents).await.expect("rows");
        let jobs = include_str!("../queries/jobs.sql");
        let next = jobs.replace("ORDER BY key DESC", "ORDER BY priority DESC, key");
        for (sql, given, index) in [
            (jobs, &[("$3", "10"), ("$4", "0"), ("$6", "0"), ("$7", "1")][..], "job_chore"),
            (jobs, &[("$3", "10"), ("$4", "0"), ("$13", "'{3}'")][..], "job_stopped"),
            (
                &next,
                &[("$3", "10"), ("$4", "0"), ("$13", "'{0}'"), ("$14", "''"), ("$27", "false")][..],
                "job_ready",
            ),
            (
                include_str!("../queries/incidents.sql"),
                &[("$3", "10"), ("$4", "7"), ("$9", "7")][..],
                "incident_instance",
            ),
        ] {
            let sql = sql.lines().filter(|line| !line.trim().starts_with("--"));
            let mut sql = sql.collect::<Vec<_>>().join("\n").replace("orloj.", "");
            for number in (1..=31).rev() {
                let place = format!("${number}");
                let value = given.iter().find(|(of, _)| *of == place).map(|(_, value)| *value);
                let value = if number == 1 { "'suite'" } else { value.unwrap_or("NULL") };
                sql = sql.replace(&place, value);
            }
            let plan = plan(&admin, &sql).await;
            assert!(plan.contains(index), "{index}: {plan}");
            assert!(!plan.contains("Seq Scan on"), "{plan}");
        }
    })
    .await;
}

/// Many nodes at once, through stores of their own: never more than allowed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_is_kept_by_all_nodes_together() {
    with_database(|url| async move {
        let first = open(&url).await;
        let limits = [("t0", 4), ("t1", 3)];
        for (name, max) in limits {
            let limit = NewLimit {
                scope: LimitScope::Topic,
                name: name.into(),
                max_concurrent: Some(max),
                rate: None,
            };
            first.set_limit(limit, NOW).await.expect("limit");
        }
        let admin = client(&url).await;
        let rows = ROWS.replace("20000", "300").replace("n, ''\n", "n, 't' || n % 3\n");
        admin.batch_execute(&rows).await.expect("rows");
        let nodes = (0..4).map(|number| {
            let url = url.clone();
            tokio::spawn(async move {
                let store = open(&url).await;
                let lease = join(&*store, &format!("n{number}")).await;
                let mut taken = Vec::new();
                for _ in 0..8 {
                    let wanted = Wanted::Engine(Selection::default());
                    let acquire = Acquire { lease, wanted, limit: 5, now: NOW };
                    taken.extend(store.acquire(acquire).await.expect("acquire"));
                }
                taken
            })
        });
        let mut taken = Vec::new();
        for node in nodes.collect::<Vec<_>>() {
            taken.extend(node.await.expect("it does not panic"));
        }
        let count = |topic: &str| taken.iter().filter(|job| *job.topic == *topic).count();
        assert_eq!((count("t0"), count("t1"), count("t2")), (4, 3, 100));
    })
    .await;
}

/// Of a hundred thousand that wait for one name those with the business key are read. A step stays
/// heap-only beside the index, and whoever has no business key is not in it.
#[tokio::test]
async fn a_business_key_is_found_by_its_index_and_so_are_its_waits() {
    with_database(|url| async move {
        let _store = open(&url).await;
        let admin = client(&url).await;
        let rows = "INSERT INTO instance
                SELECT n, 1, 'suite', '', 7, 'order ' || n, '', '', NULL, NULL
                FROM generate_series(1, 100000) AS n;
            INSERT INTO instance
                SELECT n, 1, 'suite', '', 7, NULL, '', '', NULL, NULL
                FROM generate_series(100001, 101000) AS n;
            INSERT INTO subscription
                SELECT n + 1000000, 'suite', '', n, 7, n, 'wait', 0, 'paid', NULL
                FROM generate_series(1, 100000) AS n";
        admin.batch_execute(rows).await.expect("rows");
        let with = |sql: &str, values: &[&str]| {
            let lines = sql.lines().filter(|line| !line.trim().starts_with("--"));
            let sql = lines.collect::<Vec<_>>().join("\n").replace("orloj.", "");
            let numbered = values.iter().enumerate().rev();
            numbered.fold(sql, |sql, (at, value)| sql.replace(&format!("${}", at + 1), value))
        };
        let waits = with(
            include_str!("../queries/subscriptions_of_business_key.sql"),
            &["'suite'", "0", "NULL", "2", "''", "'paid'", "NULL", "NULL", "'order 4711'"],
        );
        let list = with(
            include_str!("../queries/instances.sql"),
            &["'suite'", "NULL", "100", "NULL", "NULL", "NULL", "'order 4711'", "NULL"],
        );
        // Before anybody has looked at the tables, and afterwards.
        for _ in 0..2 {
            let waits = plan(&admin, &waits).await;
            assert!(waits.contains("instance_business_key"), "{waits}");
            assert!(waits.contains("subscription_instance"), "{waits}");
            assert!(!waits.contains("Seq Scan"), "{waits}");
            let list = plan(&admin, &list).await;
            assert!(list.contains("instance_business_key"), "{list}");
            admin.batch_execute("ANALYZE instance, subscription").await.expect("analyze");
        }
        let step = "UPDATE instance SET rev = rev + 1, record = 'x' WHERE key % 5000 = 0";
        admin.batch_execute(step).await.expect("steps");
        admin.batch_execute("SELECT pg_stat_force_next_flush()").await.expect("flush");
        let stats = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
            WHERE relname = 'instance' AND schemaname = current_schema()";
        let row = admin.query_one(stats, &[]).await.expect("stats");
        assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (20, 20));
        let condition = "SELECT pg_get_expr(indpred, indrelid) FROM pg_index
            WHERE indexrelid = 'instance_business_key'::regclass";
        let condition: String = admin.query_one(condition, &[]).await.expect("index").get(0);
        assert_eq!(condition, "(business_key IS NOT NULL)");
    })
    .await;
}
