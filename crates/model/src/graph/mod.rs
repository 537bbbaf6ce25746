//! The checked process graph: what the parser promises and the interpreter relies on.
//!
//! Dialects end here. Every difference of meaning between the compatible systems is an explicit
//! field of the graph; nothing downstream asks where a model came from. Every index is valid,
//! every expression parses, every reference resolves.

mod constructs;
mod decision;
mod element;
mod engine_listener;
mod event;
mod incident_names;
mod job_definition;
mod job_rules;
mod listener;
mod multi_instance;
mod process;
mod script;
mod semantics;
mod sources;
mod subprocess;
mod task;
mod timer_rules;
mod topic;
mod value_rules;

pub use constructs::{
    Catching, Choices, EventGateways, JoinReconsiders, Loops, Undoing, UndoneInstances,
};
pub use decision::{DecisionBinding, DecisionResult, DecisionTask, RulesShape};
pub use element::{
    Element, ElementIndex, ElementKind, Flow, FlowIndex, JobSettings, Mapping, MappingSource,
    SavePoint,
};
pub use engine_listener::{EngineAction, EngineEvent, EngineListener};
pub use event::{
    Boundary, CaughtFailures, CompensationThrow, Condition, EndEvent, ErrorCatch, ErrorThrow,
    EscalationCatch, MessageCatch, RegistryEvent, SignalCatch, SignalThrow, StartEvent, Throw,
    Timer, TimerKind, Trigger, VariableChange, VariableEvent,
};
pub use incident_names::IncidentNames;
pub use job_definition::{BODY_SUFFIX, JobDefinition, JobHandler};
pub use job_rules::JobRules;
pub use listener::{Code, Field, Listener, ListenerEvent, ListenerMoment, Timeout};
pub use multi_instance::{
    Aggregated, AggregatedSource, Aggregation, Items, MultiInstance, OutputCollection,
};
pub use process::{Contents, DataObject, HistoryDepth, Process, Scope, TimeToLive};
pub use script::{
    Place, Program, ProgramHost, ProgramLanguage, Script, ScriptLanguage, ScriptResource,
    ScriptTask,
};
pub use semantics::*;
pub use sources::{SourceSet, Sources};
pub use subprocess::{AdHoc, SubProcess, SubProcessKind};
pub use task::{
    BuiltinTask, CallActivity, CallBinding, CallMapping, CompletionVariables, ComputedHeader,
    Connector, DelegateTask, ExceptionMapping, ExpressionTask, FormReference, HeaderKind,
    LINKS_HEADER, LinkedResource, MappedFailures, RESERVED_HEADERS, ReceiveTask, SentEvent,
    ServiceTask, UserTask, WorkerError, WorkerTask,
};
pub use timer_rules::TimerRules;
pub(crate) use topic::topic_of;
pub use value_rules::ValueRules;
