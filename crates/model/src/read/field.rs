//! `field` extensions: what is injected into code before it is called.

use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::Field;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::expression::text;
use crate::read::extension::{extension_elements, is_read_by};

/// A field as the model has it.
pub(crate) struct WrittenField<'a> {
    pub name: Written<'a>,
    pub value: Written<'a>,
    is_expression: bool,
}

impl<'a> Context<'a> {
    /// The fields of `holder`'s `extensionElements`; `None` when one of them is refused.
    pub fn fields(&mut self, subject: &Subject<'a>, holder: Node<'a>) -> Option<Vec<Field>> {
        let nodes = self.field_nodes(extension_elements(holder));
        self.read_fields(subject, nodes, false)
    }

    /// The fields directly inside a listener. Flowable parses these when the listener is called.
    pub fn listener_fields(
        &mut self,
        subject: &Subject<'a>,
        listener: Node<'a>,
    ) -> Option<Vec<Field>> {
        let children = listener.children().filter(|child| child.is_element());
        let nodes = self.field_nodes(children);
        self.read_fields(subject, nodes, true)
    }

    /// As written, for tasks whose fields say what the task is.
    pub fn written_fields(&self, holder: Node<'a>) -> Vec<WrittenField<'a>> {
        let nodes = self.field_nodes(extension_elements(holder));
        nodes.into_iter().filter_map(|node| self.written_field(node)).collect()
    }

    fn field_nodes(&self, nodes: impl Iterator<Item = Node<'a>>) -> Vec<Node<'a>> {
        let is_field =
            |node: &Node<'a>| node.tag_name().name() == "field" && is_read_by(self.dialect, *node);
        nodes.filter(is_field).collect()
    }

    fn read_fields(
        &mut self,
        subject: &Subject<'a>,
        nodes: Vec<Node<'a>>,
        is_late: bool,
    ) -> Option<Vec<Field>> {
        let mut fields = Vec::new();
        let mut is_valid = true;
        for node in nodes {
            match self.written_field(node) {
                Some(field) => match self.field_value(subject, &field, is_late) {
                    Some(value) => fields.push(Field { name: (*field.name.text).into(), value }),
                    None => is_valid = false,
                },
                // For Flowable a field without a value is there all the same.
                None if self.dialect == Dialect::Flowable => {
                    let name = self.own_attribute(node, "name").map_or("".into(), |n| n.text);
                    let value = Expression::constant(Value::Null);
                    fields.push(Field { name: (*name).into(), value });
                }
                None => {
                    let name = self.attribute(node, "name").map_or("".into(), |name| name.text);
                    let message =
                        format!("the field {} of {} has no value", quoted(&name), subject.title());
                    self.error_at(subject, node.range().start, "field-empty", message);
                    is_valid = false;
                }
            }
        }
        is_valid.then_some(fields)
    }

    /// The string wins over the expression and the attribute over the child.
    fn written_field(&self, node: Node<'a>) -> Option<WrittenField<'a>> {
        let missing_name = || Written::made(String::new(), node.range().start);
        let name = self.own_attribute(node, "name").unwrap_or_else(missing_name);
        for (attribute, child, is_expression) in
            [("stringValue", "string", false), ("expression", "expression", true)]
        {
            // For Flowable an empty attribute is a value, an empty child is none.
            let is_filled =
                |given: &Written<'a>| self.dialect == Dialect::Flowable || !given.text.is_empty();
            let given = self.own_attribute(node, attribute).filter(is_filled);
            let found = node.children().find(|n| n.is_element() && n.tag_name().name() == child);
            let inside = || found.map(|found| self.content(found)).filter(|w| !w.text.is_empty());
            if let Some(value) = given.or_else(inside) {
                return Some(WrittenField { name, value, is_expression });
            }
        }
        None
    }

    fn field_value(
        &mut self,
        subject: &Subject<'a>,
        field: &WrittenField<'a>,
        is_late: bool,
    ) -> Option<Expression> {
        match (field.is_expression, is_late) {
            (false, _) => Some(text(&field.value.text)),
            (true, false) => self.value(subject, &field.value),
            (true, true) => self.late_value(subject, &field.value),
        }
    }
}
