//! One reason to wait, as the loop sees it.

use std::fmt;
use std::sync::Arc;

use orloj_types::{
    ElementInstanceKey, InstanceKey, JobKey, SubscriptionKey, Timestamp, UserTaskKey,
};

#[derive(Clone, Debug)]
pub struct Wait {
    pub kind: WaitKind,
    /// The element's name in traces.
    pub element: Arc<str>,
    /// Topic, message or signal; `None` where the kind has none.
    pub name: Option<Arc<str>>,
    /// When a job may run; `None`: at once, or it is no job.
    pub due_at: Option<Timestamp>,
    /// False for what the loop must leave alone: no retries left, or nobody could act on it.
    pub actionable: bool,
    /// The index in the nearest multi-instance around it; -1 outside of one.
    pub loop_counter: i64,
    /// Rises with creation.
    pub age: i64,
    pub handle: Handle,
    /// Under which failed actions are counted.
    pub counted_as: Handle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitKind {
    User,
    Worker,
    Async,
    Timer,
    Message,
    Signal,
    Receive,
    Condition,
    /// An event of Flowable's registry.
    Registry,
    /// A variable that is to change.
    Variable,
}

/// What to act on. Equal for the same wait as long as it is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Handle {
    Job {
        instance: InstanceKey,
        job: JobKey,
    },
    /// A timer of a definition.
    Start(JobKey),
    /// A signal that is heard in a job of its own.
    PendingSignal(JobKey),
    UserTask {
        instance: InstanceKey,
        task: UserTaskKey,
    },
    Subscription {
        instance: InstanceKey,
        subscription: SubscriptionKey,
    },
    /// All subscriptions of an element instance.
    Element {
        instance: InstanceKey,
        element_instance: ElementInstanceKey,
    },
}

impl WaitKind {
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Worker => "worker",
            Self::Async => "async",
            Self::Timer => "timer",
            Self::Message => "message",
            Self::Signal => "signal",
            Self::Receive => "receive",
            Self::Condition => "condition",
            Self::Registry => "event",
            Self::Variable => "variable",
        }
    }
}

impl fmt::Display for WaitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.kind, &self.element, self.name.as_deref()))
    }
}

/// The text of a wait in traces.
pub(crate) fn text(kind: WaitKind, element: &str, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{kind}:{element}:{name}"),
        None => format!("{kind}:{element}"),
    }
}
