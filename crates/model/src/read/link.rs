//! Links: jumps to the catch event of the same name.

use std::collections::BTreeMap;

use crate::graph::ElementIndex;
use crate::read::context::{Context, Node, bpmn_child};
use crate::read::parts::ElementPart;

/// Catch events by the scope they lie in and the name of their link.
#[derive(Default)]
pub(crate) struct Links(BTreeMap<(usize, String), ElementIndex>);

impl Links {
    pub fn of<'a>(ctx: &Context<'a>, elements: &[ElementPart<'a>]) -> Self {
        let mut links = BTreeMap::new();
        for (at, element) in elements.iter().enumerate() {
            let node = element.subject.node;
            if element.subject.tag() != "intermediateCatchEvent" {
                continue;
            }
            let Some(definition) = bpmn_child(node, "linkEventDefinition") else { continue };
            let Some(name) = ctx.attribute(definition, "name") else { continue };
            // The first wins; a second is reported by the checks.
            let key = (scope_of(node), name.text.into_owned());
            links.entry(key).or_insert(ElementIndex(at as u32));
        }
        Self(links)
    }

    /// A link does not leave its scope.
    pub fn target_of(&self, throw: Node<'_>, name: &str) -> Option<ElementIndex> {
        self.0.get(&(scope_of(throw), name.to_owned())).copied()
    }
}

fn scope_of(node: Node<'_>) -> usize {
    node.parent_element().map_or(0, |parent| parent.range().start)
}
