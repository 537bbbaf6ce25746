//! Suspending and activating definitions and job definitions, at once or at a moment.
//!
//! First the settings are written, so that nothing new is made that is not suspended; then the
//! start timers follow, then instances or jobs, page by page. Every step comes to the same when it
//! is done again: whoever takes over from a node that died begins from the beginning.

use orloj_interpreter::{Command, Rejection};
use orloj_model::{JobDefinition, JobHandler};
use orloj_store::{
    Change, ChoreUpdate, ChoreWrite, DefinitionRow, JobDefinitionRow, JobFilter, JobKind, JobRow,
    JobState, Page,
};
use orloj_types::{
    DefinitionKey, EngineName, InstanceKey, JobDefinitionKey, JobKey, ProcessId, TenantId,
    Timestamp,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use thin_vec::thin_vec;

use super::super::answer::Question;
use super::super::claims::{Ended, Sole};
use super::super::event::{Find, Found, Reply, RequestId, Work, WorkOrigin};
use super::super::slot::Task;
use super::batch::{batch_job_kind, batch_of_job_definition};
use super::failing::Failed;
use super::{
    Afterwards, ChoreEnd, Doing, Node, Phase, incidents_of, new_chore, ordered, read, standing,
    written,
};
use crate::api::{Error, Missing};

/// Instances or jobs looked at in one read.
const PAGE_ROWS: u32 = 256;

/// What is suspended or activated, and whether what there is already goes with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspension {
    pub of: SuspensionOf,
    pub suspended: bool,
    /// Of definitions their instances, of job definitions their jobs.
    pub with_existing: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuspensionOf {
    /// One version of a process.
    Definition(i64),
    /// All of them; `tenant` `None`: in every tenant.
    Process {
        id: String,
        tenant: Option<String>,
    },
    JobDefinition(i64),
    JobsOfDefinition(i64),
    JobsOfProcess {
        id: String,
        tenant: Option<String>,
    },
    /// The job definitions of a batch.
    Batch(i64),
}

impl Suspension {
    /// The chore that does it at a moment.
    pub fn kind(&self) -> JobKind {
        match (self.is_of_definitions(), self.suspended) {
            (true, true) => JobKind::SuspendDefinition,
            (true, false) => JobKind::ActivateDefinition,
            (false, true) => JobKind::SuspendJobDefinition,
            (false, false) => JobKind::ActivateJobDefinition,
        }
    }

    /// What a chore was made to do.
    pub fn of_chore(row: &JobRow) -> Option<Self> {
        read(row).ok()
    }

    pub fn is_of_definitions(&self) -> bool {
        matches!(self.of, SuspensionOf::Definition(_) | SuspensionOf::Process { .. })
    }

    /// A single job definition does not take the start timers of its process along.
    fn takes_start_timers(&self) -> bool {
        !matches!(self.of, SuspensionOf::JobDefinition(_) | SuspensionOf::Batch(_))
    }
}

impl SuspensionOf {
    pub fn process(id: &ProcessId, tenant: Option<&TenantId>) -> Self {
        Self::Process { id: id.to_string(), tenant: tenant.map(ToString::to_string) }
    }

    pub fn definition(key: DefinitionKey) -> Self {
        Self::Definition(key.raw())
    }

    pub fn job_definition(key: JobDefinitionKey) -> Self {
        Self::JobDefinition(key.raw())
    }

    /// Whether it is about this definition, or all of its process.
    pub fn is_of(&self, row: &DefinitionRow) -> bool {
        match self {
            Self::Definition(key) => *key == row.key.raw(),
            Self::Process { id, tenant } => {
                *id == *row.process_id && tenant.as_ref().is_none_or(|name| *name == *row.tenant)
            }
            Self::JobDefinition(_)
            | Self::JobsOfDefinition(_)
            | Self::JobsOfProcess { .. }
            | Self::Batch(_) => false,
        }
    }
}

/// A suspension or activation at a moment, before it is a chore.
pub struct LaterSuspension<'a> {
    pub key: JobKey,
    pub engine: &'a EngineName,
    pub tenant: &'a TenantId,
    /// Of the first one it is about: whoever runs the jobs of its deployment runs this one.
    pub definition: DefinitionKey,
    pub suspension: &'a Suspension,
    pub at: Timestamp,
    pub retries: u32,
    pub now: Timestamp,
}

pub fn suspension_chore(new: &LaterSuspension<'_>) -> JobRow {
    JobRow {
        definition: new.definition,
        state: JobState::Waiting,
        due_at: Some(new.at),
        retries_left: i32::try_from(new.retries).unwrap_or(i32::MAX).max(1),
        payload: Some(written(new.suspension)),
        ..new_chore(new.key, new.engine, new.tenant, new.suspension.kind(), new.now)
    }
}

/// What the settings were written for.
#[derive(Clone, Debug, Default)]
pub struct SuspensionScope {
    pub definitions: Vec<DefinitionKey>,
    pub job_definitions: Vec<JobDefinitionRow>,
    /// Of the settings that say so.
    pub version: i64,
}

#[derive(Debug, Default)]
pub(super) struct Suspensions {
    next: u64,
    at_work: FxHashMap<u64, AtWork>,
}

impl Suspensions {
    pub fn is_idle(&self) -> bool {
        self.at_work.is_empty()
    }
}

#[derive(Debug)]
struct AtWork {
    suspension: Suspension,
    asked: Asked,
    scope: SuspensionScope,
    stage: Stage,
    /// The oldest row seen of the page before.
    before: Option<i64>,
    /// What that was when the page was read.
    page_before: Option<i64>,
    /// A chore of the page has gone on before it could be written: the page is read again.
    was_overtaken: bool,
    /// Commands and changes under way.
    pending: usize,
    is_page_full: bool,
    affected: u64,
    /// The first thing that went wrong.
    error: Option<Error>,
}

impl AtWork {
    /// The one whose jobs are looked at.
    fn job_definition(&self) -> Option<&JobDefinitionRow> {
        match self.stage {
            Stage::Jobs(at) => self.scope.job_definitions.get(at),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Asked {
    Chore(JobKey),
    Client(RequestId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Settings,
    /// Until every node goes by the new settings.
    Settling,
    /// Of the definition at this place.
    StartTimers(usize),
    Instances(usize),
    /// Of the job definition at this place.
    Jobs(usize),
    Over,
}

impl Node {
    pub(super) fn begin_suspension(&mut self, row: Box<JobRow>) {
        let job = row.key;
        let suspension = read::<Suspension>(&row);
        self.run(row, Doing::Plain);
        match suspension {
            Ok(suspension) => self.suspend(suspension, Asked::Chore(job)),
            Err(error) => self.fail_chore(job, Failed::of(&error)),
        }
    }

    /// Someone wants it at once.
    pub(in crate::node) fn suspend_now(&mut self, id: RequestId, suspension: Suspension) {
        self.suspend(suspension, Asked::Client(id));
    }

    fn suspend(&mut self, suspension: Suspension, asked: Asked) {
        let number = self.chores.suspensions.next;
        self.chores.suspensions.next += 1;
        let find = Find::Suspend(suspension.clone());
        let at_work = AtWork {
            suspension,
            asked,
            scope: SuspensionScope::default(),
            stage: Stage::Settings,
            before: None,
            page_before: None,
            was_overtaken: false,
            pending: 0,
            is_page_full: false,
            affected: 0,
            error: None,
        };
        self.chores.suspensions.at_work.insert(number, at_work);
        self.find(Question::Suspension { number }, find);
    }

    pub(in crate::node) fn suspension_found(&mut self, number: u64, found: Found) {
        let Some(work) = self.chores.suspensions.at_work.get_mut(&number) else { return };
        match (work.stage, found) {
            (Stage::Settings, Found::Suspending(scope)) => {
                work.affected += (scope.definitions.len() + scope.job_definitions.len()) as u64;
                let version = scope.version;
                work.scope = *scope;
                work.stage = Stage::Settling;
                self.settings_told(version);
                self.notices.settings = self.notices.settings.max(Some(version));
                self.find(Question::Suspension { number }, Find::SettingsSeen(version));
            }
            (Stage::Settling, _) => {
                work.stage = Stage::StartTimers(0);
                self.suspension_step(number);
            }
            (Stage::Settings, _) => {
                let missing = match &work.suspension.of {
                    SuspensionOf::Definition(key) | SuspensionOf::JobsOfDefinition(key) => {
                        Missing::Definition(*key)
                    }
                    SuspensionOf::JobDefinition(key) => Missing::JobDefinition(*key),
                    SuspensionOf::Batch(key) => Missing::Batch(*key),
                    SuspensionOf::Process { id, .. } | SuspensionOf::JobsOfProcess { id, .. } => {
                        Missing::Process(id.as_str().into())
                    }
                };
                work.error = Some(Error::Missing(missing));
                work.stage = Stage::Over;
                self.suspension_step(number);
            }
            (Stage::StartTimers(_), Found::Jobs(rows)) => self.suspend_start_timers(number, &rows),
            (Stage::Instances(_), Found::Instances(keys)) => self.suspend_instances(number, keys),
            (Stage::Jobs(_), Found::Jobs(rows)) => self.suspend_jobs(number, &rows),
            _ => {}
        }
    }

    pub(in crate::node) fn suspension_unanswered(&mut self, number: u64, error: Error) {
        if let Some(work) = self.chores.suspensions.at_work.get_mut(&number) {
            work.error.get_or_insert(error);
            work.stage = Stage::Over;
            self.suspension_step(number);
        }
    }

    /// Reads the next page, or ends.
    fn suspension_step(&mut self, number: u64) {
        let Some(work) = self.chores.suspensions.at_work.get_mut(&number) else { return };
        let page = Page { before: work.before, limit: PAGE_ROWS };
        let suspension = &work.suspension;
        loop {
            match work.stage {
                Stage::StartTimers(at) => match work.scope.definitions.get(at) {
                    Some(definition) if suspension.takes_start_timers() => {
                        let filter = JobFilter {
                            // Like all chores; so an index has them.
                            instance: Some(InstanceKey::default()),
                            definition: Some(*definition),
                            kinds: vec![JobKind::StartTimer],
                            ..JobFilter::default()
                        };
                        let find = Find::Jobs(Box::new(filter), page);
                        return self.find(Question::Suspension { number }, find);
                    }
                    _ if !suspension.with_existing => work.stage = Stage::Over,
                    _ if suspension.is_of_definitions() => work.stage = Stage::Instances(0),
                    _ => work.stage = Stage::Jobs(0),
                },
                Stage::Instances(at) => match work.scope.definitions.get(at) {
                    Some(definition) => {
                        let find = Find::Instances(*definition, page);
                        return self.find(Question::Suspension { number }, find);
                    }
                    None => work.stage = Stage::Over,
                },
                Stage::Jobs(at) => match work.scope.job_definitions.get(at) {
                    Some(row) => {
                        let find = Find::Jobs(Box::new(jobs_of(row)), page);
                        return self.find(Question::Suspension { number }, find);
                    }
                    None => work.stage = Stage::Over,
                },
                Stage::Over | Stage::Settings | Stage::Settling => {
                    return self.suspension_over(number);
                }
            }
        }
    }

    fn suspend_start_timers(&mut self, number: u64, rows: &[JobRow]) {
        self.page_read(number, rows.last().map(|row| row.key.raw()), rows.len());
        self.suspend_chores(number, rows.iter());
        self.page_done(number);
    }

    /// Each by a change of its own: one that has gone on meanwhile keeps back no other.
    fn suspend_chores<'a>(&mut self, number: u64, rows: impl Iterator<Item = &'a JobRow>) {
        let Some(work) = self.chores.suspensions.at_work.get(&number) else { return };
        let (suspended, now) = (work.suspension.suspended, self.now);
        for update in rows.filter_map(|row| suspended_chore(row, suspended, now)) {
            let chores = thin_vec![ChoreWrite::Update(update)];
            let afterwards = Afterwards::of(&chores);
            self.one_more(number);
            let change = Change { chores, ..Change::default() };
            self.commit_alone(change, Sole::Suspension { number, afterwards });
        }
    }

    fn suspend_instances(&mut self, number: u64, keys: Vec<InstanceKey>) {
        self.page_read(number, keys.last().map(|key| key.raw()), keys.len());
        let Some(work) = self.chores.suspensions.at_work.get(&number) else { return };
        let suspended = work.suspension.suspended;
        for instance in keys {
            let command = if suspended { Command::Suspend } else { Command::Resume };
            self.suspension_commands(number, instance, command);
        }
        self.page_done(number);
    }

    fn suspend_jobs(&mut self, number: u64, rows: &[JobRow]) {
        self.page_read(number, rows.last().map(|row| row.key.raw()), rows.len());
        let Some(work) = self.chores.suspensions.at_work.get(&number) else { return };
        let suspended = work.suspension.suspended;
        let definition = work.job_definition().and_then(definition_of);
        let mut by_instance: std::collections::BTreeMap<InstanceKey, Vec<JobKey>> =
            std::collections::BTreeMap::new();
        for row in rows.iter().filter(|row| !row.kind.is_chore()) {
            by_instance.entry(row.instance).or_default().push(row.key);
        }
        for (instance, jobs) in by_instance {
            let command = match (&definition, suspended) {
                (Some(definition), _) => {
                    let definition = definition.clone();
                    Command::SuspendJobsOf { definition, jobs, suspended }
                }
                (None, true) => Command::SuspendJobs { jobs },
                (None, false) => Command::ResumeJobs { jobs },
            };
            self.suspension_commands(number, instance, command);
        }
        self.suspend_chores(number, rows.iter().filter(|row| row.kind.is_chore()));
        self.page_done(number);
    }

    fn suspension_commands(&mut self, number: u64, instance: InstanceKey, command: Command) {
        self.one_more(number);
        let origin = WorkOrigin::Suspension { number };
        self.submit(instance, Task::Work(Box::new(Work::new(command, origin))));
    }

    /// The page counts as one under way itself, so that it is not over before all is sent.
    fn page_read(&mut self, number: u64, last: Option<i64>, rows: usize) {
        let Some(work) = self.chores.suspensions.at_work.get_mut(&number) else { return };
        work.pending += 1;
        work.is_page_full = rows >= PAGE_ROWS as usize;
        work.page_before = work.before;
        work.before = last.or(work.before);
    }

    fn one_more(&mut self, number: u64) {
        if let Some(work) = self.chores.suspensions.at_work.get_mut(&number) {
            work.pending += 1;
        }
    }

    fn page_done(&mut self, number: u64) {
        let Some(work) = self.chores.suspensions.at_work.get_mut(&number) else { return };
        work.pending -= 1;
        if work.pending > 0 {
            return;
        }
        if std::mem::take(&mut work.was_overtaken) {
            work.before = work.page_before;
        } else if !work.is_page_full {
            work.before = None;
            work.stage = match work.stage {
                Stage::StartTimers(at) => Stage::StartTimers(at + 1),
                Stage::Instances(at) => Stage::Instances(at + 1),
                Stage::Jobs(at) => Stage::Jobs(at + 1),
                stage => stage,
            };
        }
        if self.phase == Phase::Running {
            self.suspension_step(number);
        }
    }

    pub(in crate::node) fn chore_suspended(
        &mut self,
        number: u64,
        afterwards: Afterwards,
        ended: &Ended<'_>,
    ) {
        match ended {
            Ended::Done => self.look_afterwards(afterwards),
            Ended::Lost => {
                if let Some(work) = self.chores.suspensions.at_work.get_mut(&number) {
                    work.was_overtaken = true;
                }
            }
            Ended::Refused(_) => {}
        }
        self.suspension_worked(number, ended);
    }

    /// One of the page is done.
    pub(in crate::node) fn suspension_worked(&mut self, number: u64, ended: &Ended<'_>) {
        let Some(work) = self.chores.suspensions.at_work.get_mut(&number) else { return };
        match ended {
            Ended::Done => work.affected += 1,
            // It is as it should be, or is no more.
            Ended::Lost
            | Ended::Refused(Error::Rejected(
                Rejection::AlreadySuspended(_)
                | Rejection::NotSuspended(_)
                | Rejection::InstanceNotFound(_)
                | Rejection::JobNotFound(_)
                // It comes back with its instance.
                | Rejection::JobOfSuspended(_),
            )) => {}
            Ended::Refused(error) => {
                work.error.get_or_insert((*error).clone());
            }
        }
        self.page_done(number);
    }

    fn suspension_over(&mut self, number: u64) {
        let Some(work) = self.chores.suspensions.at_work.remove(&number) else { return };
        match (work.asked, work.error) {
            (Asked::Client(id), None) => self.reply(id, Ok(Reply::Affected(work.affected))),
            (Asked::Client(id), Some(error)) => self.reply(id, Err(error)),
            // Nothing is there any more to be suspended.
            (Asked::Chore(job), None | Some(Error::Missing(_))) => {
                let Some(row) = self.chore_row(job) else { return };
                let end = ChoreEnd {
                    chores: vec![ChoreWrite::Delete { key: job, held: self.hold(row) }],
                    incidents_gone: incidents_of(row),
                    ..ChoreEnd::default()
                };
                self.count_success();
                self.conclude(job, end.into_change(), Afterwards::default());
            }
            (Asked::Chore(job), Some(Error::Unavailable(_) | Error::ShuttingDown)) => {
                self.begin_chore_later(job);
            }
            (Asked::Chore(job), Some(error)) => {
                let retry_at = self.retry_at();
                self.fail_chore(job, Failed { retry_at, ..Failed::of(&error.to_string()) });
            }
        }
    }

    /// Callers learn that the lease is gone.
    pub(in crate::node) fn drop_suspensions(&mut self, error: &Error) {
        let mut dropped: Vec<_> = self.chores.suspensions.at_work.drain().collect();
        dropped.sort_by_key(|(number, _)| *number);
        for (_, work) in dropped {
            if let Asked::Client(id) = work.asked {
                self.reply(id, Err(error.clone()));
            }
        }
    }
}

/// As the interpreter names it; `None`: of a kind that it does not know.
fn definition_of(row: &JobDefinitionRow) -> Option<JobDefinition> {
    let handler = JobHandler::from_word(&row.kind)?;
    let (element, configuration) = (row.element.as_str().into(), row.configuration.clone());
    Some(JobDefinition { element, handler, configuration })
}

/// The jobs of a job definition, and those of its twin: of a multi-instance activity rows do not
/// tell whether they belong to its body.
fn jobs_of(row: &JobDefinitionRow) -> JobFilter {
    if let Some(batch) = batch_of_job_definition(row) {
        let kinds = vec![batch_job_kind(&row.kind)];
        return JobFilter { batch: Some(batch), kinds, ..JobFilter::default() };
    }
    let kinds = match (&*row.kind, &*row.configuration) {
        ("async-continuation", "async-after") => vec![JobKind::AsyncAfter],
        ("async-continuation", _) => vec![JobKind::AsyncBefore],
        ("timer-start-event", _) => vec![JobKind::StartTimer],
        _ => vec![JobKind::Timer],
    };
    let element = row.element.strip_suffix(orloj_model::BODY_SUFFIX).unwrap_or(&row.element);
    JobFilter {
        definition: Some(row.definition),
        element: Some(element.into()),
        kinds,
        ..JobFilter::default()
    }
}

/// How a chore looks that is suspended, or no longer is; `None`: as before. A dead letter is
/// suspended as well: new retries do not make it run.
fn suspended_chore(row: &JobRow, suspended: bool, now: Timestamp) -> Option<ChoreUpdate> {
    if (row.state == JobState::Suspended) == suspended {
        return None;
    }
    let state = if suspended { JobState::Suspended } else { JobState::Ready };
    let state = standing(state, row.retries_left, row.due_at, now);
    Some(ChoreUpdate { state, ..ordered(row) })
}
