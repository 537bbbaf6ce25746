//! Instances at work: their newest state, committed or not, and the work that waits for it.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_executor::TakerId;
use orloj_interpreter::{CallName, InvokeResult, Record, Run};
use orloj_store::format::Stretch;
use orloj_store::{JobRow, Statement};
use orloj_types::{InstanceKey, NodeNumber, TenantId, Timestamp};

use super::event::{Work, WorkOrigin};
use crate::definition::Definition;

/// One instance as this node knows it.
///
/// `record` is the result of the last command interpreted here, whether committed or not;
/// commands of an instance are interpreted one after another on it. If a change is lost, the slot
/// is loaded again and everything not committed is interpreted anew.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    pub state: SlotState,
    /// `None` once loaded: there is no such instance, or it has ended.
    pub record: Option<Arc<Record>>,
    /// What `record` takes in memory, roughly.
    pub record_bytes: usize,
    /// What its values with rows of their own take.
    pub large_bytes: usize,
    /// Of `record`, when it will have been committed.
    pub rev: i32,
    /// History not yet in rows of its own.
    pub events: Stretch,
    pub definition: Option<Arc<Definition>>,
    /// Who a new instance is, until its record says so.
    pub start: Option<Identity>,
    pub waiting: VecDeque<Task>,
    /// Changes not yet committed.
    pub pending: u32,
    /// Calls of foreign code under way.
    pub calls: u32,
    /// Kept until then, for a command of another instance.
    pub lent_until: Timestamp,
    /// Stamp of the last use, for eviction.
    pub used: u64,
    /// When the store was last known to have `record`: it was read or written then.
    pub known_at: Timestamp,
    /// False when other nodes may have changed the instance since it was read.
    pub fresh: bool,
    /// The read under way has been sent, so it may be older than what is submitted now.
    pub is_load_sent: bool,
    /// Something was submitted after the read under way had been sent.
    pub has_late_task: bool,
    /// Which read `record` goes back to; a revision alone may be reached twice, once here and
    /// once by another node.
    pub loaded: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub tenant: TenantId,
    pub awaited_by: Option<NodeNumber>,
    pub started_with: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlotState {
    #[default]
    Loading,
    Ready,
    /// To be loaded again when nothing of it is under way: a rejection must not rest on a state
    /// that another node may have changed.
    Verifying,
}

/// Something to do with an instance once its state is there.
#[derive(Debug)]
pub(crate) enum Task {
    Work(Box<Work>),
    /// Work whose earlier attempt was lost; foreign code is not called again.
    Again(Box<Attempt>),
    /// Give the instance's state to a command of another one.
    Lend {
        leader: InstanceKey,
        attempt: Box<Attempt>,
    },
    /// Hand an acquired job to a worker.
    Deliver {
        taker: TakerId,
        row: Box<JobRow>,
    },
}

impl Task {
    pub fn is_engine_job(&self) -> bool {
        let origin = match self {
            Self::Work(work) => work.origin,
            Self::Again(attempt) | Self::Lend { attempt, .. } => attempt.work.origin,
            Self::Deliver { .. } => return false,
        };
        matches!(origin, WorkOrigin::Engine { .. })
    }
}

/// One command at work.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub work: Work,
    pub run: Run,
    /// The state it was interpreted on.
    pub basis: Basis,
    /// Other instances it was given, and their states.
    pub lent: Vec<(InstanceKey, Basis)>,
    /// They were read again because the command was refused.
    pub is_lent_verified: bool,
    /// What the application wants done with the step, by the calls that said so.
    pub attached: Vec<(CallName, Vec<Statement>)>,
}

impl Attempt {
    /// Before the run is resumed with the answer to the call.
    pub fn attach(&mut self, statements: Vec<Statement>) {
        if statements.is_empty() {
            return;
        }
        let call = self.run.call_at_work();
        self.attached.extend(call.map(|call| (call, statements)));
    }

    /// What is to be committed with the outcome: an answer that found no token any more asks for
    /// nothing.
    pub fn statements(&self) -> Vec<Statement> {
        let used = self.attached.iter().filter(|(call, _)| self.run.has_used(call));
        used.flat_map(|(_, statements)| statements).cloned().collect()
    }

    /// The call that attached the statement at this place has failed after all.
    pub fn fail_statement(&mut self, at: usize, reason: &str) {
        let used = self.attached.iter().filter(|(call, _)| self.run.has_used(call));
        let mut calls = used.flat_map(|(call, statements)| statements.iter().map(move |_| call));
        let Some(call) = calls.nth(at).cloned() else { return };
        let message = format!("an attached statement failed: {reason}").into();
        self.run.overrule(call.clone(), InvokeResult::Failed { message });
        self.attached.retain(|(known, _)| *known != call);
    }
}

/// The read a state goes back to, and the revision since.
pub(crate) type Basis = (u64, i32);

impl Slot {
    /// Roughly, for the bound of what is kept.
    pub fn bytes(&self) -> usize {
        const SLOT_BYTES: usize = 1_024;
        SLOT_BYTES + self.events.capacity() + self.record_bytes
    }

    /// Whether to read it takes longer than a step.
    pub fn is_large(&self) -> bool {
        const LARGE_BYTES: usize = 2 << 20;
        self.bytes() > LARGE_BYTES
    }

    /// Whether another node may long have changed the instance: foreign code must not be called
    /// with what has been true once.
    pub fn is_doubtful(&self, now: Timestamp, has_peers: bool) -> bool {
        /// What a commit says holds for as long as a job usually waits for its turn.
        const TRUE_FOR_MS: i64 = 1_000;
        let is_old = now.ms_since(self.known_at) > TRUE_FOR_MS;
        self.known_at == Timestamp::ZERO || (has_peers && is_old)
    }

    pub fn basis(&self) -> Basis {
        (self.loaded, self.rev)
    }

    /// The state is to be read again before the task is done.
    pub fn verify_before(&mut self, task: Task) {
        self.state = SlotState::Verifying;
        self.waiting.push_front(task);
    }

    pub fn is_idle(&self) -> bool {
        self.state == SlotState::Ready
            && self.pending == 0
            && self.calls == 0
            && self.waiting.is_empty()
    }
}
