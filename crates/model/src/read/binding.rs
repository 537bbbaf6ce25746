//! Which version of another resource an extension of Zeebe means.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::read::context::{Context, Node, Subject};

pub(crate) enum ZeebeBinding {
    Latest,
    Deployment,
    VersionTag(Expression),
}

impl<'a> Context<'a> {
    /// `bindingType` and `versionTag` of an extension that refers to another resource.
    pub fn zeebe_binding_of(
        &mut self,
        subject: &Subject<'a>,
        reference: Node<'a>,
    ) -> Option<ZeebeBinding> {
        let binding = self.own_attribute(reference, "bindingType").filter(|b| !b.text.is_empty());
        let tag = self.own_attribute(reference, "versionTag");
        let tag = tag.filter(|tag| !tag.text.trim().is_empty());
        let offset = reference.range().start;
        let name = reference.tag_name().name();
        match (binding.as_ref().map(|binding| &*binding.text), tag) {
            (Some("versionTag"), Some(tag)) => {
                self.value(subject, &tag).map(ZeebeBinding::VersionTag)
            }
            (Some("versionTag"), None) => {
                let message = format!(
                    "the {name} of {} is bound by a versionTag that it lacks",
                    subject.title()
                );
                self.error_at(subject, offset, "binding-incomplete", message);
                None
            }
            (None | Some("latest" | "deployment"), Some(tag)) => {
                let message = format!(
                    "the {name} of {} has a versionTag but is not bound by it",
                    subject.title()
                );
                self.error_at(subject, tag.offset, "binding-incomplete", message);
                None
            }
            (None | Some("latest"), None) => Some(ZeebeBinding::Latest),
            (Some("deployment"), None) => Some(ZeebeBinding::Deployment),
            (Some(other), _) => {
                let message =
                    format!("the binding {} of {} is unknown", quoted(other), subject.title());
                self.error_at(subject, offset, "binding-unknown", message);
                None
            }
        }
    }
}
