use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::ElementId;
use orloj_xml::Position;

use super::decision::DecisionTask;
use super::event::{Boundary, EndEvent, StartEvent, Throw, Trigger};
use super::listener::Listener;
use super::multi_instance::MultiInstance;
use super::script::{Script, ScriptTask};
use super::subprocess::{SubProcess, SubProcessKind};
use super::task::{CallActivity, ReceiveTask, ServiceTask, UserTask};
use crate::retry::RetryCycle;

/// Index into [`Process::elements`](super::Process::elements).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementIndex(pub u32);

/// Index into [`Process::flows`](super::Process::flows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowIndex(pub u32);

#[derive(Clone, Debug)]
pub struct Element {
    pub id: ElementId,
    /// Whether the file gives it the id; Camunda and Flowable take elements without one, and
    /// their history does not mention them.
    pub has_id: bool,
    pub name: Option<Arc<str>>,
    pub kind: ElementKind,
    /// The subprocess it lies in; `None`: the process itself.
    pub parent: Option<ElementIndex>,
    /// In document order of the flows.
    pub incoming: Vec<FlowIndex>,
    /// In the order the process visits siblings.
    pub outgoing: Vec<FlowIndex>,
    pub default_flow: Option<FlowIndex>,
    /// Boundary events attached here, in the order the process visits siblings. Those that wait
    /// for compensation are not among them.
    pub boundaries: Vec<ElementIndex>,
    /// Of a multi-instance activity: of its body.
    pub async_before: Option<SavePoint>,
    pub async_after: Option<SavePoint>,
    pub multi: Option<MultiInstance>,
    /// Runs only when something is undone.
    pub is_for_compensation: bool,
    /// The activity that undoes this one.
    pub compensation: Option<ElementIndex>,
    /// Execution listeners, and task listeners of user tasks, in document order.
    pub listeners: Vec<Listener>,
    /// Whether the element's work is left out.
    pub skip: Option<Expression>,
    pub jobs: JobSettings,
    pub inputs: Vec<Mapping>,
    pub outputs: Vec<Mapping>,
    pub position: Position,
}

impl Element {
    /// What the element waits for, where it is an event with a trigger.
    pub fn trigger(&self) -> Option<&Trigger> {
        match &self.kind {
            ElementKind::StartEvent(start) => start.trigger.as_ref(),
            ElementKind::CatchEvent(trigger) => trigger.as_ref(),
            ElementKind::BoundaryEvent(boundary) => Some(&boundary.trigger),
            _ => None,
        }
    }
}

/// An asynchronous continuation: the state is saved and a job carries on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavePoint {
    pub exclusive: bool,
}

/// How jobs of an element are made. Absent fields mean the process's own defaults.
#[derive(Clone, Debug, Default)]
pub struct JobSettings {
    pub retry_cycle: Option<RetryCycle>,
    /// Of asynchronous continuations and timers of the element.
    pub priority: Option<Expression>,
    /// Which executors take the jobs.
    pub category: Option<Expression>,
    /// Jobs that give the same value share the limit that is set for it.
    pub limit_key: Option<Expression>,
    /// The foreign code that the element calls, under the name that limits and circuit breakers
    /// count by. Empty: none.
    pub topic: Arc<str>,
}

#[derive(Clone, Debug)]
pub enum ElementKind {
    StartEvent(StartEvent),
    EndEvent(EndEvent),
    /// An intermediate event that waits. `None`: continued from outside, by hand.
    CatchEvent(Option<Trigger>),
    ThrowEvent(Throw),
    BoundaryEvent(Boundary),
    ServiceTask(ServiceTask),
    UserTask(UserTask),
    ScriptTask(ScriptTask),
    DecisionTask(DecisionTask),
    ReceiveTask(ReceiveTask),
    /// A manual task, or one of no kind: nothing is done.
    PlainTask,
    CallActivity(CallActivity),
    SubProcess(SubProcess),
    ExclusiveGateway,
    ParallelGateway,
    InclusiveGateway,
    EventGateway,
}

impl ElementKind {
    /// The word of the BPMN schema, for messages and history.
    pub fn name(&self) -> &'static str {
        match self {
            Self::StartEvent(_) => "startEvent",
            Self::EndEvent(_) => "endEvent",
            Self::CatchEvent(_) => "intermediateCatchEvent",
            Self::ThrowEvent(_) => "intermediateThrowEvent",
            Self::BoundaryEvent(_) => "boundaryEvent",
            Self::ServiceTask(ServiceTask::Worker(task)) if task.is_user_task => "userTask",
            Self::ServiceTask(_) => "serviceTask",
            Self::UserTask(_) => "userTask",
            Self::ScriptTask(_) => "scriptTask",
            Self::DecisionTask(_) => "businessRuleTask",
            Self::ReceiveTask(_) => "receiveTask",
            Self::PlainTask => "task",
            Self::CallActivity(_) => "callActivity",
            Self::SubProcess(inner) => match inner.kind {
                SubProcessKind::Embedded | SubProcessKind::Event => "subProcess",
                SubProcessKind::Transaction => "transaction",
                SubProcessKind::AdHoc(_) => "adHocSubProcess",
            },
            Self::ExclusiveGateway => "exclusiveGateway",
            Self::ParallelGateway => "parallelGateway",
            Self::InclusiveGateway => "inclusiveGateway",
            Self::EventGateway => "eventBasedGateway",
        }
    }

    pub fn is_gateway(&self) -> bool {
        matches!(
            self,
            Self::ExclusiveGateway
                | Self::ParallelGateway
                | Self::InclusiveGateway
                | Self::EventGateway
        )
    }

    /// A gateway at which tokens wait for others.
    pub fn is_join(&self) -> bool {
        matches!(self, Self::ParallelGateway | Self::InclusiveGateway)
    }

    /// Tasks, call activities and subprocesses.
    pub fn is_activity(&self) -> bool {
        !self.is_gateway()
            && !matches!(
                self,
                Self::StartEvent(_)
                    | Self::EndEvent(_)
                    | Self::CatchEvent(_)
                    | Self::ThrowEvent(_)
                    | Self::BoundaryEvent(_)
            )
    }

    /// An event subprocess, which no flow leads to.
    pub fn is_event_subprocess(&self) -> bool {
        matches!(self, Self::SubProcess(inner) if matches!(inner.kind, SubProcessKind::Event))
    }
}

/// One entry of an input/output mapping, in document order but for those of one object, which stand
/// together.
#[derive(Clone, Debug)]
pub struct Mapping {
    pub source: MappingSource,
    /// A dotted path: the last part is set inside the objects the others name.
    pub target: Vec<Arc<str>>,
}

/// What a mapping gives.
#[derive(Clone, Debug)]
pub enum MappingSource {
    Expression(Expression),
    /// A program or expression of another language, run as a script.
    Script(Script),
    List(Vec<MappingSource>),
    /// Keys are expressions too; what they give becomes text.
    Map(Vec<(Expression, MappingSource)>),
}

#[derive(Clone, Debug)]
pub struct Flow {
    pub id: ElementId,
    pub source: ElementIndex,
    pub target: ElementIndex,
    pub condition: Option<Script>,
    /// Called when a token takes the flow.
    pub listeners: Vec<Listener>,
    /// Whether the condition is left out and the flow not taken.
    pub skip: Option<Expression>,
}
