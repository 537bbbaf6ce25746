//! What is still to be done in this command. An explicit list, so that a long chain of elements
//! costs time but no stack.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_model::{ElementIndex, FlowIndex, Walk};
use orloj_types::{ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Variables};

use crate::afterwards::Afterwards;
use crate::engine_events::Told;
use crate::errors::Throwing;
use crate::farewell::Farewell;
use crate::outcome::{IncidentEnd, Signal};
use crate::record::Role;
use crate::stage::Stage;

/// The variables that a token brings along.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brought {
    pub(crate) variables: Variables,
    /// Whose they were.
    pub(crate) from: ElementInstanceKey,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A token goes along a flow; `listener` is the next of the flow's listeners.
    Take { flow: FlowIndex, scope: ElementInstanceKey, listener: u32, with: Brought },
    /// A token comes to an element by no flow, with variables of its own.
    Arrive { element: ElementIndex, scope: ElementInstanceKey, role: Role, with: Variables },
    /// An element instance goes on.
    Go { key: ElementInstanceKey, stage: Stage },
    /// Perhaps nothing is left in a scope.
    Close { scope: ElementInstanceKey },
    /// An error or escalation looks for the event that catches it.
    Throw(Box<Throwing>),
    /// A signal that the instance has thrown is heard in it.
    Signal(Box<Signal>),
    /// An event that waited on `host` for its turn occurs.
    Occur { host: ElementInstanceKey, event: ElementIndex, with: Variables },
    /// The instance has ended: its caller goes on.
    Return,
    /// The instance that a call activity waited for is not needed any more.
    CancelCalled { instance: InstanceKey },
    /// Variables have changed: what watches them is asked.
    Conditions,
    /// The same, when nothing else is left to do.
    LastConditions,
    /// The variable listeners of all instances hear what there is to hear, this one's first.
    Listen,
    /// The next instruction of a modification.
    Instruct { next: usize },
    /// Events of another definition begin to wait.
    Resubscribe { key: ElementInstanceKey },
    /// An element instance was ended from outside and has something left to do.
    Farewell(Box<Farewell>),
    /// An exclusive job of another instance of the hierarchy has come to hold the queue of member
    /// `queue`, or was overtaken in it.
    Queued { job: JobKey, instance: InstanceKey, queue: MemberIndex },
    /// An exclusive job is in the queue of the outermost instance, from when the hierarchy had one,
    /// and leaves it.
    LeaveQueue { job: JobKey, root: InstanceKey },
    /// An incident is shown on the call activity that the instance belongs to.
    IncidentBelow { incident: IncidentKey, root_cause: IncidentKey, kind: Arc<str> },
    /// It is shown there no more.
    IncidentBelowClosed { incident: IncidentKey, how: IncidentEnd },
    /// A listener that has waited for the end of the command is called.
    Afterwards(Box<Afterwards>),
    /// A listener is told of an event of the engine.
    Tell(Told),
    /// The instance ends; `listener` is the next of its listeners.
    EndInstance { listener: u32 },
    /// The instance begins; `listener` is the next of its listeners.
    BeginInstance { starts: Box<[ElementIndex]>, listener: Option<u32> },
}

impl Step {
    /// The scope that is not empty as long as the step is to be done.
    fn token_in(&self) -> Option<ElementInstanceKey> {
        match self {
            Self::Take { scope, .. } | Self::Arrive { scope, .. } => Some(*scope),
            _ => None,
        }
    }
}

/// Which of the instances at work a step belongs to.
pub(crate) type MemberIndex = usize;

#[derive(Debug)]
pub(crate) struct Agenda {
    steps: VecDeque<(MemberIndex, Step)>,
    walk: Walk,
    /// How many steps at the front came from the step at work.
    fresh: usize,
    /// Tokens on their way, by the scope they go to.
    tokens: Tokens,
}

impl Agenda {
    pub(crate) fn new(walk: Walk) -> Self {
        Self { steps: VecDeque::new(), walk, fresh: 0, tokens: Tokens::default() }
    }

    pub(crate) fn push(&mut self, member: MemberIndex, step: Step) {
        self.count(member, &step);
        match self.walk {
            Walk::BreadthFirst | Walk::Halves => self.steps.push_back((member, step)),
            Walk::DepthFirst => {
                self.steps.insert(self.fresh, (member, step));
                self.fresh += 1;
            }
        }
    }

    /// The step comes before everything else: it is the rest of the one at work.
    pub(crate) fn push_next(&mut self, member: MemberIndex, step: Step) {
        self.count(member, &step);
        self.steps.push_front((member, step));
        self.fresh += 1;
    }

    /// As [`Self::push_next`], but a turn of its own where all that an element does is.
    pub(crate) fn push_turn(&mut self, member: MemberIndex, step: Step) {
        match self.walk {
            Walk::Halves => self.push(member, step),
            Walk::BreadthFirst | Walk::DepthFirst => self.push_next(member, step),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<(MemberIndex, Step)> {
        self.fresh = 0;
        let (member, step) = self.steps.pop_front()?;
        self.uncount(member, &step);
        Some((member, step))
    }

    /// Whether the beginning of an instance comes next.
    pub(crate) fn is_beginning(&self) -> bool {
        matches!(self.steps.front(), Some((_, Step::BeginInstance { .. })))
    }

    /// Whether a token is on its way into the scope.
    pub(crate) fn has_tokens(&self, member: MemberIndex, scope: ElementInstanceKey) -> bool {
        self.tokens.any(&(member, scope))
    }

    /// The elements that tokens on their way into a scope come to.
    pub(crate) fn tokens_in(
        &self,
        member: MemberIndex,
        scope: ElementInstanceKey,
        target: impl Fn(FlowIndex) -> ElementIndex,
    ) -> impl Iterator<Item = ElementIndex> {
        self.steps.iter().filter_map(move |(of, step)| match step {
            _ if *of != member => None,
            Step::Take { flow, scope: to, .. } if *to == scope => Some(target(*flow)),
            Step::Arrive { element, scope: to, .. } if *to == scope => Some(*element),
            _ => None,
        })
    }

    /// Whether the event, which waited on `host`, has its turn still before it.
    pub(crate) fn occurs(
        &self,
        member: MemberIndex,
        host: ElementInstanceKey,
        event: ElementIndex,
    ) -> bool {
        let is_it = |(of, step): &(MemberIndex, Step)| {
            matches!(step, Step::Occur { host: on, event: what, .. }
                if *of == member && *on == host && *what == event)
        };
        self.steps.iter().any(is_it)
    }

    /// Forgets what was to be done for element instances that are gone.
    pub(crate) fn forget(&mut self, member: MemberIndex, gone: &BTreeSet<ElementInstanceKey>) {
        self.retain(|of, step| {
            let about = match step {
                Step::Go { key, .. } | Step::Occur { host: key, .. } => Some(*key),
                Step::Close { scope } => Some(*scope),
                other => other.token_in(),
            };
            of != member || !about.is_some_and(|key| gone.contains(&key))
        });
    }

    /// Forgets the tokens on their way into a scope.
    pub(crate) fn forget_tokens(&mut self, member: MemberIndex, scope: ElementInstanceKey) {
        if self.has_tokens(member, scope) {
            self.retain(|of, step| of != member || step.token_in() != Some(scope));
        }
    }

    fn retain(&mut self, keep: impl Fn(MemberIndex, &Step) -> bool) {
        let fresh = self.fresh;
        let steps = std::mem::take(&mut self.steps);
        for (position, (member, step)) in steps.into_iter().enumerate() {
            if keep(member, &step) {
                self.steps.push_back((member, step));
                continue;
            }
            self.uncount(member, &step);
            if position < fresh {
                self.fresh -= 1;
            }
        }
    }

    fn count(&mut self, member: MemberIndex, step: &Step) {
        if let Some(scope) = step.token_in() {
            self.tokens.add((member, scope));
        }
    }

    fn uncount(&mut self, member: MemberIndex, step: &Step) {
        if let Some(scope) = step.token_in() {
            self.tokens.remove(&(member, scope));
        }
    }
}

/// How many tokens are on their way to each scope.
#[derive(Debug, Default)]
struct Tokens {
    /// Nearly every command has no other; it needs no memory of its own.
    first: (Scope, u32),
    others: BTreeMap<Scope, u32>,
}

type Scope = (MemberIndex, ElementInstanceKey);

impl Tokens {
    fn any(&self, scope: &Scope) -> bool {
        self.is_first(scope) || self.others.contains_key(scope)
    }

    fn add(&mut self, scope: Scope) {
        if self.is_first(&scope) {
            self.first.1 += 1;
        } else if self.first.1 == 0 && self.others.is_empty() {
            self.first = (scope, 1);
        } else {
            *self.others.entry(scope).or_default() += 1;
        }
    }

    fn remove(&mut self, scope: &Scope) {
        if self.is_first(scope) {
            self.first.1 -= 1;
        } else if let Some(count) = self.others.get_mut(scope) {
            *count -= 1;
            if *count == 0 {
                self.others.remove(scope);
            }
        }
    }

    fn is_first(&self, scope: &Scope) -> bool {
        self.first.1 > 0 && self.first.0 == *scope
    }
}
