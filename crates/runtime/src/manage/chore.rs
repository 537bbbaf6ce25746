//! Orders about chores: jobs of no instance, whose row is all there is of them.

use orloj_interpreter::{NewTimer, Rejection, StartTrigger, StartWait};
use orloj_store::{Change, ChoreUpdate, ChoreWrite, Held, JobKind, JobRow, JobState};
use orloj_types::{JobKey, Timestamp};
use thin_vec::thin_vec;

use super::job_action::JobAction;
use super::jobs::Jobs;
use super::operation::Entry;
use crate::api::Error;
use crate::handle::Orloj;
use crate::node::chores::{
    Following, INCIDENT_WORD, StartPayload, held_by, kept, ordered, standing, written,
};
use crate::node::{Request, due_when_made, job_settings, store_error};

impl Orloj {
    /// What follows from writing about a chore by hand. `word`: what an incident of it is called.
    pub(crate) fn following<'a>(&'a self, word: &'a str) -> Following<'a> {
        Following { settings: &self.inner.settings, now: self.now(), run_by: None, word }
    }
}

impl Jobs {
    pub(super) async fn act_on_chore(
        &self,
        row: &JobRow,
        action: &JobAction,
        new: JobKey,
        entries: Vec<Entry>,
    ) -> Result<(), Error> {
        let engine = &self.desk.engine;
        if *action == JobAction::Resume && row.kind == JobKind::StartTimer {
            self.check_definition(row).await?;
        }
        if *action == JobAction::Execute {
            self.desk.note(entries).await?;
            return engine.done(Request::RunChore { job: row.key }).await;
        }
        if let JobAction::Reschedule(timer) = action {
            let change = self.rescheduled(row, &timer.timer(), new).await?;
            return self.desk.write(change, entries).await;
        }
        let now = engine.now();
        let write = match action {
            JobAction::RecalculateDueDate { from_creation } => {
                let due_at = self.due_anew(row, *from_creation).await?;
                ChoreWrite::Update(due(row, Some(due_at), now))
            }
            // Together with retries, no date means now where every job has one.
            JobAction::SetRetries { retries, due: Some(None) } => {
                let due = Some(due_when_made(&engine.inner.settings, now));
                chore_write(row, &JobAction::SetRetries { retries: *retries, due }, now)?
            }
            _ => chore_write(row, action, now)?,
        };
        let mut change = Change::default();
        let word = self.incident_word(row).await?;
        engine.following(word).add(&mut change, row, &write);
        change.chores.push(write);
        self.desk.write(change, entries).await
    }

    /// A start timer follows its definition: while that is suspended it would not run.
    async fn check_definition(&self, row: &JobRow) -> Result<(), Error> {
        let definition = self.desk.engine.inner.store.definition(row.definition).await;
        match definition.map_err(|e| store_error(&e))? {
            Some(definition) if definition.suspended => {
                let (job, definition) = (row.key, row.definition);
                Err(Error::OfSuspendedDefinition { job, definition })
            }
            _ => Ok(()),
        }
    }

    /// When the model says that a start timer fires first. Its repetition stays as it is.
    async fn due_anew(&self, row: &JobRow, from_creation: bool) -> Result<Timestamp, Error> {
        let no_timer = || Error::from(Rejection::NotATimer(row.key));
        if row.kind != JobKind::StartTimer {
            return Err(no_timer());
        }
        let engine = &self.desk.engine;
        let definition = engine.inner.definitions.get(row.definition).await?;
        let base = if from_creation { row.created_at } else { engine.now() };
        let waits = orloj_interpreter::starts(&definition.process, base);
        let of_event = waits.into_iter().find(|wait| wait.event == row.element);
        match of_event {
            Some(StartWait { trigger: StartTrigger::Timer { due_at, .. }, .. }) => Ok(due_at),
            _ => Err(no_timer()),
        }
    }

    /// The start timer that takes the place of another is a job of its own, with nothing of the
    /// other one's failures. DIFFERENCE: that of Flowable loses definition and tenant on the way,
    /// so that it can start nothing any more; here it keeps them.
    async fn rescheduled(
        &self,
        row: &JobRow,
        timer: &NewTimer,
        new: JobKey,
    ) -> Result<Change, Error> {
        if row.kind != JobKind::StartTimer {
            return Err(Rejection::NotATimer(row.key).into());
        }
        if !matches!(row.state, JobState::Waiting | JobState::Suspended) {
            return Err(in_wrong_state(row));
        }
        let engine = &self.desk.engine;
        let now = engine.now();
        let definition = engine.inner.definitions.get(row.definition).await?;
        let process = &definition.process;
        let (due_at, repeat) = orloj_interpreter::given_start(process, timer, now)
            .map_err(|reason| Rejection::TimerInvalid { job: row.key, reason: reason.into() })?;
        let settings = job_settings(&engine.inner.settings)?;
        let event = &row.element;
        let job = orloj_interpreter::start_job(process, event, row.definition, &settings, now);
        let new = JobRow {
            key: new,
            retries_left: job.retries,
            due_at: Some(due_at),
            payload: Some(written(&StartPayload::given(repeat.as_ref()))),
            created_at: now,
            lock_session: None,
            attempt: 0,
            failure: None,
            failure_details: None,
            failed_element: None,
            ..row.clone()
        };
        let old = ChoreWrite::Delete { key: row.key, held: Held::Free };
        let mut change = Change::default();
        engine.following(orloj_interpreter::start_incident(process)).add(&mut change, row, &old);
        change.chores = thin_vec![old, ChoreWrite::Insert(new)];
        Ok(change)
    }

    async fn incident_word(&self, row: &JobRow) -> Result<&'static str, Error> {
        if row.kind != JobKind::StartTimer {
            return Ok(INCIDENT_WORD);
        }
        let definition = self.desk.engine.inner.definitions.get(row.definition).await?;
        Ok(orloj_interpreter::start_incident(&definition.process))
    }
}

fn chore_write(row: &JobRow, action: &JobAction, now: Timestamp) -> Result<ChoreWrite, Error> {
    let mut update = ordered(row);
    match action {
        JobAction::SetRetries { retries, due } => {
            if *retries < 0 {
                return Err(Rejection::RetriesNegative(*retries).into());
            }
            update.retries_left = *retries;
            update.due_at = due.unwrap_or(update.due_at);
            update.state = standing(row.state, *retries, update.due_at, now);
        }
        JobAction::SetDueDate { due: at, cascade } => {
            update = due(row, *at, now);
            if let (true, Some(old), Some(new)) = (*cascade, row.due_at, *at)
                && row.kind == JobKind::StartTimer
                && let Some(payload) = StartPayload::read(row)
            {
                update.payload = Some(written(&payload.shifted(new.ms_since(old))));
            }
        }
        JobAction::SetPriority(priority) => {
            // A run is not disturbed by it.
            update = kept(row, held_by(row));
            update.priority = Some(*priority);
        }
        JobAction::Suspend => update.state = JobState::Suspended,
        JobAction::Resume => {
            update.state = standing(JobState::Ready, row.retries_left, row.due_at, now);
        }
        JobAction::MoveToDeadLetters => {
            if !matches!(row.state, JobState::Ready | JobState::Waiting) {
                return Err(in_wrong_state(row));
            }
            update.retries_left = 0;
            update.state = JobState::Failed;
        }
        JobAction::MoveToExecutable { retries } => {
            if row.state != JobState::Failed {
                return Err(in_wrong_state(row));
            }
            if *retries < 1 {
                return Err(Rejection::RetriesTooFew(*retries).into());
            }
            update.retries_left = *retries;
            update.state = JobState::Ready;
        }
        JobAction::MoveTimerToExecutable => {
            if row.state != JobState::Waiting {
                return Err(in_wrong_state(row));
            }
            update.state = JobState::Ready;
        }
        JobAction::Delete => {
            return Ok(ChoreWrite::Delete { key: row.key, held: Held::Free });
        }
        JobAction::RecalculateDueDate { .. } | JobAction::Reschedule(_) => {
            return Err(Rejection::NotATimer(row.key).into());
        }
        JobAction::Execute | JobAction::Unlock => return Err(Error::NotLocked(row.key)),
    }
    Ok(ChoreWrite::Update(update))
}

fn in_wrong_state(row: &JobRow) -> Error {
    Error::Invalid(format!("chore {} is in state {:?}", row.key, row.state))
}

fn due(row: &JobRow, due_at: Option<Timestamp>, now: Timestamp) -> ChoreUpdate {
    let mut update = ordered(row);
    update.due_at = due_at;
    update.state = standing(row.state, row.retries_left, due_at, now);
    update
}
