//! Seeds: a run makes the next parts of a batch, until all are made; then a monitor follows.

use orloj_store::{BatchRow, BatchUpdate, BatchWrite, ChoreWrite, JobKind, JobRow, JobState};
use orloj_types::JobKey;

use super::super::due_when_made;
use super::super::event::{Find, Found};
use super::batch::{BatchConfig, BatchWork, SeedPayload, Sowing};
use super::failing::Failed;
use super::start_timer::new_chore;
use super::{
    Afterwards, ChoreEnd, Doing, Node, PartPayload, batch_of, incidents_of, read, written,
};

impl Node {
    pub(super) fn begin_seed(&mut self, row: Box<JobRow>) {
        let (job, batch) = (row.key, batch_of(&row));
        let made = row.payload.is_some().then(|| read::<SeedPayload>(&row));
        self.run(row, Doing::Plain);
        // Only its elements have to be known: whether it is still there is its chores' business,
        // and whoever deletes it deletes them.
        match (self.chores.batches.sowing(batch), made) {
            (Some(sowing), Some(Ok(SeedPayload { made }))) => self.sow(job, &sowing, made),
            _ => self.ask_for_chore(job, Find::Batch(batch)),
        }
    }

    pub(super) fn seed_found(&mut self, job: JobKey, found: Found) {
        let Found::Batch(batch) = found else { return self.end_orphan(job) };
        let made = batch.parts_made;
        match self.chores.batches.sow(*batch) {
            Ok(sowing) => self.sow(job, &sowing, made),
            Err(error) => {
                let retry_at = self.retry_at();
                self.fail_chore(job, Failed { retry_at, ..Failed::of(&error) });
            }
        }
    }

    /// Makes the next parts, of one definition at a time, as the seed itself belongs to it.
    fn sow(&mut self, job: JobKey, sowing: &Sowing, made: i64) {
        let Some(seed) = self.chore_row(job).cloned() else { return };
        let Sowing { batch, config } = sowing;
        let parts_max = self.config.settings.batches.jobs_per_seed.max(1) as usize;
        let before = usize::try_from(made).unwrap_or(0);
        let mut chores = vec![ChoreWrite::Delete { key: job, held: self.hold(&seed) }];
        let mut parts_made = before;
        if let Some((definition, parts)) = config.next(before, parts_max) {
            parts_made += parts.len();
            for elements in parts {
                let key = JobKey::new(self.keys.next(self.now));
                let payload = PartPayload { elements: elements.to_vec() };
                let part = JobRow {
                    definition,
                    payload: Some(written(&payload)),
                    ..self.batch_chore(key, batch, JobKind::BatchPart)
                };
                chores.push(ChoreWrite::Insert(part));
            }
        }
        let made = i64::try_from(parts_made).unwrap_or(i64::MAX);
        let next = JobKey::new(self.keys.next(self.now));
        let next = match config.next(parts_made, 1) {
            Some((definition, _)) => JobRow {
                definition,
                payload: Some(written(&SeedPayload { made })),
                ..self.batch_chore(next, batch, JobKind::BatchSeed)
            },
            None => {
                self.chores.batches.sown(batch.key);
                self.batch_chore(next, batch, JobKind::BatchMonitor)
            }
        };
        chores.push(ChoreWrite::Insert(next));
        let update =
            BatchUpdate { key: batch.key, parts_made: Some(made), ..BatchUpdate::default() };
        let end = ChoreEnd {
            chores,
            batches: vec![BatchWrite::Update(update)],
            incidents_gone: incidents_of(&seed),
        };
        self.count_success();
        let afterwards = Afterwards { is_ready: true, due_at: None };
        self.conclude(job, end.into_change(), afterwards);
    }

    /// A chore of a batch as it begins, with what is set for its job definition.
    fn batch_chore(&self, key: JobKey, batch: &BatchRow, kind: JobKind) -> JobRow {
        let set = self.known.of_batch(batch.key, kind);
        let priority = set.priority.unwrap_or(self.config.settings.batches.priority);
        JobRow {
            state: if set.is_suspended { JobState::Suspended } else { JobState::Ready },
            due_at: due_when_made(&self.config.settings, self.now),
            ..batch_chore(key, batch, kind, self.chore_retries(), priority, self.now)
        }
    }

    /// Parts that are still queued ask for their batch again, and find it gone.
    pub(in crate::node) fn forget_batches(&mut self, writes: &[BatchWrite]) {
        for write in writes {
            if let BatchWrite::Delete(key) | BatchWrite::End { key, .. } = write {
                self.chores.batches.forget(*key);
            }
        }
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
