//! The floor of SQLite: one writer, cached statements, a group of steps per durable transaction.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::{CachedStatement, Connection};

use super::rng::Rng;
use super::rows::{
    GROUP_STEPS, HISTORY_ROWS, JobIds, Pool, Step, Workload, hot, loaded_offset, median,
};

/// Most of them rest: the tables are larger than what is being worked on.
const INSTANCES: i64 = 100_000;
/// Long enough to fill the log and start it over: a log that still grows costs twice the time.
const WARM_UP: Duration = Duration::from_secs(1);
/// History rows need some time; any will do, as no index sees it.
const EPOCH_MS: i64 = 1_700_000_000_000;

/// Steps per second: groups of 256, 2,000 hot instances of 100,000, one index (timers), checkpoint
/// every 20,000 pages. The file is made in `dir` and removed afterwards.
pub fn sqlite_steps_per_s(dir: &Path, secs: f64) -> Result<f64> {
    let mut probe = Probe::create(dir)?;
    let run = Duration::from_secs_f64(secs);
    probe.run_for(WARM_UP, GROUP_STEPS)?;
    let (done, took) = probe.run_for(run, GROUP_STEPS)?;
    Ok(done as f64 / took.as_secs_f64())
}

/// The median microseconds of a transaction of one step, nothing else running.
pub fn sqlite_single_commit_us(dir: &Path, commits: u32) -> Result<f64> {
    ensure!(commits > 0, "no commits to measure");
    let mut probe = Probe::create(dir)?;
    probe.run_for(WARM_UP, 1)?;
    let mut took_us = Vec::new();
    for _ in 0..commits {
        let started = Instant::now();
        probe.commit(1)?;
        took_us.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(&mut took_us))
}

struct Probe {
    // Before the folder, so that the file is closed when the folder goes.
    connection: Connection,
    workload: Workload,
    pool: Pool,
    steps: Vec<Step>,
    _folder: tempfile::TempDir,
}

impl Probe {
    fn create(dir: &Path) -> Result<Probe> {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let folder = tempfile::Builder::new().prefix("floor-").tempdir_in(dir)?;
        let connection = Connection::open(folder.path().join("floor.db"))?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(
            "PRAGMA page_size = 4096;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA cache_size = -262144;
             PRAGMA mmap_size = 0;
             PRAGMA wal_autocheckpoint = 20000;
             PRAGMA temp_store = memory;
             PRAGMA busy_timeout = 10000;
             CREATE TABLE instance (
                 id INTEGER PRIMARY KEY, rev INTEGER NOT NULL, state BLOB NOT NULL
             );
             CREATE TABLE job (
                 id INTEGER PRIMARY KEY, instance_id INTEGER NOT NULL, due INTEGER,
                 lock_owner INTEGER, lock_exp INTEGER, retries INTEGER NOT NULL,
                 priority INTEGER NOT NULL, kind INTEGER NOT NULL, payload BLOB
             );
             CREATE TABLE history (
                 id INTEGER PRIMARY KEY, instance_id INTEGER NOT NULL, ts INTEGER NOT NULL,
                 kind INTEGER NOT NULL, data BLOB
             );
             CREATE INDEX job_timer ON job (due) WHERE due IS NOT NULL;",
        )?;
        let mut rng = Rng::new(42);
        let pool = Pool::new(&mut rng);
        load(&connection, &pool)?;
        let workload = Workload::new(hot(INSTANCES), &mut rng, 43, JobIds::after(INSTANCES));
        let steps = Vec::with_capacity(GROUP_STEPS);
        Ok(Probe { connection, workload, pool, steps, _folder: folder })
    }

    /// Commits groups of `group` steps for `run`; returns the steps done and the time it really took.
    fn run_for(&mut self, run: Duration, group: usize) -> Result<(u64, Duration)> {
        let started = Instant::now();
        let mut done = 0;
        loop {
            self.commit(group)?;
            done += group as u64;
            let took = started.elapsed();
            if took >= run {
                return Ok((done, took));
            }
        }
    }

    fn commit(&mut self, count: usize) -> Result<()> {
        self.workload.take(count, &mut self.steps);
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut statements = Statements::prepare(&self.connection)?;
        for step in &self.steps {
            statements.apply(step, &self.pool)?;
        }
        drop(statements);
        self.connection.execute_batch("COMMIT")?;
        Ok(())
    }
}

fn load(connection: &Connection, pool: &Pool) -> Result<()> {
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN")?;
    {
        let mut instance = connection.prepare("INSERT INTO instance VALUES (?1, 0, ?2)")?;
        let mut job = connection.prepare(INSERT_JOB)?;
        for id in 1..=INSTANCES {
            let offset = loaded_offset(id);
            instance.execute((id, pool.state(offset)))?;
            job.execute((id, id, pool.payload(offset)))?;
        }
    }
    connection.execute_batch("COMMIT; PRAGMA synchronous = FULL")?;
    Ok(())
}

const INSERT_JOB: &str = "INSERT INTO job VALUES (?1, ?2, NULL, NULL, NULL, 3, 1, 1, ?3)";

struct Statements<'a> {
    update_instance: CachedStatement<'a>,
    delete_job: CachedStatement<'a>,
    insert_job: CachedStatement<'a>,
    insert_history: CachedStatement<'a>,
}

impl<'a> Statements<'a> {
    fn prepare(connection: &'a Connection) -> Result<Statements<'a>> {
        Ok(Statements {
            update_instance: connection.prepare_cached(
                "UPDATE instance SET rev = rev + 1, state = ?3 WHERE id = ?1 AND rev = ?2",
            )?,
            delete_job: connection.prepare_cached("DELETE FROM job WHERE id = ?1")?,
            insert_job: connection.prepare_cached(INSERT_JOB)?,
            insert_history: connection.prepare_cached(
                "INSERT INTO history (instance_id, ts, kind, data) VALUES (?1, ?2, ?3, ?4)",
            )?,
        })
    }

    fn apply(&mut self, step: &Step, pool: &Pool) -> Result<()> {
        let state = pool.state(step.offset);
        let updated = self.update_instance.execute((step.instance, step.rev, state))?;
        let deleted = self.delete_job.execute((step.done_job,))?;
        ensure!((updated, deleted) == (1, 1), "a step of the floor found other rows than it left");
        self.insert_job.execute((step.next_job, step.instance, pool.payload(step.offset)))?;
        for row in 0..HISTORY_ROWS {
            let at = EPOCH_MS + step.next_job;
            let data = pool.history(step.offset, row);
            self.insert_history.execute((step.instance, at, row as i64, data))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_leaves_one_job_per_instance_and_two_rows_of_history_each() {
        let dir = tempfile::tempdir().unwrap();
        let mut probe = Probe::create(dir.path()).unwrap();
        for _ in 0..10 {
            probe.commit(GROUP_STEPS).unwrap();
        }
        probe.commit(1).unwrap();
        let steps = 10 * GROUP_STEPS as i64 + 1;
        let count =
            |sql: &str| -> i64 { probe.connection.query_row(sql, [], |r| r.get(0)).unwrap() };
        assert_eq!(count("SELECT count(*) FROM job"), INSTANCES);
        assert_eq!(count("SELECT count(DISTINCT instance_id) FROM job"), INSTANCES);
        assert_eq!(count("SELECT sum(rev) FROM instance"), steps);
        assert_eq!(count("SELECT count(*) FROM history"), 2 * steps);
        assert_eq!(count("SELECT sum(length(data)) FROM history"), 2 * 120 * steps);
        assert_eq!(count("PRAGMA synchronous"), 2, "durable while measuring");
        drop(probe);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the file stayed behind");
    }
}
