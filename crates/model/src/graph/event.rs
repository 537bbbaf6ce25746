use std::sync::Arc;

use orloj_expr::Expression;

use super::element::ElementIndex;
use super::script::Script;
use super::task::{CallMapping, ServiceTask};

/// What an event waits for.
#[derive(Clone, Debug)]
pub enum Trigger {
    Timer(Timer),
    Message(MessageCatch),
    Signal(SignalCatch),
    Error(ErrorCatch),
    Escalation(EscalationCatch),
    Condition(Condition),
    Compensation,
    Cancel,
    /// Reached by the throw events of the same name, as by a flow.
    Link,
    /// An event of a registry that lies outside of the process.
    Registry(RegistryEvent),
    /// A variable that changes.
    Variable(VariableChange),
}

#[derive(Clone, Debug)]
pub struct StartEvent {
    /// `None`: started by hand, or by the token that comes to the subprocess.
    pub trigger: Option<Trigger>,
    /// Of an event subprocess: whether what else lies in its scope is ended.
    pub interrupting: bool,
    /// The variable that receives who started the instance.
    pub initiator: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct Boundary {
    pub attached_to: ElementIndex,
    pub interrupting: bool,
    pub trigger: Trigger,
}

/// What an end event does with its token.
pub type EndEvent = Throw;

#[derive(Clone, Debug)]
pub enum Throw {
    None,
    /// The message is sent by code or by a worker.
    Message(Box<ServiceTask>),
    Signal(SignalThrow),
    Error(ErrorThrow),
    /// The code; `None` throws an escalation without one.
    Escalation(Option<Expression>),
    Compensation(CompensationThrow),
    /// Of a transaction.
    Cancel,
    Terminate {
        /// The whole instance and those that called it, not only the scope.
        all: bool,
        /// The multi-instance body around it.
        multi_instance: bool,
    },
    /// The catch event of the same name.
    Link(ElementIndex),
    /// An event for a registry that lies outside of the process.
    Registry(RegistryEvent),
}

#[derive(Clone, Debug)]
pub struct Timer {
    pub kind: TimerKind,
    /// Gives ISO 8601 text, cron, a date or a duration.
    pub value: Expression,
    /// After this moment a repetition ends.
    pub end: Option<Expression>,
    /// Whether the timer's job is exclusive.
    pub exclusive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    Date,
    Duration,
    Cycle,
}

#[derive(Clone, Debug)]
pub struct MessageCatch {
    pub name: Expression,
    /// Which instance is meant, where messages carry a key.
    pub correlation_key: Option<Expression>,
}

#[derive(Clone, Debug)]
pub struct SignalCatch {
    pub name: Expression,
    /// Only signals of the same instance are heard.
    pub is_local: bool,
    /// What of the payload is kept, where the event says it.
    pub takes: Vec<CallMapping>,
}

#[derive(Clone, Debug)]
pub struct SignalThrow {
    pub name: Expression,
    pub is_local: bool,
    /// Heard only after the command, in jobs of their own.
    pub is_async: Option<super::element::SavePoint>,
    /// What goes along.
    pub payload: Vec<CallMapping>,
}

#[derive(Clone, Debug, Default)]
pub struct ErrorCatch {
    /// `None` catches every error.
    pub code: Option<Arc<str>>,
    /// Failures that it catches too: its code is the name of what they are in Java.
    pub failures: CaughtFailures,
    /// Variables that receive code and message when the error is caught.
    pub code_variable: Option<Arc<str>>,
    pub message_variable: Option<Arc<str>>,
    /// Of a boundary event: the code goes with the token and is no variable of the scope around.
    pub is_code_local: bool,
    /// The code lives only as long as the command.
    pub is_code_transient: bool,
    /// Variables made of what the error tells: `errorCode`, `errorMessage` and what it carries.
    pub inputs: Vec<CallMapping>,
}

/// Which failures an event for errors catches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaughtFailures {
    pub of_code: bool,
    pub of_expressions: bool,
}

#[derive(Clone, Debug)]
pub struct ErrorThrow {
    /// `None`: an error without code.
    pub code: Option<Expression>,
    pub message: Option<Expression>,
}

#[derive(Clone, Debug, Default)]
pub struct EscalationCatch {
    /// `None` catches every escalation.
    pub code: Option<Arc<str>>,
    pub code_variable: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct Condition {
    pub expression: Script,
    /// Only changes of this variable count.
    pub variable: Option<Arc<str>>,
    /// Only these kinds of change count; empty: all.
    pub events: Vec<VariableEvent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableEvent {
    Create,
    Update,
    Delete,
}

#[derive(Clone, Debug)]
pub struct VariableChange {
    pub variable: Arc<str>,
    /// That a variable is taken away is never heard.
    pub events: Vec<VariableEvent>,
}

impl VariableChange {
    pub fn hears(&self, event: VariableEvent) -> bool {
        event != VariableEvent::Delete && self.events.contains(&event)
    }
}

#[derive(Clone, Debug)]
pub struct CompensationThrow {
    /// Only this activity is undone.
    pub activity: Option<ElementIndex>,
    /// Whether the event waits until everything is undone.
    pub waits: bool,
}

#[derive(Clone, Debug)]
pub struct RegistryEvent {
    pub event_type: Expression,
    /// What tells the event that is meant from others of its type.
    pub correlation: Vec<Expression>,
    /// Of a start event: nothing waits until somebody asks for it.
    pub is_manual: bool,
}
