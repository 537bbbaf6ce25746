//! The walk over a file, without recursion.

use std::collections::BTreeSet;

use orloj_types::ElementId;
use orloj_xml::quoted;

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::dialect::XSI;
use crate::schema::content::{Assessed, Matcher, Misfit, name};
use crate::schema::simple::Simple;
use crate::schema::table::{SCHEMA, Schema, Space, Type, TypeIndex, TypeRef};

const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Reports what the standard forbids and nobody else has reported at the same place.
pub(crate) fn check<'a>(ctx: &mut Context<'a>, root: Node<'a>) {
    let mut walk = Walk { ctx, schema: &SCHEMA, ids: BTreeSet::new(), references: Vec::new() };
    let mut open = vec![(root, Assessed::Strict)];
    while let Some((node, assessed)) = open.pop() {
        walk.look_at(node, assessed, &mut open);
    }
    walk.resolve();
}

struct Walk<'c, 'a> {
    ctx: &'c mut Context<'a>,
    schema: &'static Schema,
    ids: BTreeSet<&'a str>,
    /// Names that must be ids, with where they stand.
    references: Vec<(Node<'a>, &'a str, usize)>,
}

impl<'a> Walk<'_, 'a> {
    fn look_at(
        &mut self,
        node: Node<'a>,
        assessed: Assessed,
        open: &mut Vec<(Node<'a>, Assessed)>,
    ) {
        let declared = || name(node).and_then(|name| self.schema.element(name));
        let of = match assessed {
            Assessed::As(of) => Some(of),
            Assessed::Lax => declared(),
            Assessed::Strict => match declared() {
                Some(of) => Some(of),
                None => {
                    let message =
                        format!("the element {} is unknown", quoted(node.tag_name().name()));
                    self.report(node, node.range().start, "schema-element-unknown", message);
                    None
                }
            },
        };
        match self.retyped(node, of) {
            Some(TypeRef::Simple(of)) => self.text(node, of),
            Some(TypeRef::Complex(of)) => self.complex(node, of, open),
            None => open.extend(elements(node).into_iter().rev().map(|n| (n, Assessed::Lax))),
        }
    }

    /// `xsi:type` names another type.
    fn retyped(&mut self, node: Node<'a>, of: Option<TypeRef>) -> Option<TypeRef> {
        let Some(written) = node.attribute((XSI, "type")) else { return of };
        let written = written.trim();
        let (namespace, name) = match written.split_once(':') {
            Some((prefix, name)) => (node.lookup_namespace_uri(Some(prefix)), name),
            None => (node.lookup_namespace_uri(None), written),
        };
        let found = Space::of(namespace).and_then(|space| self.schema.named((space, name)));
        if found.is_none() && of.is_some() {
            let message =
                format!("the type {} of a {} is unknown", quoted(written), node.tag_name().name());
            self.report(node, node.range().start, "schema-type-unknown", message);
        }
        found.map(TypeRef::Complex).or(of)
    }

    fn complex(&mut self, node: Node<'a>, of: TypeIndex, open: &mut Vec<(Node<'a>, Assessed)>) {
        let schema = self.schema;
        let of = schema.get(of);
        if of.is_abstract {
            let title = self.title(node);
            let message = format!("{title} is only a general form and cannot stand in a file");
            self.report(node, node.range().start, "schema-element-misplaced", message);
        }
        self.attributes(node, of);
        if !of.is_mixed {
            self.refuse_text(node);
        }
        let children = elements(node);
        let mut matcher = Matcher::new(schema, &children);
        let misfit = matcher.run(&of.content);
        let assessed = matcher.assessed;
        match misfit {
            None => {}
            Some(Misfit::Unexpected(child)) => {
                let title = self.title(node);
                let message = format!(
                    "{title} cannot contain the element {} here",
                    quoted(child.tag_name().name())
                );
                self.report(child, child.range().start, "schema-element-misplaced", message);
            }
            Some(Misfit::Incomplete(expected)) => {
                let message = format!("{} must contain {expected}", self.title(node));
                self.report(node, node.range().start, "schema-element-missing", message);
            }
        }
        open.extend(children.into_iter().zip(assessed).rev());
    }

    fn attributes(&mut self, node: Node<'a>, of: &'static Type) {
        for attribute in node.attributes() {
            let offset = attribute.range().start;
            let known = match attribute.namespace() {
                None => of.attributes.iter().find(|known| known.name == attribute.name()),
                Some(XSI) => continue,
                Some(namespace) => {
                    let is_own = Space::of(Some(namespace)) == Some(Space::Bpmn);
                    if (is_own || !of.has_other_attributes) && namespace != XML {
                        self.attribute_unknown(node, attribute.name(), offset);
                    }
                    continue;
                }
            };
            let known =
                known.filter(|known| !known.is_flowables || self.ctx.dialect == Dialect::Flowable);
            match known {
                Some(known) => {
                    let range = attribute.range_value();
                    self.value(node, known.of, attribute.value(), range.start);
                }
                None => self.attribute_unknown(node, attribute.name(), offset),
            }
        }
        for required in of.attributes.iter().filter(|known| known.is_required) {
            if node.attribute(required.name).is_none() {
                let message = format!("{} has no {}", self.title(node), required.name);
                self.report(node, node.range().start, "schema-attribute-missing", message);
            }
        }
    }

    fn attribute_unknown(&mut self, node: Node<'a>, name: &str, offset: usize) {
        let message = format!("{} cannot have the attribute {}", self.title(node), quoted(name));
        self.report(node, offset, "schema-attribute-unknown", message);
    }

    fn value(&mut self, node: Node<'a>, of: Simple, value: &'a str, offset: usize) {
        if let Some(problem) = of.problem(value, node) {
            let message = format!("{} of {} {problem}", quoted(value), self.title(node));
            self.report(node, offset, "schema-value-invalid", message);
            return;
        }
        let value = value.trim();
        match of {
            Simple::Id if !self.ids.insert(value) => {
                let message = format!("the id {} is used twice in the file", quoted(value));
                self.report(node, node.range().start, "id-repeated", message);
            }
            Simple::IdRef => self.references.push((node, value, offset)),
            _ => {}
        }
    }

    fn text(&mut self, node: Node<'a>, of: Simple) {
        for child in elements(node) {
            let message = format!("{} can contain only text", self.title(node));
            self.report(child, child.range().start, "schema-element-misplaced", message);
        }
        let text = node.text().unwrap_or_default();
        self.value(node, of, text, node.range().start);
    }

    fn refuse_text(&mut self, node: Node<'a>) {
        let is_words = |child: &Node<'a>| {
            child.is_text()
                && child.text().is_some_and(|t| !t.trim_matches([' ', '\t', '\n', '\r']).is_empty())
        };
        if let Some(words) = node.children().find(is_words) {
            let message = format!("{} cannot contain text", self.title(node));
            self.report(node, words.range().start, "schema-text-misplaced", message);
        }
    }

    fn resolve(&mut self) {
        for (node, value, offset) in std::mem::take(&mut self.references) {
            if !self.ids.contains(value) {
                let message =
                    format!("{} in {} is no id of the file", quoted(value), self.title(node));
                self.report(node, offset, "schema-reference-unknown", message);
            }
        }
    }

    fn title(&self, node: Node<'a>) -> String {
        match node.attribute("id") {
            Some(id) => format!("{} {}", node.tag_name().name(), quoted(id)),
            None => format!("a {}", node.tag_name().name()),
        }
    }

    fn report(&mut self, node: Node<'a>, offset: usize, code: &'static str, message: String) {
        if self.ctx.has_error_at(offset) {
            return;
        }
        let mut line = std::iter::successors(Some(node), Node::parent_element);
        let id = line.find_map(|node| node.attribute("id")).map(ElementId::from);
        self.ctx.error_at(&Subject { node, id }, offset, code, message);
    }
}

fn elements<'a>(node: Node<'a>) -> Vec<Node<'a>> {
    node.children().filter(|child| child.is_element()).collect()
}
