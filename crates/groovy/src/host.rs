use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{Document, Timestamp, Value};

use crate::budget::Budget;
use crate::diagnostic::Position;

/// What a script can know of the process it runs in.
pub trait Host {
    /// The variable as that scope shows it; `None` when there is none.
    fn variable(&self, scope: &VariableScope, name: &str) -> Option<Value>;

    /// Names of all variables that the scope shows.
    fn names(&self, scope: &VariableScope) -> Vec<Arc<str>>;

    /// What the script's names stand for, where that is not the variables that it sees.
    fn inputs(&self) -> Option<&Document> {
        None
    }

    /// What `execution` and `task` tell besides variables, by the names of [`facts`](crate::facts);
    /// `None`: not known, which reads as null.
    fn fact(&self, name: &str) -> Option<Value>;

    /// Whether there is a `task` beside `execution`.
    fn has_task(&self) -> bool {
        false
    }
}

/// Where a variable is looked for or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableScope {
    /// The innermost scope that has it, else the instance.
    Nearest,
    Local,
    Instance,
    /// As nearest and local, one scope further out.
    Parent,
    ParentLocal,
    /// The scope of the element with this id.
    Element(Arc<str>),
    /// Of the instance, gone when the transaction ends.
    Transient,
    TransientLocal,
}

/// What a script wants done, in order. Nothing was performed.
#[derive(Clone, Debug)]
pub enum Effect {
    Set {
        scope: VariableScope,
        name: Arc<str>,
        value: Value,
    },
    Remove {
        scope: VariableScope,
        name: Arc<str>,
    },
    /// A variable was changed in place: `list << item`.
    Changed {
        name: Arc<str>,
        value: Value,
    },
    /// A property of the instance or task: `businessKey`, `task.assignee` …
    SetFact {
        name: Arc<str>,
        value: Value,
    },
}

/// How a script is run. Nothing is read from the world besides these.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub dialect: Dialect,
    /// Assigning an undeclared name writes a variable (Flowable's `autoStoreVariables`, Camunda's
    /// `autoStoreScriptVariables`).
    pub auto_store: bool,
    pub now: Timestamp,
    /// Where `new Random()`, `Math.random()` and `UUID.randomUUID()` start.
    pub seed: u64,
    pub budget: Budget,
}

impl Options {
    pub fn new(dialect: Dialect, now: Timestamp) -> Self {
        Self { dialect, auto_store: false, now, seed: 0, budget: Budget::default() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Camunda7,
    Flowable,
}

/// What a run came to. Effects up to a failure are kept: a BPMN error is caught by the model, and
/// variables written before it stay written.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub result: Result<Value, Failure>,
    pub effects: Vec<Effect>,
    pub printed: Vec<String>,
    /// Lines that did not fit the budget.
    pub printed_lost: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("BPMN error '{code}' thrown by a script")]
    BpmnError { code: String, message: Option<String>, position: Position },
    #[error("{class}: {}, at {position}", .message.as_deref().unwrap_or("no message"))]
    Exception { class: &'static str, message: Option<String>, position: Position },
    #[error("the script needs more than {allowed} {limit}, at {position}")]
    Limit { limit: Limit, allowed: usize, position: Position },
}

/// Which part of a [`Budget`] was exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Steps,
    Depth,
    Bytes,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Depth => "levels of nesting",
            Self::Bytes => "bytes",
        })
    }
}

/// Variables only, all in one scope.
impl Host for BTreeMap<Arc<str>, Value> {
    fn variable(&self, _scope: &VariableScope, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }

    fn names(&self, _scope: &VariableScope) -> Vec<Arc<str>> {
        self.keys().cloned().collect()
    }

    fn fact(&self, _name: &str) -> Option<Value> {
        None
    }
}
