//! The state of one instance: the only thing a command may read besides its definition.
//!
//! Equal records and equal commands give equal outcomes; saving and loading a record at any point
//! changes nothing. The stored form lives elsewhere and is converted by the runtime.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, NodeNumber,
    TenantId, Timestamp, UserTaskKey, Variables,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub started_at: Timestamp,
    /// The node where someone waits for the result, if someone does.
    pub awaited_by: Option<NodeNumber>,
    /// Live element instances, oldest first.
    pub elements: Vec<ElementInstance>,
    /// Variables by scope; the instance's own scope has the instance's number.
    pub variables: BTreeMap<ElementInstanceKey, Variables>,
    pub exclusive: ExclusiveQueue,
}

/// At most one exclusive job of an instance is acquirable at a time; the others are parked here
/// and the next is promoted by the same change that ends, fails or delays the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExclusiveQueue {
    pub holder: Option<JobKey>,
    pub parked: VecDeque<JobKey>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ElementInstance {
    pub key: ElementInstanceKey,
    pub element: ElementId,
    /// The scope it lives in: another element instance, or the instance itself.
    pub scope: ElementInstanceKey,
    pub state: ElementState,
    pub entered_at: Timestamp,
    /// The flow the token came by; joins need it. Empty for a start event.
    pub arrived_by: Option<ElementId>,
    /// Durable reasons to wait: the element's own job and the timers of its boundary events.
    pub jobs: Vec<Job>,
    pub user_task: Option<UserTaskKey>,
    pub incident: Option<Incident>,
    /// Of the timers of boundary events, which fail apart from the element's own work.
    pub timer_incidents: Vec<Incident>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementState {
    /// A save point before the element: its job has not run yet.
    Entering,
    /// Entered; waits for a job, a user, a timer, or for the other tokens of a join.
    Active,
    /// A save point after the element: done, its job will take the outgoing flows.
    Leaving,
}

/// A job as the instance knows it. Locks are not part of it: they belong to the store's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub key: JobKey,
    pub kind: JobKind,
    /// Type or topic of worker jobs; empty for the engine's own.
    pub job_type: Arc<str>,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub exclusive: bool,
    /// When a waiting job becomes ready. Kept after it did.
    pub due_at: Option<Timestamp>,
    /// True once it failed: a retry cycle sets the retries at the first failure only.
    pub failed_before: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum JobKind {
    AsyncBefore,
    AsyncAfter,
    /// Worked by a client.
    Worker,
    /// Fires the timer event `event`, which is the element itself or one of its boundary events.
    Timer {
        event: ElementId,
        repeat: Option<Repeat>,
    },
}

/// The rest of a repeating timer. Firings are counted from the anchor, so that months stay months.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// The evaluated text, such as `R3/PT10S`.
    pub text: Arc<str>,
    pub anchor: Timestamp,
    /// Firings so far.
    pub fired: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    /// May be acquired now. An exclusive job in this state holds its instance's queue.
    Ready,
    /// Becomes ready at `due_at`: a timer, or a failed job in its delay.
    Waiting,
    /// Exclusive, and another one of the instance holds the queue.
    Parked,
    /// No retries left; an incident waits for a person.
    Failed,
    /// Its error found no catch event; an incident waits for a person.
    ErrorThrown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    pub key: IncidentKey,
    /// The word of the model's dialect, such as `JOB_NO_RETRIES`.
    pub kind: Arc<str>,
    /// The job it is about; without one, resolving repeats the failed step of the element.
    pub job: Option<JobKey>,
}

impl Record {
    pub fn element(&self, key: ElementInstanceKey) -> Option<&ElementInstance> {
        self.elements.iter().find(|e| e.key == key)
    }

    /// The job and the element instance it belongs to.
    pub fn job(&self, key: JobKey) -> Option<(&ElementInstance, &Job)> {
        self.elements.iter().find_map(|e| e.jobs.iter().find(|j| j.key == key).map(|j| (e, j)))
    }

    /// All variables visible from `scope`, the nearest winning.
    pub fn visible(&self, scope: ElementInstanceKey) -> Variables {
        let mut found = Variables::new();
        let mut next = Some(scope);
        while let Some(key) = next {
            if let Some(own) = self.variables.get(&key) {
                // Most elements see the variables of one scope only, which are shared then.
                if found.is_empty() {
                    found.clone_from(own);
                    next = self.outer(key);
                    continue;
                }
                for (name, value) in own {
                    if !found.contains_key(name) {
                        found.insert(name.clone(), value.clone());
                    }
                }
            }
            next = self.outer(key);
        }
        found
    }

    fn outer(&self, scope: ElementInstanceKey) -> Option<ElementInstanceKey> {
        let root = self.instance.root_scope();
        (scope != root).then(|| self.element(scope).map_or(root, |e| e.scope))
    }
}
