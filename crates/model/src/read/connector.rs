//! Camunda's connectors. The engine accepts them only where its connector library is installed.

use crate::graph::{BuiltinTask, Connector, ServiceTask};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::element::Surroundings;
use crate::read::expression::text;
use crate::read::extension::is_read_by;

/// The kind of a task that calls one.
const CONNECTOR: &str = "connector";

impl<'a> Context<'a> {
    pub fn connector_node(&self, subject: &Subject<'a>, holder: Node<'a>) -> Option<Node<'a>> {
        let of_holder = self.extension_nodes(holder, "connector").next();
        of_holder.or_else(|| self.extension_nodes(subject.node, "connector").next())
    }

    pub fn connector_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        connector: Node<'a>,
    ) -> Option<ServiceTask> {
        let offset = connector.range().start;
        if !self.has_connectors {
            let message = format!(
                "{} calls a connector, which is an error unless connectors are switched on",
                subject.title()
            );
            self.error_at(subject, offset, "connectors-off", message);
            return None;
        }
        let child = |name: &str| {
            connector.children().find(|child| {
                is_read_by(Dialect::Camunda7, *child) && child.tag_name().name() == name
            })
        };
        let written = child("connectorId").map(|id| self.content(id));
        let Some(written) = written.filter(|written| !written.text.is_empty()) else {
            let message = format!("the connector of {} has no connectorId", subject.title());
            self.error_at(subject, offset, "connector-id-missing", message);
            return None;
        };
        let id = self.value(subject, &written)?;
        let (inputs, outputs) = match child("inputOutput") {
            Some(holder) => self.parameter_mappings(subject, holder),
            None => (Vec::new(), Vec::new()),
        };
        Some(ServiceTask::Builtin(BuiltinTask {
            kind: CONNECTOR.into(),
            fields: Vec::new(),
            result_variable: None,
            is_triggerable: false,
            connector: Some(Connector { id, inputs, outputs }),
            event: None,
            exceptions: Vec::new(),
            worker: self.worker(surroundings, subject, connector, text(CONNECTOR)),
        }))
    }
}
