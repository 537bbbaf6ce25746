//! Clean-ups of history: they live for ever, each looks after some minutes of the hour.
//!
//! A run removes at most one chunk of each kind. What it removes is gone before its own row says
//! so: a run that is repeated finds less.

use jiff::tz::TimeZone;
use orloj_executor::Meter;
use orloj_model::TimeToLive;
use orloj_settings::{CleanupSettings, CleanupStrategy, Ttl};
use orloj_store::{
    BatchKinds, ChoreWrite, FailureWrite, JobKind, JobRow, JobState, LockWrite, Prune, PruneQuery,
    Pruned,
};
use orloj_types::{DefinitionKey, EngineName, JobKey, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::super::event::{Find, Found};
use super::failing::Failed;
use super::start_timer::new_chore;
use super::{Afterwards, ChoreEnd, Doing, Node, incidents_of, kept, read, standing, written};
use crate::history::NOT_KEPT;
use crate::history::cleanup::{CleanupState, NextRun, Windows, is_full, may_clean, next_run};

const DAY_MS: i64 = 86_400_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanupPayload {
    /// Also outside of windows.
    #[serde(default)]
    pub immediately: bool,
    #[serde(default)]
    pub empty_runs: u32,
    pub minute_from: u8,
    pub minute_to: u8,
}

impl CleanupPayload {
    pub fn of(state: &CleanupState) -> Self {
        Self {
            immediately: state.is_immediate,
            empty_runs: state.empty_runs,
            minute_from: *state.minutes.start(),
            minute_to: *state.minutes.end(),
        }
    }

    fn state(&self) -> CleanupState {
        CleanupState {
            minutes: self.minute_from..=self.minute_to,
            empty_runs: self.empty_runs,
            is_immediate: self.immediately,
        }
    }
}

/// `zone`: of times without an offset.
pub fn windows_of(settings: &CleanupSettings, zone: &TimeZone) -> Windows {
    Windows::new(settings, zone.clone())
}

#[derive(Debug)]
pub(super) struct Cleanup {
    payload: CleanupPayload,
    to_prune: Vec<Prune>,
    found_much: bool,
}

/// The key of a clean-up is made from the engine's name, so that nodes which make it at the same
/// moment make one. It lies below all keys that are given.
pub fn cleanup_key(engine: &EngineName, slice: usize) -> JobKey {
    // FNV-1a: short, and the same everywhere and for ever.
    let hash = engine.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let place = (hash >> 24) as i64 & 0x00FF_FFFF_FFFF;
    JobKey::new((1 << 50) | (place << 3) | (slice as i64 & 7))
}

/// A clean-up that nobody has asked for rests suspended.
pub fn resting(next_at: Option<Timestamp>) -> JobState {
    if next_at.is_some() { JobState::Ready } else { JobState::Suspended }
}

/// A clean-up that is not due yet.
pub fn cleanup_chore(
    engine: &EngineName,
    slice: usize,
    payload: &CleanupPayload,
    settings: &CleanupSettings,
    retries: i32,
    now: Timestamp,
) -> JobRow {
    let key = cleanup_key(engine, slice);
    JobRow {
        state: JobState::Suspended,
        retries_left: retries,
        priority: settings.priority,
        payload: Some(written(payload)),
        ..new_chore(key, engine, &TenantId::none(), JobKind::HistoryCleanup, now)
    }
}

impl Node {
    pub(super) fn begin_cleanup(&mut self, row: Box<JobRow>) {
        let job = row.key;
        let payload = match read::<CleanupPayload>(&row) {
            Ok(payload) => payload,
            Err(error) => {
                self.run(row, Doing::Plain);
                return self.fail_chore(job, Failed::of(&error));
            }
        };
        let cleanup = &self.config.settings.history.cleanup;
        let windows = windows_of(cleanup, &self.config.zone);
        let may_clean = may_clean(&windows, &payload.state(), self.now);
        let by_end = cleanup.strategy == CleanupStrategy::EndTime;
        let to_prune = if may_clean { self.to_prune(&payload) } else { Vec::new() };
        self.run(row, Doing::Cleanup(Cleanup { payload, to_prune, found_much: false }));
        match may_clean && by_end {
            true => self.ask_for_chore(job, Find::TimesToLive),
            false => self.clean_next(job),
        }
    }

    /// What a run looks at, the last first. One of them looks after what no minutes are shared of.
    fn to_prune(&self, payload: &CleanupPayload) -> Vec<Prune> {
        let settings = &self.config.settings;
        let before = |ttl: Ttl| self.before(ttl.days);
        let minutes = payload.minute_from..=payload.minute_to;
        let mut to_prune = Vec::new();
        if payload.minute_from == 0 {
            let meters = settings.metrics.ttl.map(|ttl| Prune::Meters { before: before(ttl) });
            let operations =
                settings.operations.ttl.map(|ttl| Prune::Operations { before: before(ttl) });
            let log_ttl = settings.history.cleanup.job_log_ttl.or(settings.history.ttl);
            let log = log_ttl.map(|ttl| Prune::ChoreLog { before: before(ttl) });
            to_prune.extend(meters.into_iter().chain(operations).chain(log));
            match settings.history.cleanup.strategy {
                CleanupStrategy::RemovalTime => to_prune.push(Prune::Batches { until: self.now }),
                CleanupStrategy::EndTime => to_prune.extend(self.ended_batches()),
            }
        }
        let until = match settings.history.cleanup.strategy {
            CleanupStrategy::RemovalTime => self.now,
            // Only what history does not keep at all.
            CleanupStrategy::EndTime => NOT_KEPT,
        };
        to_prune.push(Prune::Removable { until, minutes });
        to_prune
    }

    /// Each kind by its own time to live, the others by that of all.
    fn ended_batches(&self) -> Vec<Prune> {
        let settings = &self.config.settings;
        let own = &settings.batches.ttl_by_kind;
        let word = |kind: &String| kind.as_str().into();
        let others = settings.history.batch_ttl.map(|ttl| Prune::BatchesEnded {
            before: self.before(ttl.days),
            kinds: BatchKinds::AllBut(own.keys().map(word).collect()),
        });
        let own = own.iter().map(|(kind, ttl)| Prune::BatchesEnded {
            before: self.before(ttl.days),
            kinds: BatchKinds::Only(vec![word(kind)]),
        });
        others.into_iter().chain(own).collect()
    }

    /// Instances by the times to live of their definitions, where they have one of their own.
    fn ended_instances(
        &self,
        payload: &CleanupPayload,
        own: &[(DefinitionKey, TimeToLive)],
    ) -> Prune {
        let own = own.iter().map(|(definition, ttl)| match ttl {
            TimeToLive::Days(days) => (*definition, Some(self.before(*days))),
            TimeToLive::Unlimited => (*definition, None),
        });
        Prune::Ended {
            before: self.config.settings.history.ttl.map(|ttl| self.before(ttl.days)),
            own: own.collect(),
            minutes: payload.minute_from..=payload.minute_to,
        }
    }

    fn before(&self, days: u32) -> Timestamp {
        self.now.plus_ms(-i64::from(days).saturating_mul(DAY_MS))
    }

    fn clean_next(&mut self, job: JobKey) {
        let limit = self.config.settings.history.cleanup.batch_size.max(1);
        let Some(Doing::Cleanup(cleanup)) =
            self.chores.running.get_mut(&job).map(|running| &mut running.doing)
        else {
            return;
        };
        match cleanup.to_prune.pop() {
            Some(what) => self.ask_for_chore(job, Find::Prune(PruneQuery { what, limit })),
            None => self.cleaned(job),
        }
    }

    pub(super) fn cleanup_found(&mut self, job: JobKey, found: Found) {
        if let Found::TimesToLive(own) = &found {
            let Some(Doing::Cleanup(Cleanup { payload, .. })) =
                self.chores.running.get(&job).map(|running| &running.doing)
            else {
                return;
            };
            let what = self.ended_instances(&payload.clone(), own);
            if let Some(Doing::Cleanup(cleanup)) =
                self.chores.running.get_mut(&job).map(|running| &mut running.doing)
            {
                cleanup.to_prune.push(what);
            }
            return self.clean_next(job);
        }
        let Found::Pruned((what, Pruned { rows })) = found else {
            return self.abandon_chore(job);
        };
        let settings = &self.config.settings.history.cleanup;
        let found_much = is_full(settings, rows);
        if settings.metrics {
            let meter = match what {
                Prune::Batches { .. } | Prune::BatchesEnded { .. } | Prune::BatchKeys(_) => {
                    Some(Meter::CleanupBatchOperations)
                }
                Prune::Removable { .. } | Prune::Ended { .. } | Prune::Instances(_) => {
                    Some(Meter::CleanupProcessInstances)
                }
                Prune::Operations { .. }
                | Prune::Meters { .. }
                | Prune::ChoreLog { .. }
                | Prune::BatchLog(_) => None,
            };
            if let Some(meter) = meter {
                self.metrics.meters.add(meter, u64::from(rows));
            }
        }
        if let Some(Doing::Cleanup(cleanup)) =
            self.chores.running.get_mut(&job).map(|running| &mut running.doing)
        {
            cleanup.found_much |= found_much;
        }
        self.clean_next(job);
    }

    /// It is not deleted: it runs again, or waits until it is asked to.
    fn cleaned(&mut self, job: JobKey) {
        let Some(running) = self.chores.running.get(&job) else { return };
        let Doing::Cleanup(cleanup) = &running.doing else { return };
        let settings = &self.config.settings.history.cleanup;
        let windows = windows_of(settings, &self.config.zone);
        let (next, state) =
            next_run(&windows, &cleanup.payload.state(), cleanup.found_much, self.now);
        let payload = CleanupPayload::of(&state);
        let at = match next {
            NextRun::At(at) => Some(at),
            NextRun::Never => None,
        };
        let row = &running.row;
        let mut update = kept(row, self.hold(row));
        update.due_at = at;
        update.retries_left = match settings.retries {
            Some(retries) => i32::try_from(retries).unwrap_or(i32::MAX).max(1),
            None => self.chore_retries(),
        };
        update.state = standing(resting(at), update.retries_left, at, self.now);
        update.failure = FailureWrite::Clear;
        update.payload = Some(written(&payload));
        update.lock = LockWrite::Clear;
        let end = ChoreEnd {
            chores: vec![ChoreWrite::Update(update)],
            incidents_gone: incidents_of(row),
            ..ChoreEnd::default()
        };
        let afterwards = Afterwards::of(&end.chores);
        self.count_success();
        self.conclude(job, end.into_change(), afterwards);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_ups_of_engines_have_keys_of_their_own() {
        let (one, other) = (EngineName::new("default"), EngineName::new("payments"));
        assert_ne!(cleanup_key(&one, 0), cleanup_key(&other, 0));
        assert_ne!(cleanup_key(&one, 0), cleanup_key(&one, 7));
        let below_given = 1 << 51;
        assert!((0..8).all(|slice| cleanup_key(&other, slice).raw() < below_given));
    }
}
