//! Parts of batches: what a batch does is done to each element of a part.
//!
//! What is done to an instance, and that it was done, are one change: with the last element the
//! part ends, with the others its payload shrinks.

use std::sync::Arc;

use orloj_interpreter::{Command, Rejection, Start};
use orloj_store::format::decode_variables;
use orloj_store::{
    BatchUpdate, BatchWrite, Change, ChoreUpdate, ChoreWrite, EndedRow, JobRow, JobState, Prune,
    PruneQuery, SubscriptionKind, SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{BatchKey, DefinitionKey, Document, ElementId, InstanceKey, JobKey, Timestamp};
use serde::{Deserialize, Serialize};

use super::super::claims::{Claims, Ended, Sole};
use super::super::due_when_made;
use super::super::event::{Action, Find, Found, Work, WorkOrigin};
use super::super::slot::{Identity, Slot, SlotState, Task};
use super::batch::BatchWork;
use super::failing::Failed;
use super::{
    Afterwards, ChoreEnd, Doing, Node, batch_of, incidents_of, kept, ordered, read, standing,
    written,
};
use crate::api::Error;

/// What is left of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartPayload {
    pub elements: Vec<i64>,
}

impl PartPayload {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

#[derive(Debug)]
pub(super) struct Part {
    elements: Vec<i64>,
    done: usize,
    work: Option<Arc<BatchWork>>,
    has_started: bool,
}

impl Part {
    fn element(&self) -> Option<i64> {
        self.elements.get(self.done).copied()
    }

    fn is_last(&self) -> bool {
        self.done + 1 >= self.elements.len()
    }
}

impl Node {
    pub(super) fn begin_part(&mut self, row: Box<JobRow>) {
        let (job, batch) = (row.key, batch_of(&row));
        let payload = read::<PartPayload>(&row);
        // What is done never changes, but the batch may be gone when a part comes back.
        let is_first = row.attempt <= 1 && row.failure.is_none();
        let known = self.chores.batches.get(batch).filter(|_| is_first).cloned();
        let elements = payload.as_ref().map_or(Vec::new(), |part| part.elements.clone());
        let part = Part { elements, done: 0, work: None, has_started: false };
        self.run(row, Doing::Part(part));
        if let Err(error) = payload {
            return self.part_failed(job, Failed::of(&error));
        }
        match known {
            Some(known) => self.part_knows(job, known.work, known.has_started),
            None => self.ask_for_chore(job, Find::Batch(batch)),
        }
    }

    fn part_knows(&mut self, job: JobKey, work: Arc<BatchWork>, has_started: bool) {
        let Some(part) = self.part(job) else { return };
        part.has_started = has_started;
        part.work = Some(work);
        self.part_step(job);
    }

    fn part(&mut self, job: JobKey) -> Option<&mut Part> {
        match &mut self.chores.running.get_mut(&job)?.doing {
            Doing::Part(part) => Some(part),
            _ => None,
        }
    }

    /// Does the next element.
    pub(super) fn part_step(&mut self, job: JobKey) {
        let Some(part) = self.part(job) else { return };
        let Some(work) = part.work.clone() else { return };
        let Some(element) = part.element() else { return self.end_orphan(job) };
        let target = match work.definition() {
            None => None,
            Some(key) => match self.definitions.get(&key).cloned() {
                Some(definition) => Some(definition),
                None => return self.want_definition_for(key, job),
            },
        };
        match work.command(element, target.as_deref()) {
            Err(error) => self.part_failed(job, Failed::of(&error)),
            Ok(Some(command)) => self.part_commands(job, InstanceKey::new(element), command),
            Ok(None) => match &*work {
                BatchWork::SetJobRetries { .. }
                | BatchWork::MoveDeadLetters { .. }
                | BatchWork::SetExternalTaskRetries { .. } => {
                    self.ask_for_chore(job, Find::Job(JobKey::new(element)));
                }
                BatchWork::CorrelateMessage { name, .. } => {
                    let query = self.waits_for(job, InstanceKey::new(element), name);
                    if let Some(query) = query {
                        self.ask_for_chore(job, Find::Subscriptions(query));
                    }
                }
                BatchWork::InstanceRestart { .. } => {
                    self.ask_for_chore(job, Find::Ended(InstanceKey::new(element)));
                }
                BatchWork::HistoricInstanceDeletion => {
                    let what = Prune::Instances(vec![InstanceKey::new(element)]);
                    self.ask_for_chore(job, Find::Prune(PruneQuery { what, limit: 1 }));
                }
                BatchWork::ProcessSetRemovalTime { at_ms } => {
                    let instances = vec![InstanceKey::new(element)];
                    let at = at_ms.map(Timestamp::from_ms);
                    self.ask_for_chore(job, Find::SetRemoval { instances, at });
                }
                BatchWork::BatchSetRemovalTime { at_ms } => {
                    let batches = vec![BatchKey::new(element)];
                    let at = at_ms.map(Timestamp::from_ms);
                    self.ask_for_chore(job, Find::SetBatchRemoval { batches, at });
                }
                _ => debug_assert!(false, "the others have commands"),
            },
        }
    }

    /// Asks for a definition; the part goes on when it is there.
    fn want_definition_for(&mut self, key: DefinitionKey, job: JobKey) {
        let waiting = self.chores.waiting.entry(key).or_default();
        waiting.push(job);
        if waiting.len() == 1 {
            self.actions.push(Action::LoadDefinition { key });
        }
    }

    /// A definition was read, or could not be.
    pub(in crate::node) fn chores_definition(&mut self, key: DefinitionKey, error: Option<&Error>) {
        for job in self.chores.waiting.remove(&key).unwrap_or_default() {
            match error {
                None => self.part_step(job),
                Some(error @ Error::Missing(_)) => {
                    self.part_failed(job, Failed::of(&error.to_string()));
                }
                Some(_) => self.abandon_chore(job),
            }
        }
    }

    fn waits_for(
        &self,
        job: JobKey,
        instance: InstanceKey,
        name: &str,
    ) -> Option<SubscriptionQuery> {
        let row = self.chore_row(job)?;
        Some(SubscriptionQuery {
            engine: row.engine.clone(),
            tenant: None,
            kind: SubscriptionKind::Message,
            name: Some(name.into()),
            correlation_key: None,
            instance: Some(instance),
            business_key: None,
            after: None,
            limit: 2,
        })
    }

    fn part_commands(&mut self, job: JobKey, instance: InstanceKey, command: Command) {
        let chore = self.part_progress(job).map(Box::new);
        let claims = Claims { chore, ..Claims::default() };
        let work = Work::new(command, WorkOrigin::Chore { job }).with_claims(claims);
        self.submit(instance, Task::Work(Box::new(work)));
    }

    /// What says that the element at work is done.
    fn part_progress(&mut self, job: JobKey) -> Option<ChoreEnd> {
        let now = self.now;
        let part = self.part(job)?;
        let (is_last, has_started) = (part.is_last(), part.has_started);
        let left = part.elements.get(part.done + 1..).unwrap_or_default().to_vec();
        let row = self.chore_row(job)?;
        let held = self.hold(row);
        let write = match is_last {
            true => ChoreWrite::Delete { key: job, held },
            false => {
                let mut update = kept(row, held);
                update.payload = Some(written(&PartPayload { elements: left }));
                ChoreWrite::Update(update)
            }
        };
        let started =
            BatchUpdate { key: batch_of(row), started_at: Some(now), ..BatchUpdate::default() };
        Some(ChoreEnd {
            chores: vec![write],
            batches: match has_started {
                true => Vec::new(),
                false => vec![BatchWrite::Update(started)],
            },
            incidents_gone: if is_last { incidents_of(row) } else { Vec::new() },
        })
    }

    /// The element needs no change of an instance, or had one beside this.
    fn part_element_done(&mut self, job: JobKey, also: Change) {
        let Some(end) = self.part_progress(job) else { return };
        // What else is written about chores may be there for anyone to take.
        let afterwards = Afterwards::of(&also.chores);
        let mut change = also;
        change.chores.extend(end.chores);
        change.batches.extend(end.batches);
        change.incidents_gone.extend(end.incidents_gone);
        self.commit_alone(change, Sole::Part { job, afterwards });
    }

    pub(super) fn part_found(&mut self, job: JobKey, found: Found) {
        let Some(part) = self.part(job) else { return };
        let (work, element) = (part.work.clone(), part.element().unwrap_or_default());
        let Some(work) = work else {
            let Found::Batch(batch) = found else { return self.end_orphan(job) };
            if let Err(error) = self.known_work(&batch) {
                return self.part_failed(job, Failed::of(&error));
            }
            let known = self.chores.batches.get(batch.key).cloned();
            let known = known.expect("it has just been inserted");
            return self.part_knows(job, known.work, known.has_started);
        };
        match (&*work, found) {
            (_, Found::Job(row)) if row.instance.raw() == 0 => self.retry_chore(job, &work, &row),
            (_, Found::Job(row)) => match work.job_command(&row) {
                Some(command) => self.part_commands(job, row.instance, command),
                None => self.part_element_done(job, Change::default()),
            },
            (BatchWork::CorrelateMessage { name, variables }, Found::Subscriptions(rows)) => {
                self.correlate_part(job, name, variables, &rows);
            }
            (BatchWork::InstanceRestart { .. }, Found::Ended(row)) => {
                self.restart(job, &work, &row);
            }
            (BatchWork::HistoricInstanceDeletion, Found::Pruned(_))
            | (BatchWork::ProcessSetRemovalTime { .. }, Found::Count(_))
            | (BatchWork::BatchSetRemovalTime { .. }, Found::Count(1..)) => {
                self.part_element_done(job, Change::default());
            }
            (BatchWork::BatchSetRemovalTime { .. }, Found::Count(0)) => {
                let message = format!("batch {element} has not ended, or is gone");
                self.part_failed(job, Failed::of(&message));
            }
            _ => self.part_failed(job, Failed::of(&format!("there is no {element}"))),
        }
    }

    /// Another chore gets its retries.
    fn retry_chore(&mut self, job: JobKey, work: &BatchWork, row: &JobRow) {
        let update = match work {
            BatchWork::SetJobRetries { retries, due_ms } => {
                // No date means now where every job has one.
                let when_made = due_when_made(&self.config.settings, self.now);
                let due = due_ms.map(|at| at.map(Timestamp::from_ms).or(when_made));
                with_retries(row, *retries, due, self.now)
            }
            BatchWork::SetExternalTaskRetries { retries } => {
                with_retries(row, *retries, None, self.now)
            }
            BatchWork::MoveDeadLetters { .. } if row.state != JobState::Failed => {
                return self.part_element_done(job, Change::default());
            }
            BatchWork::MoveDeadLetters { retries } => {
                let update = with_retries(row, *retries, None, self.now);
                ChoreUpdate { state: JobState::Ready, ..update }
            }
            _ => return,
        };
        let write = ChoreWrite::Update(update);
        let mut also = Change::default();
        self.following(row, None).add(&mut also, row, &write);
        also.chores.push(write);
        self.part_element_done(job, also);
    }

    fn correlate_part(
        &mut self,
        job: JobKey,
        name: &str,
        variables: &str,
        rows: &[SubscriptionRow],
    ) {
        let [row] = rows else {
            let count = rows.len();
            let message = format!("{count} subscriptions for message {name}, not one");
            return self.part_failed(job, Failed::of(&message));
        };
        match Document::parse(variables) {
            Ok(variables) => {
                let command = Command::Trigger { subscription: row.key, variables };
                self.part_commands(job, row.instance, command);
            }
            Err(error) => self.part_failed(job, Failed::of(&error.to_string())),
        }
    }

    /// A new instance begins with what the ended one had at its end.
    fn restart(&mut self, job: JobKey, work: &BatchWork, ended: &EndedRow) {
        let BatchWork::InstanceRestart { definition, before, with_business_key } = work else {
            return;
        };
        let key = DefinitionKey::new(*definition);
        let Some(definition) = self.definitions.get(&key).cloned() else { return };
        let variables = match decode_variables(&ended.variables) {
            Ok(variables) => variables,
            Err(error) => return self.part_failed(job, Failed::of(&error.to_string())),
        };
        let instance = InstanceKey::new(self.keys.next(self.now));
        let tenant = ended.tenant.clone();
        let command = Command::Start(Start {
            instance,
            definition: key,
            tenant: tenant.clone(),
            business_key: ended.business_key.clone().filter(|_| *with_business_key),
            variables,
            awaited_by: None,
            started_with: None,
            at: None,
            before: before.iter().map(|id| ElementId::from(id.as_str())).collect(),
            tags: Arc::default(),
            stops_after: Vec::new(),
        });
        let slot = Slot {
            state: SlotState::Ready,
            definition: Some(definition),
            start: Some(Identity { tenant, awaited_by: None, started_with: None }),
            fresh: true,
            ..Slot::default()
        };
        self.slots.insert(instance, Box::new(slot));
        self.part_commands(job, instance, command);
    }

    pub(super) fn part_worked(&mut self, job: JobKey, ended: &Ended<'_>) {
        match ended {
            Ended::Done => self.part_went_on(job),
            Ended::Lost => self.abandon_chore(job),
            Ended::Refused(Error::Rejected(rejection)) if self.is_as_wanted(job, rejection) => {
                self.part_element_done(job, Change::default());
            }
            Ended::Refused(error @ Error::Internal(_)) => self.set_chore_aside(job, error),
            Ended::Refused(Error::Unavailable(_) | Error::ShuttingDown | Error::Overloaded(_)) => {
                self.abandon_chore(job)
            }
            Ended::Refused(error) => self.part_failed(job, Failed::of(&error.to_string())),
        }
    }

    /// Whether the refusal says that nothing is left to be done.
    fn is_as_wanted(&mut self, job: JobKey, rejection: &Rejection) -> bool {
        let Some(work) = self.part(job).and_then(|part| part.work.clone()) else { return false };
        match &*work {
            BatchWork::InstanceDeletion { .. } => {
                matches!(rejection, Rejection::InstanceNotFound(_))
            }
            BatchWork::InstanceUpdateSuspensionState { .. } => {
                matches!(rejection, Rejection::AlreadySuspended(_) | Rejection::NotSuspended(_))
            }
            BatchWork::MoveDeadLetters { .. } => matches!(rejection, Rejection::JobState { .. }),
            _ => false,
        }
    }

    /// An element is done, and that is on disk.
    pub(in crate::node) fn part_went_on(&mut self, job: JobKey) {
        let Some(part) = self.part(job) else { return };
        let is_last = part.is_last();
        part.done += 1;
        part.has_started = true;
        if let Some(batch) = self.chore_row(job).map(batch_of) {
            self.chores.batches.started(batch);
        }
        if is_last {
            self.count_success();
            return self.chore_over(job);
        }
        if self.phase == super::Phase::Running {
            self.part_step(job);
        }
    }

    pub(in crate::node) fn part_committed(&mut self, job: JobKey, ended: &Ended<'_>) {
        match ended {
            Ended::Done => self.part_went_on(job),
            Ended::Lost => self.abandon_chore(job),
            Ended::Refused(_) => {
                self.chore_concluded(job, Afterwards::default(), ended);
            }
        }
    }

    fn part_failed(&mut self, job: JobKey, failed: Failed) {
        let retry_at = self.retry_at();
        self.fail_chore(job, Failed { retry_at, ..failed });
    }
}

/// A chore that gets retries from outside. Without any it becomes a dead letter; with some it is
/// one no longer.
fn with_retries(
    row: &JobRow,
    retries: i32,
    due: Option<Option<Timestamp>>,
    now: Timestamp,
) -> ChoreUpdate {
    let mut update = ordered(row);
    update.retries_left = retries.max(0);
    update.due_at = due.unwrap_or(row.due_at);
    update.state = standing(row.state, update.retries_left, update.due_at, now);
    update
}
