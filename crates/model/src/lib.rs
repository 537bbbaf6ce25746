//! BPMN files with their vendors' extensions, read into a checked process graph.
//!
//! [`parse`] takes untrusted bytes and answers either with graphs that the interpreter may rely
//! on, or with every problem of the file and its place. It never panics, and its cost is linear
//! in the size of the file. Dialects end here: what Camunda 7, Flowable and Zeebe mean
//! differently is a field of the graph.

mod check;
mod diagnostic;
mod graph;
mod options;
mod parse;
mod read;
mod retry;
mod semantics;

pub use orloj_xml::{
    ATTRIBUTES_MAX, DEPTH_MAX, ELEMENTS_MAX, INPUT_BYTES_MAX, NAMESPACES_MAX, Position,
};

pub use diagnostic::{DIAGNOSTICS_MAX, Diagnostic, MESSAGE_CHARS_MAX, Severity};
pub use graph::{
    CompletionVariables, DecisionBinding, DecisionResult, DecisionTask, DelegateTask, Element,
    ElementIndex, ElementKind, ErrorCatch, Failures, Flow, FlowIndex, IncidentNames, JobSettings,
    Joins, Mapping, MissedFirings, Place, Process, Program, ProgramHost, ProgramLanguage,
    RulesShape, SavePoint, Script, ScriptTask, Semantics, ServiceTask, SiblingOrder, Timer,
    TimerKind, UncaughtError, UserTask, Walk, WorkerTask,
};
pub use options::{Dialect, Options};
pub use parse::{Parsed, parse};
pub use read::limits::{ID_CHARS_MAX, JOB_TYPE_BYTES_MAX};
pub use retry::{RetryCycle, RetryError, RetryPlan, TRIES_MAX, WAITS_MAX, Wait};
