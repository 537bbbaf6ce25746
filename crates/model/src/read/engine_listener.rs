//! Flowable's listeners to events of the engine: code, or a signal, a message or an error.

use orloj_xml::quoted;

use crate::graph::{Code, EngineAction, EngineEvent, EngineListener};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::expression::bean_name;

/// Events of Flowable's engine that a listener can name.
const ENGINE_EVENTS: &[&str] = &[
    "ACTIVITY_CANCELLED",
    "ACTIVITY_COMPENSATE",
    "ACTIVITY_COMPLETED",
    "ACTIVITY_CONDITIONAL_RECEIVED",
    "ACTIVITY_CONDITIONAL_WAITING",
    "ACTIVITY_ERROR_RECEIVED",
    "ACTIVITY_ESCALATION_RECEIVED",
    "ACTIVITY_ESCALATION_WAITING",
    "ACTIVITY_MESSAGE_CANCELLED",
    "ACTIVITY_MESSAGE_RECEIVED",
    "ACTIVITY_MESSAGE_WAITING",
    "ACTIVITY_SIGNALED",
    "ACTIVITY_SIGNAL_WAITING",
    "ACTIVITY_STARTED",
    "BUSINESS_STATUS_UPDATED",
    "CASE_ENDED",
    "CASE_STARTED",
    "CHANGE_TENANT_ID",
    "CUSTOM",
    "ENGINE_CLOSED",
    "ENGINE_CREATED",
    "ENTITY_ACTIVATED",
    "ENTITY_CREATED",
    "ENTITY_DELETED",
    "ENTITY_INITIALIZED",
    "ENTITY_SUSPENDED",
    "ENTITY_UPDATED",
    "HISTORIC_ACTIVITY_INSTANCE_CREATED",
    "HISTORIC_ACTIVITY_INSTANCE_ENDED",
    "HISTORIC_PROCESS_INSTANCE_CREATED",
    "HISTORIC_PROCESS_INSTANCE_ENDED",
    "JOB_CANCELED",
    "JOB_EXECUTION_FAILURE",
    "JOB_EXECUTION_SUCCESS",
    "JOB_MOVED_TO_DEADLETTER",
    "JOB_REJECTED",
    "JOB_RESCHEDULED",
    "JOB_RETRIES_DECREMENTED",
    "MULTI_INSTANCE_ACTIVITY_CANCELLED",
    "MULTI_INSTANCE_ACTIVITY_COMPLETED",
    "MULTI_INSTANCE_ACTIVITY_COMPLETED_WITH_CONDITION",
    "MULTI_INSTANCE_ACTIVITY_STARTED",
    "PROCESS_CANCELLED",
    "PROCESS_COMPLETED",
    "PROCESS_COMPLETED_WITH_ERROR_END_EVENT",
    "PROCESS_COMPLETED_WITH_ESCALATION_END_EVENT",
    "PROCESS_COMPLETED_WITH_TERMINATE_END_EVENT",
    "PROCESS_CREATED",
    "PROCESS_STARTED",
    "SEQUENCEFLOW_TAKEN",
    "STAGE_ENDED",
    "STAGE_STARTED",
    "TASK_ASSIGNED",
    "TASK_COMPLETED",
    "TASK_CREATED",
    "TASK_DUEDATE_CHANGED",
    "TASK_NAME_CHANGED",
    "TASK_OWNER_CHANGED",
    "TASK_PRIORITY_CHANGED",
    "TIMER_FIRED",
    "TIMER_SCHEDULED",
    "VARIABLE_CREATED",
    "VARIABLE_DELETED",
    "VARIABLE_UPDATED",
];
const ENTITIES: &[&str] = &[
    "attachment",
    "comment",
    "execution",
    "identity-link",
    "job",
    "process-definition",
    "process-instance",
    "task",
];
/// Events that deploying the process itself brings about.
const DEPLOYMENT_EVENTS: &[&str] = &["ENTITY_CREATED", "ENTITY_INITIALIZED"];

/// What is written of a listener, as far as it is not empty.
struct Given<'a> {
    class: Option<Written<'a>>,
    delegate: Option<Written<'a>>,
    throws: Option<Written<'a>>,
    events: Option<Written<'a>>,
    entity: Option<Written<'a>>,
}

impl Given<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.events.iter().flat_map(|events| events.text.split(','));
        names.filter(|name| !name.is_empty())
    }
}

impl<'a> Context<'a> {
    pub fn engine_listeners(&mut self, subject: &Subject<'a>) -> Vec<EngineListener> {
        if self.dialect != Dialect::Flowable {
            return Vec::new();
        }
        let nodes: Vec<_> = self.extension_nodes(subject.node, "eventListener").collect();
        nodes.into_iter().filter_map(|node| self.engine_listener(subject, node)).collect()
    }

    fn engine_listener(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<EngineListener> {
        let given =
            |name: &str| self.own_attribute(node, name).filter(|found| !found.text.is_empty());
        let given = Given {
            class: given("class"),
            delegate: given("delegateExpression"),
            throws: given("throwEvent"),
            events: given("events"),
            entity: given("entityType"),
        };
        let code = match (&given.class, &given.delegate) {
            (Some(class), _) => Some(Code::Delegate(class.text.trim().into())),
            (None, Some(delegate)) => match bean_name(&delegate.text) {
                Some(bean) => Some(Code::Delegate(bean.into())),
                None => self.value(subject, delegate).map(Code::ComputedDelegate),
            },
            (None, None) => None,
        };
        let offset = node.range().start;
        if let Some(problem) = problem(&given) {
            let message = format!("an eventListener of {} {problem}", subject.title());
            self.error_at(subject, offset, "event-listener-invalid", message);
            return None;
        }
        let is_heard = |event: &EngineEvent| {
            let mut names = given.names();
            let is_of_entity =
                given.entity.as_ref().is_none_or(|entity| event.entity() == Some(&entity.text));
            is_of_entity && (given.events.is_none() || names.any(|name| name == event.word()))
        };
        let events: Vec<_> = EngineEvent::ALL.into_iter().filter(is_heard).collect();
        let is_known = |name: &str| EngineEvent::ALL.iter().any(|event| event.word() == name);
        let unheard: Vec<&str> = given.names().filter(|name| !is_known(name)).collect();
        if !unheard.is_empty() || events.is_empty() {
            let which = match unheard[..] {
                [] => "its events".to_owned(),
                _ => unheard.join(", "),
            };
            let message = format!("an eventListener of {} is not told of {which}", subject.title());
            self.warn_at(subject, offset, "ignored-extension", message);
        }
        let does = match (code, &given.throws) {
            (Some(code), _) => EngineAction::Code(code),
            (None, Some(kind)) => self.thrown_by_listener(node, &kind.text)?,
            (None, None) => return None,
        };
        Some(EngineListener { events, does })
    }

    fn thrown_by_listener(&self, node: Node<'a>, kind: &str) -> Option<EngineAction> {
        let text = |name: &str| self.own_attribute(node, name).map(|found| (*found.text).into());
        Some(match kind {
            "signal" => EngineAction::Signal { name: text("signalName")?, is_global: false },
            "globalSignal" => EngineAction::Signal { name: text("signalName")?, is_global: true },
            "message" => EngineAction::Message(text("messageName")?),
            "error" => EngineAction::Error(text("errorCode")?),
            _ => return None,
        })
    }
}

fn problem(given: &Given<'_>) -> Option<String> {
    let unknown = given.names().find(|name| !ENGINE_EVENTS.contains(name));
    let hears_deployment =
        given.events.is_none() || given.names().any(|name| DEPLOYMENT_EVENTS.contains(&name));
    let hears_definitions = given.entity.as_ref().is_none_or(|e| e.text == "process-definition");
    let problem = match (given.class.is_some() || given.delegate.is_some(), &given.throws) {
        (false, None) => Some("has none of class, delegateExpression and throwEvent".to_owned()),
        (false, Some(kind)) => match &*kind.text {
            "signal" | "message" | "error" if hears_deployment && hears_definitions => {
                Some("throws when the process is deployed, outside of any instance".to_owned())
            }
            "signal" | "globalSignal" | "message" | "error" => None,
            other => Some(format!("throws the unknown kind {}", quoted(other))),
        },
        (true, _) => None,
    };
    problem
        .or_else(|| unknown.map(|name| format!("has the unknown event {}", quoted(name))))
        .or_else(|| {
            let entity = given.entity.as_ref().filter(|e| !ENTITIES.contains(&&*e.text))?;
            Some(format!("has the unknown entity type {}", quoted(&entity.text)))
        })
}
