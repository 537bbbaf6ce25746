//! Start timers: each starts an instance when it is due and, if it repeats, leaves a follow-up.
//!
//! The instance, the end of the chore and the follow-up are one change. A start that fails starts
//! nothing and costs a retry. DIFFERENCE: in Camunda and Zeebe the series goes on meanwhile: the
//! follow-up is written with the first failure, and not again by the retries. In Flowable it waits
//! for the start that succeeds.
//!
//! The deployment of a version removes the start timers of those before it, so a start timer that
//! is there is one of the latest version; one that is removed while it runs is in conflict.

use orloj_interpreter::{Rejection, Repeat, StartJob};
use orloj_store::{Change, ChoreWrite, JobKind, JobRow, JobState, LockWrite};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, EngineName, InstanceKey, JobKey,
    TenantId, Timestamp,
};
use serde::{Deserialize, Serialize};
use thin_vec::thin_vec;

use super::super::claims::{Claims, Ended};
use super::super::event::WorkOrigin;
use super::super::start_events::EventStart;
use super::{
    Afterwards, ChoreEnd, Doing, Node, failing::Failed, incidents_of, kept, read, written,
};
use crate::api::Error;
use crate::definition::Definition;

/// The rest of a repeating timer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartPayload {
    /// The evaluated text, such as `R3/PT10S`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
    #[serde(default)]
    anchor_ms: i64,
    /// Firings before this one.
    #[serde(default)]
    fired: u32,
    /// Whether an operator has put this timer in the place of the model's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    given: bool,
}

impl StartPayload {
    pub fn of(repeat: Option<&Repeat>) -> Self {
        match repeat {
            None => Self::default(),
            Some(Repeat { text, anchor, fired }) => Self {
                repeat: Some(text.to_string()),
                anchor_ms: anchor.as_ms(),
                fired: *fired,
                given: false,
            },
        }
    }

    /// Of a timer that an operator gives.
    pub(crate) fn given(repeat: Option<&Repeat>) -> Self {
        Self { given: true, ..Self::of(repeat) }
    }

    /// The same timer, with this much left of its repetition.
    fn with(&self, repeat: Option<&Repeat>) -> Self {
        Self { given: self.given, ..Self::of(repeat) }
    }

    /// Firings are counted from an anchor, so moving it moves all that follow. Cron has none.
    pub(crate) fn shifted(mut self, by_ms: i64) -> Self {
        if self.repeat.as_ref().is_some_and(|text| text.starts_with('R')) {
            self.anchor_ms = self.anchor_ms.saturating_add(by_ms);
        }
        self
    }

    pub(crate) fn read(row: &JobRow) -> Option<Self> {
        read(row).ok()
    }

    fn repeat(&self) -> Option<Repeat> {
        let text = self.repeat.as_ref()?;
        Some(Repeat {
            text: text.as_str().into(),
            anchor: Timestamp::from_ms(self.anchor_ms),
            fired: self.fired,
        })
    }
}

/// The row of a start event's timer, as a deployment inserts it.
#[derive(Clone, Debug)]
pub struct NewStartTimer<'a> {
    pub key: JobKey,
    pub engine: &'a EngineName,
    pub tenant: &'a TenantId,
    pub definition: DefinitionKey,
    pub event: &'a ElementId,
    pub due_at: Timestamp,
    pub repeat: Option<&'a Repeat>,
    pub job: StartJob,
    pub now: Timestamp,
}

pub fn start_timer_chore(new: &NewStartTimer<'_>) -> JobRow {
    let state = if new.job.is_suspended { JobState::Suspended } else { JobState::Waiting };
    JobRow {
        element: new.event.clone(),
        definition: new.definition,
        state,
        retries_left: new.job.retries,
        priority: new.job.priority,
        category: new.job.category.clone(),
        due_at: Some(new.due_at),
        payload: Some(written(&StartPayload::of(new.repeat))),
        ..super::new_chore(new.key, new.engine, new.tenant, JobKind::StartTimer, new.now)
    }
}

impl Node {
    pub(super) fn begin_start_timer(&mut self, row: Box<JobRow>) {
        let start = EventStart {
            definition: row.definition,
            event: row.element.clone(),
            variables: Document::new(),
            started_with: None,
            claims: Claims::default(),
            origin: WorkOrigin::Chore { job: row.key },
        };
        self.run(row, Doing::Plain);
        self.start_by_event(start);
    }

    /// Whether a start timer that is due starts an instance. If not, it is over without one, or
    /// has failed.
    pub(in crate::node) fn starts_instance(
        &mut self,
        job: JobKey,
        definition: &Definition,
    ) -> bool {
        let Some(row) = self.chore_row(job) else { return true };
        let due_at = row.due_at.unwrap_or(self.now);
        let process = &definition.process;
        let payload = StartPayload::read(row).unwrap_or_default();
        let is_over = match payload.given {
            true => {
                let repeat = payload.repeat();
                Ok(orloj_interpreter::given_start_is_over(process, repeat.as_ref(), due_at))
            }
            false => orloj_interpreter::start_is_over(process, &row.element, due_at, self.now),
        };
        match is_over {
            Ok(false) => true,
            Ok(true) => {
                let delete = ChoreWrite::Delete { key: job, held: self.hold(row) };
                let incidents_gone = incidents_of(row);
                let end = ChoreEnd { chores: vec![delete], incidents_gone, ..ChoreEnd::default() };
                self.count_success();
                self.conclude(job, end.into_change(), Afterwards::default());
                false
            }
            Err(message) => {
                let element = Some(row.element.clone());
                self.start_timer_failed(job, Failed { element, ..Failed::of(&message) });
                false
            }
        }
    }

    /// The end of the chore, now that its definition is at hand.
    pub(in crate::node) fn start_timer_end(
        &mut self,
        job: JobKey,
        definition: &Definition,
    ) -> Option<Box<ChoreEnd>> {
        let row = self.chore_row(job)?;
        let (held, incidents_gone) = (self.hold(row), incidents_of(row));
        let mut end = ChoreEnd {
            chores: vec![ChoreWrite::Delete { key: job, held }],
            incidents_gone,
            ..ChoreEnd::default()
        };
        if let Some(follow_up) = self.follow_up(job, definition) {
            end.chores.push(ChoreWrite::Insert(follow_up));
        }
        Some(Box::new(end))
    }

    /// The chore of the next firing; `None` when this is the last, or another one leads on.
    fn follow_up(&mut self, job: JobKey, definition: &Definition) -> Option<JobRow> {
        let key = JobKey::new(self.keys.next(self.now));
        let settings = self.job_settings();
        let row = self.chore_row(job)?;
        let payload = StartPayload::read(row)?;
        let (process, repeat) = (&definition.process, payload.repeat()?);
        let (due_at, repeat) = match payload.given {
            true => orloj_interpreter::next_given_start(process, &repeat, self.now)?,
            false => orloj_interpreter::next_start(process, &row.element, &repeat, self.now)?,
        };
        // A dead letter that was run by hand has none to pass on.
        let retries_left = match row.retries_left {
            ..=0 => {
                let (process, now) = (&definition.process, self.now);
                let event = &row.element;
                orloj_interpreter::start_job(process, event, row.definition, &settings, now).retries
            }
            left => left,
        };
        let follow_up = JobRow {
            key,
            retries_left,
            // By hand, a suspended one is run as well; the series stays suspended.
            state: match row.state {
                JobState::Suspended => JobState::Suspended,
                _ => JobState::Waiting,
            },
            due_at: Some(due_at),
            payload: Some(written(&payload.with(Some(&repeat)))),
            created_at: self.now,
            lock_session: None,
            attempt: 0,
            failure: None,
            failure_details: None,
            failed_element: None,
            ..row.clone()
        };
        self.chores.running.get_mut(&job)?.next_due_at = Some(due_at);
        Some(follow_up)
    }

    pub(super) fn start_timer_ended(&mut self, job: JobKey, ended: &Ended<'_>) {
        match ended {
            Ended::Done => {
                self.count_success();
                self.chore_over(job);
            }
            Ended::Lost => self.abandon_chore(job),
            Ended::Refused(Error::Rejected(Rejection::DefinitionSuspended(_))) => {
                self.park_chore(job);
            }
            Ended::Refused(Error::Rejected(rejection)) => {
                let failed = match rejection {
                    Rejection::Failed { element, message } => Failed {
                        message: message.clone(),
                        element: Some(ElementId::from(&**element)),
                        ..Failed::default()
                    },
                    other => Failed::of(&other.to_string()),
                };
                self.start_timer_failed(job, failed);
            }
            Ended::Refused(error @ Error::Internal(_)) => self.set_chore_aside(job, error),
            Ended::Refused(_) => self.abandon_chore(job),
        }
    }

    /// What it starts is suspended: it comes back when that is activated.
    fn park_chore(&mut self, job: JobKey) {
        let Some(running) = self.chores.running.get_mut(&job) else { return };
        running.next_due_at = None;
        let row = running.row.clone();
        running.outcome = Err(Rejection::DefinitionSuspended(row.definition).into());
        let held = self.hold(&row);
        let mut update = kept(&row, held);
        update.state = JobState::Suspended;
        update.lock = LockWrite::Clear;
        let change = Change { chores: thin_vec![ChoreWrite::Update(update)], ..Change::default() };
        self.conclude(job, change, Afterwards::default());
    }

    fn start_timer_failed(&mut self, job: JobKey, failed: Failed) {
        if let Some(running) = self.chores.running.get_mut(&job) {
            running.next_due_at = None;
        }
        let Some(row) = self.chore_row(job) else { return };
        let definition = self.definitions.get(&row.definition).cloned();
        let Some(definition) = definition else { return self.abandon_chore(job) };
        let process = &definition.process;
        let settings = self.job_settings();
        let row = self.chore_row(job).expect("found above");
        let (retries, due_at) = (row.retries_left, row.due_at);
        let retry_at = orloj_interpreter::start_retry(
            process,
            &row.element,
            &settings,
            retries,
            due_at,
            self.now,
        );
        let mut failed = Failed { retry_at, ..failed };
        let payload = StartPayload::read(row).unwrap_or_default();
        if process.semantics.repeats_despite_failure
            && let Some(follow_up) = self.follow_up(job, &definition)
        {
            failed.also.push(ChoreWrite::Insert(follow_up));
            failed.payload = Some(written(&payload.with(None)));
        }
        self.fail_chore(job, failed);
    }
}

/// A chore of no deployment that is ready at once.
pub(crate) fn new_chore(
    key: JobKey,
    engine: &EngineName,
    tenant: &TenantId,
    kind: JobKind,
    now: Timestamp,
) -> JobRow {
    JobRow {
        key,
        engine: engine.clone(),
        tenant: tenant.clone(),
        instance: InstanceKey::new(0),
        definition: DefinitionKey::new(0),
        element_instance: ElementInstanceKey::new(0),
        element: "".into(),
        kind,
        job_type: "".into(),
        state: JobState::Ready,
        retries_left: 1,
        priority: 0,
        exclusive: true,
        due_at: None,
        lock_session: None,
        lock_worker: None,
        lock_until: None,
        attempt: 0,
        activations: Vec::new(),
        failure: None,
        created_at: now,
        topic: "".into(),
        category: None,
        limit_key: None,
        batch: None,
        payload: None,
        failure_details: None,
        failed_element: None,
    }
}
