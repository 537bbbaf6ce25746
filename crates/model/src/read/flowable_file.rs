//! What Flowable minds outside of elements: lengths, and messages with items that are not there.

use std::collections::BTreeSet;

use orloj_xml::quoted;

use crate::read::context::{Context, Node, Subject, bpmn_children};
use crate::read::dialect::BPMN;
use crate::read::limits::ID_CHARS_MAX;

/// Longest documentation of a process: what Flowable's column holds.
const DOCUMENTATION_CHARS_MAX: usize = 2_000;

impl<'a> Context<'a> {
    pub fn check_flowable_file(&mut self, definitions: Node<'a>) {
        let root = Subject { node: definitions, id: None };
        if let Some(namespace) = self.attribute(definitions, "targetNamespace") {
            self.check_length(&root, "targetNamespace", &namespace.text, ID_CHARS_MAX);
        }
        self.refuse_markup(definitions);
        let items: BTreeSet<&'a str> = bpmn_children(definitions)
            .filter(|node| node.tag_name().name() == "itemDefinition")
            .filter_map(|node| node.attribute("id"))
            .collect();
        for node in bpmn_children(definitions) {
            let id = node.attribute("id").map(orloj_types::ElementId::from);
            let subject = Subject { node, id };
            match subject.tag() {
                "process" => self.check_process_lengths(&subject),
                "message" => self.check_item(&subject, &items),
                _ => {}
            }
        }
    }

    /// Documentation is read as text, and its reader stumbles over anything else.
    fn refuse_markup(&mut self, definitions: Node<'a>) {
        let documentations =
            definitions.descendants().filter(|node| node.has_tag_name((BPMN, "documentation")));
        for node in documentations {
            if let Some(child) = node.first_element_child() {
                let subject = Subject { node, id: None };
                let message = "documentation can contain only text".to_owned();
                self.error_at(&subject, child.range().start, "documentation-markup", message);
            }
        }
    }

    fn check_process_lengths(&mut self, subject: &Subject<'a>) {
        if let Some(name) = self.attribute(subject.node, "name") {
            self.check_length(subject, "name", &name.text, ID_CHARS_MAX);
        }
        let mut children = bpmn_children(subject.node);
        if let Some(node) = children.find(|child| child.tag_name().name() == "documentation") {
            let written = self.content(node);
            self.check_length(subject, "documentation", &written.text, DOCUMENTATION_CHARS_MAX);
        }
    }

    fn check_item(&mut self, subject: &Subject<'a>, items: &BTreeSet<&'a str>) {
        let Some(written) = self.reference(subject.node, "itemRef") else { return };
        let local = crate::read::local_name(&written.text);
        if !items.contains(&*written.text) && !items.contains(local) {
            let message = format!(
                "itemRef of {} names {}, which is no item of the file",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "reference-unknown", message);
        }
    }
}
