//! Signals that events throw and catch.

use orloj_expr::Expression;
use orloj_types::Value;

use crate::graph::SignalCatch;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::element::Surroundings;

impl<'a> Context<'a> {
    pub fn signal_catch(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<SignalCatch> {
        let (name, is_local) = self.signal(surroundings, subject, definition)?;
        let is_start =
            subject.tag() == "startEvent" && subject.node.parent_element().is_some_and(is_process);
        let name = match is_start {
            true => self.name_at_start(subject, name)?,
            false => name,
        };
        if is_start {
            self.check_start_name(subject, "the signal name", &name);
        }
        let takes = self.signal_takes(subject);
        Some(SignalCatch { name, is_local, takes })
    }

    /// Nobody is there yet whose variables could be looked at.
    fn name_at_start(&mut self, subject: &Subject<'a>, name: Expression) -> Option<Expression> {
        match self.constant(subject, &name) {
            Some(Value::Text(_)) => Some(name),
            // Flowable writes out what is no text.
            Some(value @ (Value::Int(_) | Value::Decimal(_) | Value::Bool(_)))
                if self.dialect == Dialect::Flowable =>
            {
                Some(Expression::constant(Value::text(value.to_json())))
            }
            _ => {
                let message = format!("the signal name of {} cannot be computed", subject.title());
                self.error(subject, "signal-name-computed", message);
                None
            }
        }
    }

    /// The name, and whether the signal stays in the instance.
    pub fn signal(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<(Expression, bool)> {
        let Some(written) = self.reference(definition, "signalRef") else {
            return self.signal_by_expression(subject, definition).map(|name| (name, false));
        };
        let Some(found) = surroundings.definitions.signal(definition, &written.text).cloned()
        else {
            self.unknown_reference(subject, &written, "signalRef", "signal");
            return None;
        };
        let name =
            found.word.filter(|name| self.dialect == Dialect::Camunda7 || !name.text.is_empty());
        let Some(name) = name else {
            // Camunda and Flowable have said so where the signal stands.
            if self.dialect == Dialect::Zeebe {
                let message = format!("{} has no name", found.subject.title());
                self.error(&found.subject, "signal-name-missing", message);
            }
            return None;
        };
        let scope = match self.dialect {
            Dialect::Flowable => self.extension_attribute(found.subject.node, "scope"),
            Dialect::Camunda7 | Dialect::Zeebe => None,
        };
        let is_local = scope.is_some_and(|scope| scope.text == "processInstance");
        Some((self.value(subject, &name)?, is_local))
    }

    fn signal_by_expression(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Expression> {
        let written = match self.dialect {
            Dialect::Flowable => self.extension_attribute(definition, "signalExpression"),
            Dialect::Camunda7 | Dialect::Zeebe => None,
        };
        let Some(written) = written.filter(|written| !written.text.is_empty()) else {
            let message = format!("{} refers to no signal", subject.title());
            self.error_at(subject, definition.range().start, "signal-missing", message);
            return None;
        };
        self.late_value(subject, &written)
    }
}

fn is_process(node: Node<'_>) -> bool {
    node.tag_name().name() == "process"
}
