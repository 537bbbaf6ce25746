//! The floor of PostgreSQL: set-based statements, pipelined, a group of steps per transaction.
//!
//! Everything lives in the schema `floor` of the given database, which is dropped and made anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

use super::rng::Rng;
use super::rows::{
    GROUP_STEPS, HISTORY_ROWS, INSTANCES_HOT, JobIds, Pool, STATE_BYTES, Step, Workload, median,
};

/// Two committers keep one busy while the other waits for the disk.
const CONNECTIONS: usize = 2;
/// Statistics and the first autovacuum settle before the clock runs.
const SETTLE: Duration = Duration::from_millis(1_100);
const WARM_UP: Duration = Duration::from_secs(1);

/// Steps per second: two connections, groups of 256, 2,000 instances, one index (timers).
pub async fn postgres_steps_per_s(url: &str, secs: f64) -> Result<f64> {
    let url = url.to_owned();
    on_a_thread_of_its_own(move || steps_per_s(url, secs)).await
}

/// The median microseconds of a transaction of one step on one connection, nothing else running.
pub async fn postgres_single_commit_us(url: &str, commits: u32) -> Result<f64> {
    let url = url.to_owned();
    on_a_thread_of_its_own(move || single_commit_us(url, commits)).await
}

/// A runtime with one thread for the whole probe: the floor must not depend on how many threads
/// the caller's runtime has, and hand-overs between threads would be measured too.
async fn on_a_thread_of_its_own<F>(probe: impl FnOnce() -> F + Send + 'static) -> Result<f64>
where
    F: Future<Output = Result<f64>>,
{
    let probe = tokio::task::spawn_blocking(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(probe())
    });
    probe.await.context("the probe panicked")?
}

async fn steps_per_s(url: String, secs: f64) -> Result<f64> {
    let control = connect(&url).await?;
    create(&control).await?;
    tokio::time::sleep(SETTLE).await;

    let done = Arc::new(AtomicU64::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let pool = Arc::new(Pool::new(&mut Rng::new(99)));
    let mut committers = Vec::new();
    for workload in workloads(CONNECTIONS) {
        let committer = Committer::open(&url, workload, pool.clone()).await?;
        let (done, stop) = (done.clone(), stop.clone());
        committers.push(tokio::spawn(committer.run(done, stop)));
    }
    tokio::time::sleep(WARM_UP).await;
    let (before, started) = (done.load(Ordering::Relaxed), Instant::now());
    tokio::time::sleep(Duration::from_secs_f64(secs)).await;
    let (after, took) = (done.load(Ordering::Relaxed), started.elapsed());
    stop.store(true, Ordering::Relaxed);
    for outcome in try_join_all(committers).await.context("a committer panicked")? {
        outcome?;
    }
    drop_schema(&control).await?;
    Ok((after - before) as f64 / took.as_secs_f64())
}

async fn single_commit_us(url: String, commits: u32) -> Result<f64> {
    ensure!(commits > 0, "no commits to measure");
    let control = connect(&url).await?;
    create(&control).await?;
    tokio::time::sleep(SETTLE).await;
    let workload = workloads(1).next().context("no workload")?;
    let pool = Arc::new(Pool::new(&mut Rng::new(99)));
    let mut committer = Committer::open(&url, workload, pool).await?;
    let warm_up = Instant::now();
    while warm_up.elapsed() < WARM_UP {
        committer.commit(1).await?;
    }
    let mut took_us = Vec::new();
    for _ in 0..commits {
        let started = Instant::now();
        committer.commit(1).await?;
        took_us.push(started.elapsed().as_secs_f64() * 1e6);
    }
    drop_schema(&control).await?;
    Ok(median(&mut took_us))
}

/// Each connection has instances of its own, so that no two transactions meet.
fn workloads(connections: usize) -> impl Iterator<Item = Workload> {
    let mut shuffle = Rng::new(7);
    let jobs = JobIds::after(INSTANCES_HOT as i64);
    (0..connections as i64).map(move |connection| {
        let ids =
            (1..=INSTANCES_HOT as i64).filter(move |id| id % connections as i64 == connection);
        Workload::new(ids, &mut shuffle, 1234 + connection as u64, jobs.clone())
    })
}

async fn connect(url: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("cannot connect to PostgreSQL")?;
    // An error of the connection comes back from the statement that meets it.
    tokio::spawn(async move { drop(connection.await) });
    let settings = "SET search_path = floor; SET synchronous_commit = on; SET jit = off";
    client.batch_execute(settings).await?;
    Ok(client)
}

async fn create(client: &Client) -> Result<()> {
    let layout = "
        DROP SCHEMA IF EXISTS floor CASCADE;
        CREATE SCHEMA floor;
        -- Room in the page for the next revision keeps updates off the index.
        CREATE TABLE instance (id bigint NOT NULL, rev int NOT NULL, state bytea NOT NULL)
            WITH (fillfactor = 80, autovacuum_enabled = on);
        CREATE TABLE job (
            id bigint NOT NULL, instance_id bigint NOT NULL, due timestamptz,
            lock_exp timestamptz, lock_owner int, priority int NOT NULL, kind smallint NOT NULL,
            retries smallint NOT NULL, payload bytea
        ) WITH (fillfactor = 100, autovacuum_enabled = on);
        CREATE TABLE history (
            instance_id bigint NOT NULL, ts timestamptz NOT NULL, kind smallint NOT NULL, data bytea
        ) WITH (autovacuum_enabled = on);
        -- Small values stay in the row, and no time goes into compressing random bytes.
        ALTER TABLE instance ALTER state SET STORAGE EXTERNAL;
        ALTER TABLE job ALTER payload SET STORAGE EXTERNAL;
        ALTER TABLE history ALTER data SET STORAGE EXTERNAL;";
    client.batch_execute(layout).await.context("cannot create the tables of the floor")?;

    let mut rng = Rng::new(7);
    let ids: Vec<i64> = (1..=INSTANCES_HOT as i64).collect();
    let states: Vec<Vec<u8>> = ids.iter().map(|_| rng.bytes(STATE_BYTES)).collect();
    let insert = "INSERT INTO instance SELECT id, 0, state FROM unnest($1::int8[], $2::bytea[]) AS s(id, state)";
    client.execute(insert, &[&ids, &states]).await?;
    // A loaded job's payload is a little larger than a stepped one's; it is gone after one round.
    let insert = "
        INSERT INTO job SELECT g, g, NULL, NULL, NULL, (g % 3)::int, 1, 3,
            decode(repeat(md5(g::text), 7), 'hex') || '\\x00000000'
        FROM unnest($1::int8[]) AS s(g)";
    client.execute(insert, &[&ids]).await?;
    client
        .batch_execute(
            "ALTER TABLE instance ADD PRIMARY KEY (id);
             ALTER TABLE job ADD PRIMARY KEY (id);
             CREATE INDEX job_timer ON job (due) WHERE due IS NOT NULL;",
        )
        .await?;
    // Not in one batch: vacuum refuses to run inside the transaction that a batch is.
    for table in ["instance", "job", "history"] {
        client.batch_execute(&format!("VACUUM ANALYZE {table}")).await?;
    }
    Ok(())
}

async fn drop_schema(client: &Client) -> Result<()> {
    client.batch_execute("DROP SCHEMA floor CASCADE").await.context("cannot drop schema floor")
}

const UPDATE_INSTANCE: &str = "
    UPDATE instance i SET rev = i.rev + 1, state = s.st
    FROM unnest($1::int8[], $2::int4[], $3::bytea[]) AS s(iid, rv, st)
    WHERE i.id = s.iid AND i.rev = s.rv RETURNING i.id";
const DELETE_JOB: &str = "DELETE FROM job WHERE id = ANY($1::int8[])";
const INSERT_JOB: &str = "
    INSERT INTO job SELECT j, i, NULL, NULL, NULL, 1, 1, 3, p
    FROM unnest($1::int8[], $2::int8[], $3::bytea[]) AS s(j, i, p)";
const INSERT_HISTORY: &str = "
    INSERT INTO history SELECT i, now(), k, d
    FROM unnest($1::int8[], $2::int2[], $3::bytea[]) AS s(i, k, d)";

/// One connection with its instances.
struct Committer {
    client: Client,
    update_instance: Statement,
    delete_job: Statement,
    insert_job: Statement,
    insert_history: Statement,
    workload: Workload,
    pool: Arc<Pool>,
    steps: Vec<Step>,
}

impl Committer {
    async fn open(url: &str, workload: Workload, pool: Arc<Pool>) -> Result<Committer> {
        let client = connect(url).await?;
        Ok(Committer {
            update_instance: client.prepare(UPDATE_INSTANCE).await?,
            delete_job: client.prepare(DELETE_JOB).await?,
            insert_job: client.prepare(INSERT_JOB).await?,
            insert_history: client.prepare(INSERT_HISTORY).await?,
            client,
            workload,
            pool,
            steps: Vec::with_capacity(GROUP_STEPS),
        })
    }

    async fn run(mut self, done: Arc<AtomicU64>, stop: Arc<AtomicBool>) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            self.commit(GROUP_STEPS).await?;
            done.fetch_add(GROUP_STEPS as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// One transaction of `count` steps, sent as one pipeline.
    async fn commit(&mut self, count: usize) -> Result<()> {
        self.workload.take(count, &mut self.steps);
        let columns = Columns::of(&self.steps, &self.pool);
        let update: [Parameter<'_>; 3] = [&columns.instances, &columns.revs, &columns.states];
        let delete: [Parameter<'_>; 1] = [&columns.done_jobs];
        let insert: [Parameter<'_>; 3] =
            [&columns.next_jobs, &columns.instances, &columns.payloads];
        let record: [Parameter<'_>; 3] =
            [&columns.history_instances, &columns.history_kinds, &columns.history_data];
        let client = &self.client;
        // In this order: what is polled first is sent first.
        let (begin, updated, deleted, inserted, recorded, commit) = tokio::join!(biased;
            client.batch_execute("BEGIN"),
            client.query(&self.update_instance, &update),
            client.execute(&self.delete_job, &delete),
            client.execute(&self.insert_job, &insert),
            client.execute(&self.insert_history, &record),
            client.batch_execute("COMMIT"),
        );
        begin?;
        let (updated, deleted, inserted) = (updated?.len(), deleted? as usize, inserted? as usize);
        ensure!(
            (updated, deleted, inserted) == (count, count, count)
                && recorded? as usize == HISTORY_ROWS * count,
            "a step of the floor found other rows than it left"
        );
        // A COMMIT after a failed statement answers without an error, hence the checks above.
        commit?;
        Ok(())
    }
}

type Parameter<'a> = &'a (dyn ToSql + Sync);

/// The steps of a group, column by column.
struct Columns<'a> {
    instances: Vec<i64>,
    revs: Vec<i32>,
    states: Vec<&'a [u8]>,
    done_jobs: Vec<i64>,
    next_jobs: Vec<i64>,
    payloads: Vec<&'a [u8]>,
    history_instances: Vec<i64>,
    history_kinds: Vec<i16>,
    history_data: Vec<&'a [u8]>,
}

impl<'a> Columns<'a> {
    fn of(steps: &[Step], pool: &'a Pool) -> Columns<'a> {
        let history =
            || steps.iter().flat_map(|step| (0..HISTORY_ROWS).map(move |row| (step, row)));
        Columns {
            instances: steps.iter().map(|step| step.instance).collect(),
            revs: steps.iter().map(|step| step.rev).collect(),
            states: steps.iter().map(|step| pool.state(step.offset)).collect(),
            done_jobs: steps.iter().map(|step| step.done_job).collect(),
            next_jobs: steps.iter().map(|step| step.next_job).collect(),
            payloads: steps.iter().map(|step| pool.payload(step.offset)).collect(),
            history_instances: history().map(|(step, _)| step.instance).collect(),
            history_kinds: history().map(|(_, row)| row as i16).collect(),
            history_data: history().map(|(step, row)| pool.history(step.offset, row)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_step_leaves_one_job_per_instance_and_two_rows_of_history_each() {
        let url = std::env::var("ORLOJ_TEST_POSTGRES")
            .expect("ORLOJ_TEST_POSTGRES is set by `cargo xtask test`");
        let control = connect(&url).await.unwrap();
        create(&control).await.unwrap();
        let pool = Arc::new(Pool::new(&mut Rng::new(99)));
        for workload in workloads(CONNECTIONS) {
            let mut committer = Committer::open(&url, workload, pool.clone()).await.unwrap();
            for _ in 0..10 {
                committer.commit(GROUP_STEPS).await.unwrap();
            }
            committer.commit(1).await.unwrap();
        }
        let steps = (CONNECTIONS * (10 * GROUP_STEPS + 1)) as i64;
        for (expected, sql) in [
            (INSTANCES_HOT as i64, "SELECT count(*) FROM job"),
            (INSTANCES_HOT as i64, "SELECT count(DISTINCT instance_id) FROM job"),
            (steps, "SELECT sum(rev) FROM instance"),
            (2 * steps, "SELECT count(*) FROM history"),
            (2 * 120 * steps, "SELECT sum(length(data))::bigint FROM history"),
        ] {
            let found: i64 = control.query_one(sql, &[]).await.unwrap().get(0);
            assert_eq!(found, expected, "{sql}");
        }
        drop_schema(&control).await.unwrap();
    }

    #[tokio::test]
    async fn a_database_that_is_not_there_is_an_error() {
        let refused = postgres_steps_per_s("postgres://postgres@127.0.0.1:1/postgres", 0.1).await;
        assert!(format!("{:#}", refused.unwrap_err()).starts_with("cannot connect to PostgreSQL"));
    }
}
