//! The state of one instance: the only thing a command may read besides its definition.
//!
//! Equal records and equal commands give equal outcomes; saving and loading a record at any point
//! changes nothing. The stored form lives elsewhere and is converted by the runtime.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, NodeNumber,
    SubscriptionKey, TenantId, Timestamp, UserTaskKey, Variables,
};
use thin_vec::ThinVec;

use crate::elements::Elements;
use crate::exclusive::ExclusiveQueue;
use crate::scopes::Scopes;

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub started_at: Timestamp,
    /// The node where someone waits for the result, if someone does.
    pub awaited_by: Option<NodeNumber>,
    /// The key of the message that has started it, while no other instance of its process may be
    /// started with the same.
    pub started_with: Option<Arc<str>>,
    /// The call activity that waits for this instance.
    pub caller: Option<Caller>,
    /// The words it was started with; what it calls has them too.
    pub tags: Arc<[Arc<str>]>,
    /// It is cancelled when one of these elements has been completed.
    pub stops_after: Vec<ElementId>,
    /// The instance itself as a scope: what its event subprocesses wait for, and what can be
    /// undone in it. Its element has no name.
    pub root: Arc<ElementInstance>,
    /// Live element instances.
    pub elements: Elements,
    /// Variables by scope; the instance's own scope has the instance's number.
    pub variables: Scopes,
    pub exclusive: ExclusiveQueue,
    /// Jobs that an order has stopped while somebody may have had them locked, and those that wait
    /// behind such a one of another instance. Locks stay until their owners are done, so these, and
    /// exclusive ones beside them, are acquired and never handed over.
    pub still_held: BTreeSet<JobKey>,
    /// Nothing of it is worked on: its jobs are suspended, and no exclusive one is in the queue.
    pub is_suspended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    pub instance: InstanceKey,
    pub element_instance: ElementInstanceKey,
    /// The outermost instance of the hierarchy.
    pub root: InstanceKey,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ElementInstance {
    pub key: ElementInstanceKey,
    pub element: ElementId,
    /// The scope it lives in: another element instance, or the instance itself.
    pub scope: ElementInstanceKey,
    pub role: Role,
    pub state: ElementState,
    pub entered_at: Timestamp,
    /// The flow the token came by; joins need it. Empty where none led there. Of a token that
    /// leaves by a flow settled already, that one.
    pub arrived_by: Option<ElementId>,
    /// Durable reasons to wait: the element's own job and the timers of events that wait here.
    pub jobs: Vec<Job>,
    /// Other events that wait here: its own, those of its boundary events, and of a scope those
    /// of its event subprocesses.
    pub subscriptions: ThinVec<Subscription>,
    pub user_task: Option<UserTaskKey>,
    /// Whether somebody is to do the user task.
    pub is_assigned: bool,
    /// Of a user task that has listeners: what they are told of it.
    pub task: Option<Box<Task>>,
    /// What happens when everything that is asked first has been: see [`ElementState::Ending`].
    pub after: Option<Box<After>>,
    /// What a user task or worker was completed with, while listeners or a job of the engine's
    /// own come first. Until then what the worker's job gives to the worker beside the variables.
    pub held: Variables,
    /// The code of the error that a worker threw, until a job of the engine's own throws it on.
    pub thrown: Option<Arc<str>>,
    /// The instance that a call activity waits for.
    pub called: Option<InstanceKey>,
    /// Of a multi-instance body.
    pub multi: Option<Multi>,
    /// Of a scope: what was completed in it and can be undone, oldest first.
    pub compensations: ThinVec<Compensation>,
    /// Of an event that undoes: how many handlers it still waits for.
    pub undoing: u32,
    pub incident: Option<Incident>,
    /// Those that do not stop the element's own work: of the timers of boundary events, of what a
    /// call activity has called, and those that a client has opened.
    pub timer_incidents: ThinVec<Incident>,
}

impl ElementInstance {
    pub fn new(
        key: ElementInstanceKey,
        element: ElementId,
        scope: ElementInstanceKey,
        now: Timestamp,
    ) -> Self {
        Self {
            key,
            element,
            scope,
            role: Role::Plain,
            state: ElementState::Entering,
            entered_at: now,
            arrived_by: None,
            jobs: Vec::new(),
            subscriptions: ThinVec::new(),
            user_task: None,
            is_assigned: false,
            task: None,
            after: None,
            held: Variables::new(),
            thrown: None,
            called: None,
            multi: None,
            compensations: ThinVec::new(),
            undoing: 0,
            incident: None,
            timer_incidents: ThinVec::new(),
        }
    }

    /// The event that waits here by this timer; `None` for a job of the element's own.
    pub fn event_of(&self, job: JobKey) -> Option<&ElementId> {
        self.jobs.iter().find(|known| known.key == job).and_then(|job| match &job.kind {
            JobKind::Timer { event, .. } if *event != self.element => Some(event),
            _ => None,
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Plain,
    /// A multi-instance activity as a whole: the scope of its instances.
    Body,
    /// One instance of a multi-instance activity.
    Inner,
    /// Undoes an activity, for the event instance that asked for it.
    Handler,
    /// An event that has happened before a token came to it.
    Triggered,
    /// One activation inside of an ad-hoc subprocess: a scope with the name of the subprocess.
    Branch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementState {
    /// A save point before the element: its job has not run yet. Or the element could not begin.
    Entering,
    /// Entered; waits for a job, a user, a timer, or for the other tokens of a join.
    Active,
    /// A save point after the element: done, its job will take the outgoing flows.
    Leaving,
    /// Ended from outside, and gone as soon as the listeners of the user tasks in it have been
    /// asked.
    Ending,
}

/// A user task as those who listen to it know it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// It has this one from the beginning, though its row comes when the first listeners are done.
    pub key: UserTaskKey,
    /// With what listeners have corrected since.
    pub now: TaskProperties,
    /// As it was before what is happening to it.
    pub before: TaskProperties,
    /// Which of the element instance's variables are the task's own, and go with it.
    pub own: BTreeSet<Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskProperties {
    pub assignee: Option<Arc<str>>,
    pub candidate_groups: Vec<Arc<str>>,
    pub candidate_users: Vec<Arc<str>>,
    pub due_at: Option<Timestamp>,
    pub follow_up_at: Option<Timestamp>,
    pub priority: i64,
    pub form_key: Option<Arc<str>>,
    pub name: Option<Arc<str>>,
    pub description: Option<Arc<str>>,
    pub owner: Option<Arc<str>>,
    pub category: Option<Arc<str>>,
}

/// What an element instance or scope does when nothing is left in it to be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum After {
    /// This event of it occurs, with variables that came along.
    Event { event: ElementId, with: Variables },
    /// The ad-hoc subprocess is done.
    Completed,
    /// The instance has been cancelled.
    Cancelled,
}

/// An event that waits on an element instance or scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    pub key: SubscriptionKey,
    /// The event; a receive task waits for its own.
    pub event: ElementId,
    pub kind: SubscriptionKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SubscriptionKind {
    Message {
        name: Arc<str>,
        correlation_key: Option<Arc<str>>,
    },
    Signal {
        name: Arc<str>,
    },
    Condition,
    /// Continued from outside, by hand.
    Hand,
    /// An event of a registry outside of the process.
    Registry {
        event_type: Arc<str>,
    },
    Variable {
        name: Arc<str>,
    },
}

/// How far a multi-instance body is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Multi {
    pub total: u32,
    pub created: u32,
    pub completed: u32,
}

/// A completed activity that can be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Compensation {
    /// The activity that was completed.
    pub activity: ElementId,
    pub completed_at: Timestamp,
    /// Its own variables as they were at its end.
    pub variables: Variables,
    /// Of a scope: what can be undone inside.
    pub inner: ThinVec<Compensation>,
}

/// A job as the instance knows it. Locks are not part of it: they belong to the store's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub key: JobKey,
    pub kind: JobKind,
    /// Type or topic of worker jobs; of a timer of a user task's listener the listener's id.
    /// Of a job that looks after a multi-instance body: which instance made it. Empty for the
    /// rest of the engine's own.
    pub job_type: Arc<str>,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub exclusive: bool,
    /// When a waiting job becomes ready. Kept after it did.
    pub due_at: Option<Timestamp>,
    /// True once it failed: a retry cycle sets the retries at the first failure only.
    pub failed_before: bool,
    /// It was stopped while it was ready: whoever had locked it may still run it. Of exclusive jobs
    /// [`Record::still_held`] says so.
    pub still_held: bool,
    /// Which executors take it; the model's word, evaluated.
    pub category: Option<Arc<str>>,
    /// Jobs of the same key share a limit; evaluated.
    pub limit_key: Option<Arc<str>>,
    /// What a client is told besides what the model says literally; most have none.
    pub headers: Option<Headers>,
}

pub type Headers = Arc<[(Arc<str>, Arc<str>)]>;

#[derive(Clone, Debug, PartialEq)]
pub enum JobKind {
    AsyncBefore,
    AsyncAfter,
    /// A worker is done; the element goes on.
    AsyncComplete,
    /// Worked by a client.
    Worker,
    /// Worked by a client, for a listener of the element.
    Listener {
        /// Its place among the listeners of the element.
        index: u32,
    },
    /// Brings a signal to an event that waits, in a command of its own.
    Signal {
        subscription: SubscriptionKey,
        /// What the signal carries.
        variables: Variables,
    },
    /// Fires the timer event `event`, which is the element itself or one of its boundary events.
    Timer {
        event: ElementId,
        repeat: Option<Repeat>,
    },
}

impl JobKind {
    /// Whether a client does the work; to the executor such jobs do not exist.
    pub fn is_for_clients(&self) -> bool {
        matches!(self, Self::Worker | Self::Listener { .. })
    }
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
    /// It, its job definition or its instance is suspended. What it comes to when it is resumed
    /// follows from its due date and its retries.
    Suspended,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    pub key: IncidentKey,
    /// The word of the model's dialect, such as `JOB_NO_RETRIES`.
    pub kind: Arc<str>,
    /// The job it is about; without one, resolving repeats the failed step of the element.
    pub job: Option<JobKey>,
    /// The incident of the called instance that it tells of.
    pub cause: Option<IncidentKey>,
}

impl Record {
    pub fn element(&self, key: ElementInstanceKey) -> Option<&ElementInstance> {
        if key == self.instance.root_scope() {
            return Some(&self.root);
        }
        self.elements.get(key)
    }

    pub fn element_mut(&mut self, key: ElementInstanceKey) -> Option<&mut ElementInstance> {
        if key == self.instance.root_scope() {
            return Some(Arc::make_mut(&mut self.root));
        }
        self.elements.get_mut(key)
    }

    /// The instance itself and all live element instances.
    pub fn holders(&self) -> impl Iterator<Item = &ElementInstance> {
        std::iter::once(&*self.root).chain(&self.elements)
    }

    /// Those of [`Record::holders`] that have subscriptions.
    pub(crate) fn subscribed(&self) -> impl Iterator<Item = &ElementInstance> {
        std::iter::once(&*self.root).chain(self.elements.subscribed())
    }

    /// The job and the element instance it belongs to.
    pub fn job(&self, key: JobKey) -> Option<(&ElementInstance, &Job)> {
        let own = self.root.jobs.iter().find(|job| job.key == key);
        own.map(|job| (&*self.root, job)).or_else(|| self.elements.job(key))
    }

    pub fn subscription(&self, key: SubscriptionKey) -> Option<(&ElementInstance, &Subscription)> {
        let own = self.root.subscriptions.iter().find(|subscription| subscription.key == key);
        own.map(|found| (&*self.root, found)).or_else(|| self.elements.subscription(key))
    }

    /// The outermost instance of the hierarchy this one belongs to.
    pub fn hierarchy(&self) -> InstanceKey {
        self.caller.map_or(self.instance, |caller| caller.root)
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
        (scope != root).then(|| self.elements.get(scope).map_or(root, |e| e.scope))
    }
}
