//! BPMN files with their vendors' extensions, read into a checked process graph.
//!
//! [`parse`] takes untrusted bytes and answers either with graphs that the interpreter may rely
//! on, or with every problem of the file and its place. It never panics, and its cost is linear
//! in the size of the file. Dialects end here: what Camunda 7, Flowable and Zeebe mean
//! differently is a field of the graph.

mod advice;
mod check;
mod diagnostic;
mod graph;
mod hook;
mod options;
mod parse;
mod read;
mod references;
mod retry;
mod schema;
mod semantics;

pub use orloj_xml::{
    ATTRIBUTES_MAX, DEPTH_MAX, ELEMENTS_MAX, INPUT_BYTES_MAX, NAMESPACES_MAX, Position,
};

pub use advice::advise;
pub use check::CHECKS;
pub use diagnostic::{DIAGNOSTICS_MAX, Diagnostic, MESSAGE_CHARS_MAX, Severity};
pub use graph::{
    AdHoc, Aggregated, AggregatedSource, Aggregation, BODY_SUFFIX, Boundary, BuiltinTask,
    CallActivity, CallBinding, CallMapping, Cancelling, Catching, CaughtFailures, Choices, Code,
    CompensationThrow, CompletionVariables, ComputedHeader, Condition, Conditions, Connector,
    Contents, DataObject, DecisionBinding, DecisionResult, DecisionTask, DelegateTask, Element,
    ElementIndex, ElementKind, EndEvent, EndListeners, EngineAction, EngineEvent, EngineListener,
    ErrorCatch, ErrorThrow, EscalationCatch, EventGateways, ExceptionMapping, ExpressionTask,
    Failures, Field, Flow, FlowIndex, FormReference, HeaderKind, HistoryDepth, IncidentNames,
    Items, JobDefinition, JobHandler, JobRules, JobSettings, JoinReconsiders, Joins, LINKS_HEADER,
    LinkedResource, Listener, ListenerEvent, ListenerMoment, Locals, Loops, MappedFailures,
    Mapping, MappingSource, MessageCatch, MultiInstance, OutputCollection, Place, Process, Program,
    ProgramHost, ProgramLanguage, RESERVED_HEADERS, ReceiveTask, RegistryEvent, RulesShape,
    SavePoint, Scope, Script, ScriptLanguage, ScriptResource, ScriptTask, Semantics, SentEvent,
    ServiceTask, SiblingOrder, SignalCatch, SignalThrow, SourceSet, Sources, StartEvent,
    SubProcess, SubProcessKind, TaskEvents, Throw, TimeToLive, Timeout, Timer, TimerKind,
    TimerRules, Trigger, UncaughtError, Undoing, UndoneInstances, UserTask, ValueRules,
    VariableChange, VariableEvent, Walk, WorkerError, WorkerTask,
};
pub use hook::{
    AddedListener, AddedListenerEvent, ElementParts, FlowParts, Matching, NotedTransforms,
    ParseHook, PriorityValue, ProcessParts, Setting, Source, Transform, TransformError, Transforms,
};
pub use options::{Dialect, Options};
pub use parse::{Parsed, parse};
pub use read::limits::{ID_CHARS_MAX, JOB_TYPE_BYTES_MAX};
pub use references::{DeploymentReference, ReferenceKind};
pub use retry::{RetryCycle, RetryError, RetryPlan, TRIES_MAX, WAITS_MAX, Wait};
