//! Zeebe's input and output mappings.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::Mapping;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::dialect::ZEEBE;
use crate::read::expression::{is_zeebe_expression, text};

impl<'a> Context<'a> {
    /// Inputs and outputs, each in document order.
    pub fn mappings(&mut self, subject: &Subject<'a>) -> (Vec<Mapping>, Vec<Mapping>) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        if self.dialect != Dialect::Zeebe {
            return (inputs, outputs);
        }
        let Some(holder) = self.extension(subject, "ioMapping") else { return (inputs, outputs) };
        for node in holder.children().filter(|node| node.tag_name().namespace() == Some(ZEEBE)) {
            match node.tag_name().name() {
                "input" => {
                    let source = self.input_source(subject, node);
                    let target = self.mapping_target(subject, node);
                    inputs.extend(
                        source.zip(target).map(|(source, target)| Mapping { source, target }),
                    );
                }
                "output" => {
                    let source = self.output_source(subject, node);
                    let target = self.mapping_target(subject, node);
                    outputs.extend(
                        source.zip(target).map(|(source, target)| Mapping { source, target }),
                    );
                }
                _ => {}
            }
        }
        // The published engine never looks at them.
        if subject.tag().ends_with("Gateway") && !outputs.is_empty() {
            let message = format!("output mappings of {} have no effect", subject.title());
            self.warn_at(subject, holder.range().start, "ignored-mapping", message);
            outputs.clear();
        }
        (inputs, outputs)
    }

    /// A static source is always text here, unlike everywhere else in Zeebe's models.
    fn input_source(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Expression> {
        let Some(written) = self.own_attribute(node, "source") else {
            let message = format!("an input of {} has no source and gives null", subject.title());
            self.warn_at(subject, node.range().start, "mapping-source-missing", message);
            return Some(Expression::constant(Value::Null));
        };
        match is_zeebe_expression(&written.text) {
            true => self.value(subject, &written),
            false => Some(text(&written.text)),
        }
    }

    fn output_source(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Expression> {
        match self.own_attribute(node, "source") {
            Some(written) => self.expression_required(subject, &written, "the source of an output"),
            None => {
                let message = format!("an output of {} has no source", subject.title());
                self.error_at(subject, node.range().start, "mapping-source-missing", message);
                None
            }
        }
    }

    fn mapping_target(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Vec<Arc<str>>> {
        let Some(written) = self.own_attribute(node, "target") else {
            let message = format!("a mapping of {} has no target", subject.title());
            self.error_at(subject, node.range().start, "mapping-target-missing", message);
            return None;
        };
        if !written.text.split('.').all(is_variable_name) {
            let message = format!(
                "the target {} of a mapping of {} is no variable name",
                quoted(&written.text),
                subject.title()
            );
            self.error_at(subject, written.offset, "mapping-target-invalid", message);
            return None;
        }
        Some(written.text.split('.').map(Arc::from).collect())
    }
}

fn is_variable_name(part: &str) -> bool {
    let mut chars = part.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
