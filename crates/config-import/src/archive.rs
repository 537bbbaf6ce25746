//! `<process-archive>` of a `processes.xml`: what an application deploys, and how. Files are deployed
//! by name here, not found in an application; so each part says what takes its place.

use orloj_settings::Severity;
use roxmltree::Node;

use crate::descriptor::{Descriptor, elements, text};
use crate::gathered::Archive;

/// A property of an archive.
struct Property {
    name: &'static str,
    /// The value that asks for something that will not happen.
    refused: Option<&'static str>,
    reason: &'static str,
}

const NAMED: &str = "what is deployed is named: `orloj deploy FILE...`";
const OF_ALL: &str = "the jobs of every version are run; with `executor.deployment_aware`, those of \
                      the deployments that `orloj deployment register` names";

const PROPERTIES: &[Property] = &[
    Property {
        name: "isDeleteUponUndeploy",
        refused: Some("true"),
        reason: "a deployment stays until `orloj deployment delete` removes it",
    },
    Property { name: "isScanForProcessDefinitions", refused: None, reason: NAMED },
    Property {
        name: "isDeployChangedOnly",
        refused: Some("true"),
        reason: "files that are deployed together get new versions together; deploy alone what \
                 has changed",
    },
    Property { name: "isResumePreviousVersions", refused: Some("false"), reason: OF_ALL },
    Property { name: "resumePreviousBy", refused: None, reason: OF_ALL },
    Property { name: "resourceRootPath", refused: None, reason: NAMED },
    Property { name: "additionalResourceSuffixes", refused: None, reason: NAMED },
];

impl Descriptor<'_> {
    pub(crate) fn archive(&mut self, node: Node<'_, '_>) {
        self.dropped(node, "models are deployed by `orloj deploy`");
        if let Some(tenant) = node.attribute("tenantId") {
            let instead = format!("{tenant} was not taken: say `orloj deploy --tenant {tenant}`");
            self.said(node, Severity::Warning, "tenantId", instead);
        }
        for child in elements(node) {
            match child.tag_name().name() {
                "process-engine" => {
                    let (name, place) = (text(child), self.place(child));
                    self.gathered.archives.push(Archive { engine: name, place });
                }
                name @ ("process" | "resource") => {
                    let instead = format!("{} has no effect: {NAMED}", text(child));
                    self.said(child, Severity::Note, name, instead);
                }
                "properties" => {
                    elements(child).for_each(|property| self.archive_property(property))
                }
                _ => self.unknown(child),
            }
        }
    }

    fn archive_property(&mut self, node: Node<'_, '_>) {
        let place = self.place(node);
        let name = node.attribute("name").filter(|_| node.tag_name().name() == "property");
        let Some(name) = name else {
            return self.gathered.error(place, "expected <property name=\"...\">".to_owned());
        };
        let Some(property) = PROPERTIES.iter().find(|property| property.name == name) else {
            let known: Vec<&str> = PROPERTIES.iter().map(|property| property.name).collect();
            let message =
                format!("a process archive has no property '{name}'; it has {}", known.join(", "));
            return self.gathered.error(place, message);
        };
        let value = text(node);
        let (severity, said) = match property.refused {
            Some(refused) if refused.eq_ignore_ascii_case(&value) => {
                (Severity::Warning, format!("{value} is not done: {}", property.reason))
            }
            _ => (Severity::Note, format!("{value} has no effect: {}", property.reason)),
        };
        self.said(node, severity, name, said);
    }

    fn said(&mut self, node: Node<'_, '_>, severity: Severity, name: &str, message: String) {
        let place = self.place(node);
        self.gathered.note(severity, name, &place, message);
    }
}
