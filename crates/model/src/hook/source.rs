use std::collections::BTreeMap;

use crate::options::Dialect;
use crate::read::context::Node;
use crate::read::dialect::{ACTIVITI, CAMUNDA, FLOWABLE, FOX, ZEEBE};

/// A process, element or flow as the file has it.
///
/// Attributes of BPMN go by their name, those of vendors by `camunda:`, `flowable:`, `activiti:`,
/// `fox:` or `zeebe:` and the name, whatever prefix the file uses.
#[derive(Clone, Debug)]
pub struct Source {
    dialect: Dialect,
    process: String,
    kind: String,
    id: String,
    attributes: BTreeMap<String, String>,
    pub(super) changed: BTreeMap<String, Option<String>>,
    pub(super) refusals: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Source {
    pub(super) fn of(dialect: Dialect, process: &str, node: Node<'_>, id: &str) -> Self {
        let mut attributes = BTreeMap::new();
        for attribute in node.attributes() {
            let Some(prefix) = prefix_of(attribute.namespace()) else { continue };
            let name = format!("{prefix}{}", attribute.name());
            attributes.insert(name, attribute.value().to_owned());
        }
        Self {
            dialect,
            process: process.to_owned(),
            kind: node.tag_name().name().to_owned(),
            id: id.to_owned(),
            attributes,
            changed: BTreeMap::new(),
            refusals: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The id of the process that it belongs to.
    pub fn process(&self) -> &str {
        &self.process
    }

    /// The word of the BPMN schema: `serviceTask`, `process`, `sequenceFlow`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        match self.changed.get(name) {
            Some(changed) => changed.as_deref(),
            None => self.attributes.get(name).map(String::as_str),
        }
    }

    /// Has an effect before the default handling only. Ids and references to other elements
    /// cannot be changed.
    pub fn set_attribute(&mut self, name: &str, value: &str) {
        self.changed.insert(name.to_owned(), Some(value.to_owned()));
    }

    pub fn remove_attribute(&mut self, name: &str) {
        self.changed.insert(name.to_owned(), None);
    }

    /// The file cannot be deployed, for this reason.
    pub fn refuse(&mut self, reason: &str) {
        self.refusals.push(reason.to_owned());
    }

    pub fn warn(&mut self, reason: &str) {
        self.warnings.push(reason.to_owned());
    }
}

fn prefix_of(namespace: Option<&str>) -> Option<&'static str> {
    Some(match namespace {
        None => "",
        Some(CAMUNDA) => "camunda:",
        Some(FLOWABLE) => "flowable:",
        Some(ACTIVITI) => "activiti:",
        Some(FOX) => "fox:",
        Some(ZEEBE) => "zeebe:",
        Some(_) => return None,
    })
}

/// The namespace and local name of an attribute as hooks name it.
pub(super) fn split_name(name: &str) -> Option<(Option<&'static str>, &str)> {
    let Some((prefix, local)) = name.split_once(':') else { return Some((None, name)) };
    let namespace = match prefix {
        "camunda" => CAMUNDA,
        "flowable" => FLOWABLE,
        "activiti" => ACTIVITI,
        "fox" => FOX,
        "zeebe" => ZEEBE,
        _ => return None,
    };
    Some((Some(namespace), local))
}
