//! One file as a tree, with a place for its problems.

use std::sync::Arc;

use orloj_xml::{Places, Position};
use roxmltree::{Document, Node};

use crate::diagnostic::{Diagnostic, Problems, Severity};

/// The namespaces of the model, DMN 1.1 to 1.5.
const MODEL: [&str; 6] = [
    "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "http://www.omg.org/spec/DMN/20151101/dmn11.xsd",
    "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "https://www.omg.org/spec/DMN/20230324/MODEL/",
];

pub(crate) struct Source<'a> {
    pub index: usize,
    pub root: Node<'a, 'a>,
    pub places: &'a Places<'a>,
}

impl<'a> Source<'a> {
    pub fn new(index: usize, tree: &'a Document<'a>, places: &'a Places<'a>) -> Self {
        Self { index, root: tree.root_element(), places }
    }

    pub fn position(&self, node: Node<'_, '_>) -> Position {
        self.places.position(node.range().start)
    }

    pub fn report(
        &self,
        diagnostics: &mut Problems,
        severity: Severity,
        position: Position,
        element: Option<&Arc<str>>,
        code: &'static str,
        message: String,
    ) {
        diagnostics.push(Diagnostic {
            severity,
            file: self.index,
            position,
            element: element.cloned(),
            code,
            message,
        });
    }
}

pub(crate) fn is_model(node: Node<'_, '_>) -> bool {
    node.is_element() && node.tag_name().namespace().is_some_and(is_model_namespace)
}

pub(crate) fn is_model_namespace(namespace: &str) -> bool {
    // Camunda's tools wrote 1.1 models with every one of these spellings.
    MODEL.contains(&namespace) || MODEL.contains(&namespace.trim_end_matches('/'))
}

pub(crate) fn children<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(|child| is_model(*child))
}

pub(crate) fn children_named<'a>(
    node: Node<'a, 'a>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    children(node).filter(move |child| child.tag_name().name() == name)
}

pub(crate) fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    children_named(node, name).next()
}
