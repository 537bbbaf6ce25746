//! What is written on a process and not on its elements.

use orloj_xml::quoted;

use crate::graph::TimeToLive;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};

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

impl<'a> Context<'a> {
    /// Everything of a process that is only checked.
    pub fn check_process_settings(&mut self, subject: &Subject<'a>) {
        for name in ["candidateStarterUsers", "candidateStarterGroups"] {
            let written = self.extension_attribute(subject.node, name);
            if let Some(written) = written.filter(|_| self.dialect != Dialect::Zeebe) {
                // Only whether it parses matters.
                let _ = self.value(subject, &written);
            }
        }
        match self.dialect {
            Dialect::Zeebe => {}
            // Checked where it is read.
            Dialect::Camunda7 => {}
            Dialect::Flowable => {
                let nodes: Vec<_> = self.extension_nodes(subject.node, "eventListener").collect();
                for node in nodes {
                    self.check_event_listener(subject, node);
                }
            }
        }
    }

    /// `P5D` or a number of days; nothing at all is something else than no attribute.
    pub fn time_to_live(&mut self, subject: &Subject<'a>) -> Option<TimeToLive> {
        if self.dialect != Dialect::Camunda7 {
            return None;
        }
        let written = self.extension_attribute(subject.node, "historyTimeToLive")?;
        let text = &*written.text;
        if text.is_empty() {
            return Some(TimeToLive::Unlimited);
        }
        let days = text.strip_prefix('P').and_then(|rest| rest.strip_suffix('D')).unwrap_or(text);
        let number = days.parse::<u32>().ok().filter(|days| i32::try_from(*days).is_ok());
        if number.is_none() || !days.starts_with(|c: char| c.is_ascii_digit()) {
            let message = format!(
                "historyTimeToLive of {} is neither a number of days nor like P5D but {}",
                subject.title(),
                quoted(text)
            );
            self.error_at(subject, written.offset, "time-to-live-invalid", message);
            return None;
        }
        number.map(TimeToLive::Days)
    }

    /// Flowable: code, signals, messages and errors for events of the engine. They have no effect
    /// yet, but wrong ones are refused.
    fn check_event_listener(&mut self, subject: &Subject<'a>, node: Node<'a>) {
        let given = |ctx: &Self, name: &str| {
            ctx.own_attribute(node, name).filter(|found| !found.text.is_empty())
        };
        let class = given(self, "class");
        let delegate = given(self, "delegateExpression");
        let throws = given(self, "throwEvent");
        let events = given(self, "events");
        let entity = given(self, "entityType");
        let names: Vec<&str> = events.iter().flat_map(|events| events.text.split(',')).collect();
        let unknown = names.iter().find(|name| !name.is_empty() && !ENGINE_EVENTS.contains(name));
        let hears_deployment =
            names.is_empty() || names.iter().any(|name| DEPLOYMENT_EVENTS.contains(name));
        let hears_definitions = entity.as_ref().is_none_or(|e| e.text == "process-definition");
        let problem = match (class.is_some() || delegate.is_some(), &throws) {
            (false, None) => {
                Some("has none of class, delegateExpression and throwEvent".to_owned())
            }
            (false, Some(kind)) => match &*kind.text {
                "signal" | "message" | "error" if hears_deployment && hears_definitions => {
                    Some("throws when the process is deployed, outside of any instance".to_owned())
                }
                "signal" | "globalSignal" | "message" | "error" => None,
                other => Some(format!("throws the unknown kind {}", quoted(other))),
            },
            (true, _) => None,
        };
        let problem = problem
            .or_else(|| unknown.map(|name| format!("has the unknown event {}", quoted(name))))
            .or_else(|| {
                let entity = entity.filter(|entity| !ENTITIES.contains(&&*entity.text))?;
                Some(format!("has the unknown entity type {}", quoted(&entity.text)))
            });
        if let Some(written) = delegate {
            // Only whether it parses matters.
            let _ = self.value(subject, &written);
        }
        let offset = node.range().start;
        match problem {
            Some(problem) => {
                let message = format!("an eventListener of {} {problem}", subject.title());
                self.error_at(subject, offset, "event-listener-invalid", message);
            }
            None => {
                let message = format!("an eventListener of {} has no effect yet", subject.title());
                self.warn_at(subject, offset, "ignored-extension", message);
            }
        }
    }
}
