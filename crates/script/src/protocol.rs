//! What passes between the pool and its children. Both are of one program, so that the format
//! needs no versions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::config::Limits;
use crate::wire_value::WireValue;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) task: Task,
    pub(crate) source: String,
    pub(crate) limits: Limits,
    pub(crate) sight: Sight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Compile only.
    Check,
    Run,
}

/// What the script may see.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sight {
    /// A JSON object: every variable by name, the nearest of that name.
    pub(crate) variables: String,
    /// Another one: what names stand for, where that is not the variables.
    pub(crate) inputs: Option<String>,
    /// Variables that scopes show otherwise: scope, then name.
    pub(crate) scoped: String,
    pub(crate) facts: BTreeMap<String, WireValue>,
    pub(crate) execution: bool,
    pub(crate) task: bool,
    /// `None`: every supported class.
    pub(crate) classes: Option<BTreeSet<String>>,
    pub(crate) auto_store: bool,
    pub(crate) now_ms: i64,
    pub(crate) seed: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) result: Result<WireValue, Problem>,
    pub(crate) effects: Vec<WireEffect>,
    pub(crate) printed: Vec<String>,
    pub(crate) printed_lost: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireEffect {
    pub(crate) kind: EffectKind,
    /// Without meaning for `Changed` and `SetFact`.
    pub(crate) scope: WireScope,
    pub(crate) name: String,
    pub(crate) value: WireValue,
}

/// As [`VariableScope`](crate::VariableScope).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WireScope {
    Nearest,
    Local,
    Instance,
    Parent,
    ParentLocal,
    Transient,
    TransientLocal,
    Element(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum EffectKind {
    Set,
    Remove,
    Changed,
    SetFact,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) message: String,
    /// Line and column, from one; zero when not known.
    pub(crate) place: (u32, u32),
}

impl Problem {
    /// Whose kind says it all.
    pub(crate) fn of(kind: ProblemKind) -> Self {
        Self { kind, message: String::new(), place: (0, 0) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ProblemKind {
    Syntax,
    BpmnError {
        code: String,
    },
    Exception {
        class: String,
    },
    Time,
    Memory,
    Stack,
    Rounds,
    AnswerSize,
    /// A value that contains itself has no end to write down.
    Cyclic,
}
