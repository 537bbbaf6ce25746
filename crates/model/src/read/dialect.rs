//! Namespaces of BPMN and its vendors, and what they say about the dialect of a file.

use roxmltree::Document;

use crate::options::{Dialect, Options};

pub(crate) const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";
pub(crate) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
pub(crate) const ZEEBE: &str = "http://camunda.org/schema/zeebe/1.0";
pub(crate) const CAMUNDA: &str = "http://camunda.org/schema/1.0/bpmn";
pub(crate) const FLOWABLE: &str = "http://flowable.org/bpmn";
pub(crate) const ACTIVITI: &str = "http://activiti.org/bpmn";
/// Camunda's oldest, still read for retry cycles.
pub(crate) const FOX: &str = "http://www.camunda.com/fox";
/// What none of the three systems has; it says nothing about the dialect of a file.
pub(crate) const ORLOJ: &str = "http://orloj.dev/schema/1.0/bpmn";
/// Camunda's modeler notes here what the file was drawn for.
const MODELER: &str = "http://camunda.org/schema/modeler/1.0";

/// Which vendors' names a file uses (not only declares).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vendors {
    pub zeebe: bool,
    pub camunda: bool,
    pub flowable: bool,
    pub activiti: bool,
    platform: Option<Dialect>,
}

impl Vendors {
    pub fn of(tree: &Document<'_>) -> Self {
        let mut vendors = Self::default();
        for node in tree.descendants().filter(|node| node.is_element()) {
            vendors.note(node.tag_name().namespace());
            for attribute in node.attributes() {
                vendors.note(attribute.namespace());
            }
        }
        vendors.platform = match tree.root_element().attribute((MODELER, "executionPlatform")) {
            Some("Camunda Cloud") => Some(Dialect::Zeebe),
            Some("Camunda Platform") => Some(Dialect::Camunda7),
            _ => None,
        };
        vendors
    }

    fn note(&mut self, namespace: Option<&str>) {
        match namespace {
            Some(ZEEBE) => self.zeebe = true,
            Some(CAMUNDA | FOX) => self.camunda = true,
            Some(FLOWABLE) => self.flowable = true,
            Some(ACTIVITI) => self.activiti = true,
            _ => {}
        }
    }

    pub fn dialect(&self, options: &Options) -> Dialect {
        options.dialect.or(self.told()).unwrap_or(options.plain_dialect)
    }

    /// What the file says of itself. Flowable reads Camunda's and Activiti's names, Camunda reads
    /// Activiti's; so the name that only one system reads decides.
    pub fn told(&self) -> Option<Dialect> {
        if self.zeebe {
            Some(Dialect::Zeebe)
        } else if self.flowable {
            Some(Dialect::Flowable)
        } else if self.camunda {
            Some(Dialect::Camunda7)
        } else if self.activiti {
            Some(Dialect::Flowable)
        } else {
            self.platform
        }
    }

    /// Vendors whose names are in the file although the dialect does not read them.
    pub fn unread_by(&self, dialect: Dialect) -> Vec<&'static str> {
        let mut unread = Vec::new();
        unread.extend((self.zeebe && dialect != Dialect::Zeebe).then_some("zeebe"));
        unread.extend((self.flowable && dialect != Dialect::Flowable).then_some("flowable"));
        unread.extend((self.camunda && dialect == Dialect::Zeebe).then_some("camunda"));
        unread.extend((self.activiti && dialect == Dialect::Zeebe).then_some("activiti"));
        unread
    }
}

/// Namespaces in which the dialect looks for an extension attribute, first one first.
pub(crate) fn attribute_namespaces(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zeebe => &[ZEEBE],
        Dialect::Camunda7 => &[CAMUNDA, ACTIVITI],
        Dialect::Flowable => &[FLOWABLE, ACTIVITI, CAMUNDA],
    }
}
