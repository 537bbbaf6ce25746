//! What a command wants to be the first to write, besides its instances: a message, a firing of a
//! start event, a step of a broadcast. Whoever comes second drops the command instead of repeating
//! it; what is left to do is looked up again.

use std::sync::Arc;

use orloj_store::{
    BroadcastKey, BroadcastWrite, Change, ChoreUpdate, ChoreWrite, FailureWrite, Held, JobRow,
    JobWrite, MessageKey, MessageRow, MessageTaken,
};
use orloj_types::{EngineName, InstanceKey, JobKey, ProcessId, TenantId, Timestamp};

use super::Node;
use super::bytes::change_bytes;
use super::chores::{Afterwards, ChoreEnd};
use super::event::{Reply, WorkOrigin};
use super::lane::Entry;
use super::slot::Attempt;
use crate::api::Error;
use crate::node::RequestId;

#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    /// The message that the command's process gets.
    pub takes: Option<MessageKey>,
    /// The end of the chore that has the command done, or a step of it.
    pub chore: Option<Box<ChoreEnd>>,
    pub broadcast: Option<BroadcastWrite>,
    /// A job that the command removes or stops, if nobody holds it.
    pub free: Option<JobKey>,
}

/// A change without an instance, and who waits for it.
#[derive(Debug)]
pub(crate) enum Sole {
    Published {
        id: RequestId,
        key: MessageKey,
        starts: bool,
    },
    Signalled {
        id: RequestId,
        key: BroadcastKey,
    },
    /// A broadcast is over.
    Told {
        key: BroadcastKey,
    },
    /// A chore that was waiting is ready.
    ChoreDue {
        job: JobKey,
    },
    /// A chore is done, or has failed.
    Chore {
        job: JobKey,
        afterwards: Afterwards,
    },
    /// With it go chores that waited for their turn here.
    Yielding {
        jobs: Vec<JobKey>,
        then: Box<Sole>,
    },
    /// A chore that was given back is unlocked.
    ChoreFreed {
        job: JobKey,
        afterwards: Afterwards,
    },
    /// A chore that someone wants done now is locked.
    ChoreLocked {
        id: RequestId,
        row: Box<JobRow>,
    },
    /// An element of a batch's part is done.
    Part {
        job: JobKey,
        afterwards: Afterwards,
    },
    /// A chore was suspended or activated.
    Suspension {
        number: u64,
        afterwards: Afterwards,
    },
    /// An operator has changed something that belongs to no instance.
    Written {
        id: RequestId,
        afterwards: Afterwards,
    },
}

/// How work that nobody outside of the node has asked for came to its end.
#[derive(Debug)]
pub(crate) enum Ended<'e> {
    Done,
    /// Someone else was faster.
    Lost,
    Refused(&'e Error),
}

/// A holder stays until it is removed; any moment that no clock will reach.
const NEVER: Timestamp = Timestamp::from_ms(253_402_300_799_000);

/// The row that keeps others from starting an instance of the process with the same key: its id
/// is unique in its channel. No message has such a name, for XML knows no such character.
pub(super) fn holder(
    engine: &EngineName,
    tenant: &TenantId,
    process: &ProcessId,
    instance: InstanceKey,
    key: &Arc<str>,
) -> MessageRow {
    MessageRow {
        key: holder_key(instance),
        engine: engine.clone(),
        tenant: tenant.clone(),
        name: format!("\u{1}{process}").into(),
        correlation_key: key.clone(),
        message_id: Some("holder".into()),
        variables: Vec::new(),
        expires_at: NEVER,
    }
}

pub(super) fn holder_key(instance: InstanceKey) -> MessageKey {
    MessageKey::new(instance.raw())
}

impl Node {
    pub(super) fn claim(&self, instance: InstanceKey, attempt: &Attempt, change: &mut Change) {
        let Some(claims) = attempt.work.claims.as_deref() else { return };
        let definition = self.slots.get(&instance).and_then(|slot| slot.definition.as_ref());
        if let (Some(message), Some(definition)) = (claims.takes, definition) {
            let process_id = definition.process.id.clone();
            change.messages_taken.push(MessageTaken { message, process_id });
        }
        if let Some(end) = claims.chore.as_deref() {
            change.chores.extend(end.chores.iter().cloned());
            change.batches.extend(end.batches.iter().cloned());
            change.incidents_gone.extend(end.incidents_gone.iter().copied());
            self.give_chores_tenant(change);
            self.follow_chores(change);
        }
        change.broadcasts.extend(claims.broadcast.clone());
    }

    /// What the command writes about a job that nobody may hold; a plain write does not ask.
    pub(super) fn claim_free(attempt: &Attempt, change: &mut Change) {
        let claims = attempt.work.claims.as_deref();
        let Some(key) = claims.and_then(|claims| claims.free) else { return };
        let is_it = |write: &JobWrite| match write {
            JobWrite::Update(update) => update.key == key,
            JobWrite::Delete(gone) => *gone == key,
            JobWrite::Insert(_) => false,
        };
        let Some(at) = change.jobs.iter().position(is_it) else { return };
        let held = Held::Free;
        change.chores.push(match change.jobs.remove(at) {
            JobWrite::Update(update) => ChoreWrite::Update(ChoreUpdate {
                key,
                held,
                state: update.state,
                retries_left: update.retries_left,
                priority: Some(update.priority),
                due_at: update.due_at,
                failure: FailureWrite::Keep,
                payload: None,
                lock: update.lock,
            }),
            JobWrite::Delete(_) | JobWrite::Insert(_) => ChoreWrite::Delete { key, held },
        });
    }

    /// A change of its own, that no other is merged with.
    pub(super) fn commit_sole(&mut self, key: i64, mut change: Change, sole: Sole) {
        self.give_chores_tenant(&mut change);
        let yielded = self.yield_chores(&mut change);
        let sole = match yielded.is_empty() {
            true => sole,
            false => Sole::Yielding { jobs: yielded, then: Box::new(sole) },
        };
        let family = InstanceKey::new(key);
        let lane = self.lane_of(family);
        let bytes = change_bytes(&change);
        let (done, settings) = (Vec::new(), self.known.version());
        let sole = Some(sole);
        self.lanes[lane].push(Entry { family, change, bytes, done, sole, settings });
    }

    pub(super) fn sole_ended(&mut self, sole: Sole, ended: &Ended<'_>) {
        match sole {
            Sole::Published { id, key, starts } => self.published(id, key, starts, ended),
            Sole::Signalled { id, key } => self.signalled(id, key, ended),
            Sole::Told { key } => self.broadcast_over(key, ended),
            Sole::ChoreDue { job } => self.chore_made_ready(job, ended),
            Sole::Chore { job, afterwards } => self.chore_concluded(job, afterwards, ended),
            Sole::Yielding { jobs, then } => {
                self.chores_yielded(&jobs, ended);
                self.sole_ended(*then, ended);
            }
            Sole::ChoreFreed { job, afterwards } => self.chore_freed(job, afterwards, ended),
            Sole::ChoreLocked { id, row } => self.chore_locked(id, row, ended),
            Sole::Part { job, afterwards } => {
                if matches!(ended, Ended::Done) {
                    self.look_afterwards(afterwards);
                }
                self.part_committed(job, ended);
            }
            Sole::Suspension { number, afterwards } => {
                self.chore_suspended(number, afterwards, ended);
            }
            Sole::Written { id, afterwards } => {
                if matches!(ended, Ended::Done) {
                    self.look_afterwards(afterwards);
                }
                self.written(id, ended);
            }
        }
    }

    /// Work of the node's own about messages, signals and start events.
    pub(super) fn event_ended(&mut self, origin: WorkOrigin, ended: &Ended<'_>) {
        match origin {
            WorkOrigin::Correlation { message } => self.correlated(message, ended),
            WorkOrigin::Told { publication } => self.told(publication, ended),
            WorkOrigin::Broadcast { key } => self.heard(key, ended),
            WorkOrigin::Chore { job } => self.chore_worked(job, ended),
            WorkOrigin::Suspension { number } => self.suspension_worked(number, ended),
            WorkOrigin::Overtaking { holder } => self.overtaken(holder),
            WorkOrigin::Client { id, .. } => self.written(id, ended),
            WorkOrigin::Engine { .. } | WorkOrigin::Due { .. } => {}
        }
    }

    /// Whoever wanted to be the first is told whether it was so.
    fn written(&mut self, id: RequestId, ended: &Ended<'_>) {
        let result = match ended {
            Ended::Done => Ok(Reply::Done),
            Ended::Lost => Err(Error::Overtaken),
            Ended::Refused(error) => Err((*error).clone()),
        };
        self.reply(id, result);
    }
}
