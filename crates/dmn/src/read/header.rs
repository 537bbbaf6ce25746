//! First pass over a file: what it declares, without the logic inside.
//!
//! The logic can be read only when the names that it sees are known, because names may contain
//! spaces and operators, and these names may come from other files.

use std::sync::Arc;

use orloj_xml::{Position, quoted};
use roxmltree::Node;

use crate::diagnostic::{Problems, Severity};
use crate::options::Mode;
use crate::read::source::{Source, child, children, children_named, is_model, is_model_namespace};
use crate::read::written::{Written, attribute};

const CAMUNDA: &str = "http://camunda.org/schema/1.0/dmn";
const ZEEBE: &str = "http://camunda.org/schema/zeebe/1.0";

pub(crate) struct Header<'a> {
    pub source: Source<'a>,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub namespace: Arc<str>,
    pub language: Option<&'a str>,
    pub imports: Vec<Import<'a>>,
    pub items: Vec<Node<'a, 'a>>,
    pub nodes: Vec<NodeHeader<'a>>,
}

pub(crate) struct Import<'a> {
    /// Empty: what is imported is named without a prefix.
    pub name: Arc<str>,
    pub namespace: &'a str,
    pub position: Position,
    pub is_model: bool,
}

pub(crate) struct NodeHeader<'a> {
    pub kind: HeaderKind,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub variable: Arc<str>,
    pub type_ref: Option<Written<'a>>,
    pub position: Position,
    pub version_tag: Option<Arc<str>>,
    pub xml: Node<'a, 'a>,
    pub references: Vec<Reference<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderKind {
    Input,
    Decision,
    Knowledge,
    Service,
}

pub(crate) struct Reference<'a> {
    pub role: Role,
    pub href: Written<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    RequiredInput,
    RequiredDecision,
    RequiredKnowledge,
    OutputDecision,
    EncapsulatedDecision,
    InputDecision,
    InputData,
}

pub(crate) fn read_header<'a>(
    source: Source<'a>,
    mode: Mode,
    diagnostics: &mut Problems,
) -> Option<Header<'a>> {
    let root = source.root;
    if !is_model(root) || root.tag_name().name() != "definitions" {
        let message = format!(
            "the root element {} is not the definitions of DMN 1.1 to 1.5",
            quoted(root.tag_name().name())
        );
        source.report(
            diagnostics,
            Severity::Error,
            source.position(root),
            None,
            "not-dmn",
            message,
        );
        return None;
    }
    let text = |name| attribute(root, name).map(|written| written.text);
    let mut header = Header {
        id: text("id").unwrap_or_default().into(),
        name: normalized(&text("name").unwrap_or_default()),
        namespace: text("namespace").unwrap_or_default().into(),
        language: root.attribute("expressionLanguage"),
        imports: Vec::new(),
        items: Vec::new(),
        nodes: Vec::new(),
        source,
    };
    for node in children(root) {
        let kind = match node.tag_name().name() {
            "import" => {
                header.imports.push(read_import(&header.source, node));
                continue;
            }
            "itemDefinition" => {
                header.items.push(node);
                continue;
            }
            "inputData" => HeaderKind::Input,
            "decision" => HeaderKind::Decision,
            "businessKnowledgeModel" => HeaderKind::Knowledge,
            "decisionService" => HeaderKind::Service,
            _ => continue,
        };
        let read = read_node(&header.source, node, (kind, mode), diagnostics);
        header.nodes.push(read);
    }
    Some(header)
}

fn read_import<'a>(source: &Source<'a>, node: Node<'a, 'a>) -> Import<'a> {
    let kind = node.attribute("importType").unwrap_or_default();
    Import {
        name: normalized(node.attribute("name").unwrap_or_default()),
        namespace: node.attribute("namespace").unwrap_or_default(),
        position: source.position(node),
        is_model: is_model_namespace(kind) || kind.is_empty(),
    }
}

fn read_node<'a>(
    source: &Source<'a>,
    node: Node<'a, 'a>,
    (kind, mode): (HeaderKind, Mode),
    diagnostics: &mut Problems,
) -> NodeHeader<'a> {
    let id: Arc<str> = node.attribute("id").unwrap_or_default().into();
    let name = match normalized(node.attribute("name").unwrap_or_default()) {
        empty if empty.is_empty() => id.clone(),
        name => name,
    };
    let position = source.position(node);
    if name.is_empty() {
        let message = format!("a {} has neither name nor id", node.tag_name().name());
        source.report(diagnostics, Severity::Error, position, None, "name-missing", message);
    }
    let variable = child(node, "variable");
    let variable_name = variable.and_then(|v| v.attribute("name")).map(normalized);
    let variable_name = match kind {
        // Camunda's engines know a knowledge model by its name alone.
        HeaderKind::Knowledge if mode.sees_callers_variables() => Some(name.clone()),
        _ => variable_name.filter(|name| !name.is_empty()),
    };
    let unnamed = match kind {
        HeaderKind::Decision if mode.sees_callers_variables() && !id.is_empty() => &id,
        _ => &name,
    };
    NodeHeader {
        kind,
        variable: variable_name.unwrap_or_else(|| unnamed.clone()),
        type_ref: variable.and_then(|v| attribute(v, "typeRef")),
        references: references(node),
        id,
        name,
        position,
        version_tag: version_tag(kind, mode, node),
        xml: node,
    }
}

/// Camunda 7 writes it as an attribute, Camunda 8 as an extension; no one else knows it.
fn version_tag(kind: HeaderKind, mode: Mode, node: Node<'_, '_>) -> Option<Arc<str>> {
    if kind != HeaderKind::Decision {
        return None;
    }
    let tag = match mode {
        Mode::Camunda7 => node.attribute((CAMUNDA, "versionTag"))?,
        Mode::Camunda8 => {
            let mut extensions = child(node, "extensionElements")?.children();
            extensions
                .find(|found| found.has_tag_name((ZEEBE, "versionTag")))?
                .attribute("value")?
        }
        Mode::Standard | Mode::Flowable => return None,
    };
    (!tag.trim().is_empty()).then(|| tag.into())
}

fn references<'a>(node: Node<'a, 'a>) -> Vec<Reference<'a>> {
    let mut found = Vec::new();
    let mut add = |role, holder: Node<'a, 'a>| {
        if let Some(href) = attribute(holder, "href") {
            found.push(Reference { role, href });
        }
    };
    for requirement in children_named(node, "informationRequirement") {
        for required in children(requirement) {
            match required.tag_name().name() {
                "requiredInput" => add(Role::RequiredInput, required),
                "requiredDecision" => add(Role::RequiredDecision, required),
                _ => {}
            }
        }
    }
    for requirement in children_named(node, "knowledgeRequirement") {
        for required in children_named(requirement, "requiredKnowledge") {
            add(Role::RequiredKnowledge, required);
        }
    }
    for part in children(node) {
        match part.tag_name().name() {
            "outputDecision" => add(Role::OutputDecision, part),
            "encapsulatedDecision" => add(Role::EncapsulatedDecision, part),
            "inputDecision" => add(Role::InputDecision, part),
            "inputData" => add(Role::InputData, part),
            _ => {}
        }
    }
    found
}

/// Names are compared with single spaces and none at the ends.
pub(crate) fn normalized(name: &str) -> Arc<str> {
    let is_plain = !name.contains(|c: char| c.is_whitespace());
    if is_plain {
        return name.into();
    }
    name.split_whitespace().collect::<Vec<_>>().join(" ").into()
}
