//! Seeds: a run makes the next parts of a batch, until all are made; then a monitor follows.

use orloj_store::{BatchRow, BatchUpdate, BatchWrite, ChoreWrite, JobKind, JobRow, JobState};
use orloj_types::{DefinitionKey, JobKey};

use super::super::event::{Find, Found};
use super::batch::{BatchConfig, BatchWork};
use super::failing::Failed;
use super::start_timer::new_chore;
use super::{Afterwards, ChoreEnd, Doing, Node, PartPayload, batch_of, incidents_of, written};

/// A batch that is left with more parts than so many runs would make is cut faster, or the list of
/// what is left would be rewritten too often.
const SEED_RUNS_MAX: usize = 32;
/// Most parts of one run, however large the batch: some megabytes of rows.
const SEED_PARTS_MAX: usize = 5_000;

impl Node {
    pub(super) fn begin_seed(&mut self, row: Box<JobRow>) {
        let (job, batch) = (row.key, batch_of(&row));
        self.run(row, Doing::Plain);
        self.ask_for_chore(job, Find::Batch(batch));
    }

    pub(super) fn seed_found(&mut self, job: JobKey, found: Found) {
        let Found::Batch(batch) = found else { return self.end_orphan(job) };
        let config = match BatchConfig::read(&batch) {
            Ok(config) => config,
            Err(error) => {
                let retry_at = self.retry_at();
                return self.fail_chore(job, Failed { retry_at, ..Failed::of(&error) });
            }
        };
        self.sow(job, &batch, config);
    }

    fn sow(&mut self, job: JobKey, batch: &BatchRow, mut config: BatchConfig) {
        let Some(seed) = self.chore_row(job).cloned() else { return };
        let per_seed = self.config.settings.batches.jobs_per_seed.max(1) as usize;
        let parts_max = per_seed.max(config.parts_left() / SEED_RUNS_MAX).min(SEED_PARTS_MAX);
        let per_part = config.per_part.max(1) as usize;
        let mut chores = vec![ChoreWrite::Delete { key: job, held: self.hold(&seed) }];
        let mut made = 0;
        // Of one definition at a time, as the seed itself belongs to it.
        if let Some(group) = config.left.first_mut() {
            let count = group.elements.len().min(parts_max * per_part);
            let taken: Vec<i64> = group.elements.drain(..count).collect();
            for elements in taken.chunks(per_part) {
                let key = JobKey::new(self.keys.next(self.now));
                let payload = PartPayload { elements: elements.to_vec() };
                let part = JobRow {
                    definition: DefinitionKey::new(group.definition),
                    payload: Some(written(&payload)),
                    ..self.batch_chore(key, batch, JobKind::BatchPart)
                };
                chores.push(ChoreWrite::Insert(part));
                made += 1;
            }
        }
        config.left.retain(|group| !group.elements.is_empty());
        let next = JobKey::new(self.keys.next(self.now));
        let next = match config.left.first() {
            Some(group) => JobRow {
                definition: DefinitionKey::new(group.definition),
                ..self.batch_chore(next, batch, JobKind::BatchSeed)
            },
            None => self.batch_chore(next, batch, JobKind::BatchMonitor),
        };
        chores.push(ChoreWrite::Insert(next));
        let update = BatchUpdate {
            key: batch.key,
            parts_made: Some(batch.parts_made + made),
            config: Some(config.bytes()),
            ..BatchUpdate::default()
        };
        let end = ChoreEnd {
            chores,
            batches: vec![BatchWrite::Update(update)],
            incidents_gone: incidents_of(&seed),
        };
        self.count_success();
        let afterwards = Afterwards { is_ready: true, due_at: None };
        self.conclude(job, end.into_change(), afterwards);
    }

    /// A chore of a batch as it begins.
    fn batch_chore(&self, key: JobKey, batch: &BatchRow, kind: JobKind) -> JobRow {
        let retries = self.chore_retries();
        batch_chore(key, batch, kind, retries, self.config.settings.batches.priority, self.now)
    }

    /// Its batch is gone, and so is what there was to do.
    pub(super) fn end_orphan(&mut self, job: JobKey) {
        let Some(row) = self.chore_row(job) else { return };
        let end = ChoreEnd {
            chores: vec![ChoreWrite::Delete { key: job, held: self.hold(row) }],
            incidents_gone: incidents_of(row),
            ..ChoreEnd::default()
        };
        self.conclude(job, end.into_change(), Afterwards::default());
    }

    /// The work of a batch, kept in mind once it was read.
    pub(super) fn known_work(&mut self, batch: &BatchRow) -> Result<(), String> {
        let work: BatchWork = BatchConfig::read(batch)?.work;
        let has_started = batch.started_at.is_some();
        let known = super::batch::KnownBatch { work: work.into(), has_started };
        self.chores.batches.insert(batch.key, known);
        Ok(())
    }
}

pub fn batch_chore(
    key: JobKey,
    batch: &BatchRow,
    kind: JobKind,
    retries: i32,
    priority: i64,
    now: orloj_types::Timestamp,
) -> JobRow {
    JobRow {
        state: if batch.suspended { JobState::Suspended } else { JobState::Ready },
        retries_left: retries,
        priority,
        batch: Some(batch.key),
        ..new_chore(key, &batch.engine, &batch.tenant, kind, now)
    }
}
