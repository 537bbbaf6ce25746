//! Tasks that the systems bring along: mail, shell, HTTP, cases, events of a registry, and web
//! services.

use std::collections::BTreeSet;

use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::{BuiltinTask, Field, SentEvent};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_children};
use crate::read::element::Surroundings;
use crate::read::expression::text;
use crate::read::extension::{extension_elements, is_read_by};
use crate::read::local_name;

const MAIL_FIELDS: &[&str] = &["to", "from", "cc", "bcc", "subject", "text", "html", "charset"];
const SHELL_FIELDS: &[&str] = &[
    "command",
    "arg1",
    "arg2",
    "arg3",
    "arg4",
    "arg5",
    "wait",
    "redirectError",
    "cleanEnv",
    "directory",
    "outputVariable",
    "errorCodeVariable",
];
/// The kind of a task that calls a web service.
const WEB_SERVICE: &str = "web-service";
const SHELL_FLAGS: &[&str] = &["wait", "redirectError", "cleanEnv"];

impl<'a> Context<'a> {
    pub fn builtin_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
        kind: &Written<'a>,
    ) -> Option<BuiltinTask> {
        let name = kind.text.to_ascii_lowercase();
        let mut fields = self.fields(subject, holder)?;
        let event = match &*name {
            "send-event" => Some(self.sent_event(subject)?),
            "case" => {
                fields.extend(self.case_fields(subject, holder)?);
                None
            }
            _ => {
                self.require_fields(subject, kind, &name, &fields)?;
                self.check_known_fields(subject, kind, &name, &fields)?;
                None
            }
        };
        let is_triggerable = self.is_triggerable(holder);
        let result_variable = self.result_variable_of(holder);
        let worker = self.worker(surroundings, subject, holder, text(&name));
        let mut worker = worker.with_result(result_variable.as_ref());
        if event.is_some() && is_triggerable {
            worker.outputs = self.parameters(subject, subject.node, "eventOutParameter");
        }
        Some(BuiltinTask {
            kind: (*name).into(),
            fields,
            result_variable,
            is_triggerable,
            connector: None,
            event,
            exceptions: self.exceptions(subject, holder)?,
            worker,
        })
    }

    /// `implementation="##WebService"`: an operation is optional, but if named it must exist.
    pub fn web_service_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<BuiltinTask> {
        let operation = self.attribute(subject.node, "operationRef").filter(|o| !o.text.is_empty());
        let root = subject.node.document().root_element();
        let known = self.operations.get_or_init(|| operations(root));
        let is_known = |id: &str| known.contains(id) || known.contains(local_name(id));
        if let Some(operation) = operation.as_ref().filter(|o| !is_known(&o.text)) {
            let message = format!(
                "operationRef of {} names {}, which is no operation of the file",
                subject.title(),
                quoted(&operation.text)
            );
            self.error_at(subject, operation.offset, "reference-unknown", message);
            return None;
        }
        let named = operation
            .map(|operation| Field { name: "operationRef".into(), value: text(&operation.text) });
        Some(BuiltinTask {
            kind: WEB_SERVICE.into(),
            fields: named.into_iter().collect(),
            result_variable: None,
            is_triggerable: false,
            connector: None,
            event: None,
            exceptions: self.exceptions(subject, subject.node)?,
            worker: self.worker(surroundings, subject, subject.node, text(WEB_SERVICE)),
        })
    }

    /// Each of the groups needs one of its fields.
    fn require_fields(
        &mut self,
        subject: &Subject<'a>,
        kind: &Written<'a>,
        name: &str,
        fields: &[Field],
    ) -> Option<()> {
        let is_flowable = self.dialect == Dialect::Flowable;
        let groups: &[&[&str]] = match name {
            "mail" if is_flowable => {
                &[&["to", "cc", "bcc"], &["text", "html", "textVar", "htmlVar"]]
            }
            "mail" => &[&["to"], &["text", "html"]],
            "shell" => &[&["command"]],
            "http" => &[&["requestMethod"], &["requestUrl"]],
            _ => &[],
        };
        let mut is_complete = true;
        for group in groups {
            // Only HTTP needs a value in the field.
            let is_filled = |field: &Field| {
                name != "http"
                    || field.value.as_constant().is_none_or(|v| !matches!(v, Value::Null))
            };
            if !fields.iter().any(|field| group.contains(&&*field.name) && is_filled(field)) {
                let wanted = group.join(" or ");
                let message = format!("{} of type {name} has no field {wanted}", subject.title());
                self.error_at(subject, kind.offset, "field-missing", message);
                is_complete = false;
            }
        }
        is_complete.then_some(())
    }

    /// Camunda sets the fields of its own tasks when they are deployed.
    fn check_known_fields(
        &mut self,
        subject: &Subject<'a>,
        kind: &Written<'a>,
        name: &str,
        fields: &[Field],
    ) -> Option<()> {
        if self.dialect != Dialect::Camunda7 {
            return Some(());
        }
        let known = if name == "mail" { MAIL_FIELDS } else { SHELL_FIELDS };
        let is_known = |field: &Field| field.name.is_empty() || known.contains(&&*field.name);
        let is_flag = |field: &Field| match field.value.as_constant() {
            Some(Value::Text(text)) if SHELL_FLAGS.contains(&&*field.name) => {
                matches!(&**text, "true" | "false")
            }
            _ => true,
        };
        let wrong = fields.iter().find(|field| !is_known(field) || !is_flag(field));
        let Some(wrong) = wrong else { return Some(()) };
        let message = format!(
            "the field {} of {} is not one of type {name}, or has no value it can have",
            quoted(&wrong.name),
            subject.title()
        );
        self.error_at(subject, kind.offset, "field-unknown", message);
        None
    }

    /// What names a case stands in attributes; they are kept as fields.
    fn case_fields(&mut self, subject: &Subject<'a>, holder: Node<'a>) -> Option<Vec<Field>> {
        let names = [
            "caseDefinitionKey",
            "caseInstanceName",
            "businessKey",
            "inheritBusinessKey",
            "sameDeployment",
            "fallbackToDefaultTenant",
            "idVariableName",
        ];
        let mut fields = Vec::new();
        for name in names {
            let written = self.extension_attribute(holder, name).filter(|w| !w.text.is_empty());
            let Some(written) = written else { continue };
            let value = self.late_value(subject, &written)?;
            fields.push(Field { name: name.into(), value });
        }
        if !fields.iter().any(|field| &*field.name == "caseDefinitionKey") {
            let message = format!("{} has no caseDefinitionKey", subject.title());
            self.error(subject, "field-missing", message);
            return None;
        }
        Some(fields)
    }

    /// The event that a send-event task sends. Its parts are elements, some with text.
    fn sent_event(&mut self, subject: &Subject<'a>) -> Option<SentEvent> {
        let node = subject.node;
        let event_type = self.extension_text(node, "eventType");
        let channel = self.extension_text(node, "channelKey");
        let has_system_channel = self.extension_nodes(node, "systemChannel").next().is_some();
        for (is_given, name) in [
            (event_type.is_some(), "eventType"),
            (channel.is_some() || has_system_channel, "channelKey"),
        ] {
            if !is_given {
                let message = format!("{} sends an event but has no {name}", subject.title());
                self.error(subject, "event-incomplete", message);
            }
        }
        let event_type = self.late_value(subject, &event_type?)?;
        let channel = match channel {
            Some(written) => Some(self.late_value(subject, &written)?),
            None if has_system_channel => None,
            None => return None,
        };
        let answer_type = match self.extension_text(node, "triggerEventType") {
            Some(written) => Some(self.late_value(subject, &written)?),
            None => None,
        };
        let mut correlation = Vec::new();
        let parameters: Vec<_> =
            self.extension_nodes(node, "triggerEventCorrelationParameter").collect();
        for parameter in parameters {
            let name = self.own_attribute(parameter, "name");
            let value = self.own_attribute(parameter, "value");
            if let (Some(name), Some(value)) = (name, value) {
                correlation.push(((*name.text).into(), self.late_value(subject, &value)?));
            }
        }
        let synchronous = self.extension_text(node, "sendSynchronously");
        Some(SentEvent {
            event_type,
            channel,
            inputs: self.parameters(subject, node, "eventInParameter"),
            answer_type,
            correlation,
            is_synchronous: synchronous.is_some_and(|flag| self.is_true(&flag.text)),
        })
    }

    fn extension_text(&self, node: Node<'a>, name: &str) -> Option<Written<'a>> {
        let found = self.extension_nodes(node, name).next()?;
        Some(self.content(found)).filter(|written| !written.text.is_empty())
    }

    /// The vendor's extensions of that name, in document order.
    pub fn extension_nodes<'n>(
        &self,
        node: Node<'a>,
        name: &'n str,
    ) -> impl Iterator<Item = Node<'a>> + use<'a, 'n> {
        let dialect = self.dialect;
        extension_elements(node)
            .filter(move |child| child.tag_name().name() == name && is_read_by(dialect, *child))
    }
}

fn operations<'a>(root: Node<'a>) -> BTreeSet<&'a str> {
    bpmn_children(root)
        .filter(|child| child.tag_name().name() == "interface")
        .flat_map(bpmn_children)
        .filter(|child| child.tag_name().name() == "operation")
        .filter_map(|operation| operation.attribute("id"))
        .collect()
}
