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
    let hints = Hints::of(content);
    let dialect = hints.dialect.unwrap_or(plain);
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
        .map(|found| Decision {
            version_tag: hints.version_tag(&found.id),
            id: found.id,
            name: found.name,
        });
    Ok(DecisionFile {
        dialect,
        id: model.id().into(),
        name: model.name().into(),
        decisions: decisions.collect(),
    })
}

/// Whose rules the file says it follows.
pub(crate) fn told(content: &[u8]) -> Option<Dialect> {
    Hints::of(content).dialect
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

/// What vendors add to a file.
#[derive(Default)]
struct Hints {
    dialect: Option<Dialect>,
    version_tags: Vec<(String, Arc<str>)>,
}

impl Hints {
    /// A file that cannot be read has none: the parser says why.
    fn of(content: &[u8]) -> Self {
        let mut hints = Self::default();
        if gate::check_size(content).is_err() {
            return hints;
        }
        let Ok(text) = decode(content) else { return hints };
        let places = orloj_xml::Places::new(&text);
        if gate::check(&places).is_err() {
            return hints;
        }
        let Ok(tree) = build_tree(&text) else { return hints };
        for node in tree.descendants().filter(roxmltree::Node::is_element) {
            hints.note(node.tag_name().namespace());
            for attribute in node.attributes() {
                hints.note(attribute.namespace());
            }
            if node.tag_name().name() == "decision" {
                hints.note_tag(node);
            }
        }
        hints.dialect = hints.dialect.or_else(|| {
            match tree.root_element().attribute((MODELER, "executionPlatform"))? {
                "Camunda Cloud" => Some(Dialect::Zeebe),
                "Camunda Platform" => Some(Dialect::Camunda7),
                _ => None,
            }
        });
        hints
    }

    fn note(&mut self, namespace: Option<&str>) {
        self.dialect = self.dialect.or(match namespace {
            Some(ZEEBE) => Some(Dialect::Zeebe),
            Some(CAMUNDA) => Some(Dialect::Camunda7),
            Some(FLOWABLE) => Some(Dialect::Flowable),
            _ => None,
        });
    }

    fn note_tag(&mut self, decision: roxmltree::Node<'_, '_>) {
        let own = decision.attribute((CAMUNDA, "versionTag"));
        let extension = || {
            let mut inside = decision.children().filter(|child| child.is_element());
            let holder = inside.find(|child| child.tag_name().name() == "extensionElements")?;
            let tag = holder.children().find(|child| child.has_tag_name((ZEEBE, "versionTag")))?;
            tag.attribute("value")
        };
        let tag = own.or_else(extension).filter(|tag| !tag.trim().is_empty());
        if let (Some(id), Some(tag)) = (decision.attribute("id"), tag) {
            self.version_tags.push((id.to_owned(), tag.into()));
        }
    }

    fn version_tag(&self, id: &str) -> Option<Arc<str>> {
        self.version_tags.iter().find(|(known, _)| known == id).map(|(_, tag)| tag.clone())
    }
}
