//! A file of decisions as it is deployed.

use std::sync::Arc;

use orloj_dmn::{Diagnostics, InvocableKind, Mode, Model, Options};
use orloj_model::{Diagnostic, Dialect, Severity};
use orloj_types::ElementId;
use orloj_xml::{build_tree, decode, gate};

use crate::definitions::{dialect_name, dialect_named};

const ZEEBE: &str = "http://camunda.org/schema/zeebe/1.0";
const CAMUNDA: &str = "http://camunda.org/schema/1.0/dmn";
const FLOWABLE: &str = "http://flowable.org/dmn";
/// Camunda's modeler notes here what the file was drawn for.
const MODELER: &str = "http://camunda.org/schema/modeler/1.0";

pub(crate) struct DecisionFile {
    pub dialect: Dialect,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub decisions: Vec<Decision>,
}

pub(crate) struct Decision {
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub version_tag: Option<Arc<str>>,
}

/// Reads a file, or says everything that is wrong with it.
pub(crate) fn read(content: &[u8], plain: Dialect) -> Result<DecisionFile, Vec<Diagnostic>> {
    let dialect = told(content).unwrap_or(plain);
    let model = load(content, dialect_name(dialect)).map_err(|problems| translated(&problems))?;
    let is_deployed = |kind: InvocableKind| match kind {
        InvocableKind::Decision => true,
        // Only Flowable's tasks can ask for a service.
        InvocableKind::Service => dialect == Dialect::Flowable,
        InvocableKind::Knowledge => false,
    };
    let decisions = model
        .invocables()
        .filter(|found| is_deployed(found.kind) && !found.id.is_empty())
        .map(|found| Decision { version_tag: found.version_tag, id: found.id, name: found.name });
    Ok(DecisionFile {
        dialect,
        id: model.id().into(),
        name: model.name().into(),
        decisions: decisions.collect(),
    })
}

/// Whose rules the file says it follows. One that cannot be read says nothing: the parser tells why.
pub(crate) fn told(content: &[u8]) -> Option<Dialect> {
    gate::check_size(content).ok()?;
    let text = decode(content).ok()?;
    gate::check(&orloj_xml::Places::new(&text)).ok()?;
    let tree = build_tree(&text).ok()?;
    let elements = tree.descendants().filter(roxmltree::Node::is_element);
    let mut namespaces = elements.flat_map(|node| {
        let of_attributes = node.attributes().map(|attribute| attribute.namespace());
        std::iter::once(node.tag_name().namespace()).chain(of_attributes)
    });
    namespaces.find_map(vendor_of).or_else(|| {
        match tree.root_element().attribute((MODELER, "executionPlatform"))? {
            "Camunda Cloud" => Some(Dialect::Zeebe),
            "Camunda Platform" => Some(Dialect::Camunda7),
            _ => None,
        }
    })
}

fn vendor_of(namespace: Option<&str>) -> Option<Dialect> {
    match namespace? {
        ZEEBE => Some(Dialect::Zeebe),
        CAMUNDA => Some(Dialect::Camunda7),
        FLOWABLE => Some(Dialect::Flowable),
        _ => None,
    }
}

/// Parses a file the way it was read when it was deployed.
pub(crate) fn load(content: &[u8], dialect: &str) -> Result<Model, Diagnostics> {
    let mode = match dialect_named(dialect) {
        Dialect::Zeebe => Mode::Camunda8,
        Dialect::Camunda7 => Mode::Camunda7,
        Dialect::Flowable => Mode::Flowable,
    };
    Model::parse(content, &Options { mode, ..Options::default() })
}

fn translated(problems: &Diagnostics) -> Vec<Diagnostic> {
    let errors = problems.iter().filter(|d| d.severity == orloj_dmn::Severity::Error);
    let translate = |problem: &orloj_dmn::Diagnostic| Diagnostic {
        severity: Severity::Error,
        position: problem.position,
        element: problem.element.as_ref().map(|id| ElementId::from(&**id)),
        code: problem.code,
        message: problem.message.clone(),
    };
    errors.map(translate).collect()
}
