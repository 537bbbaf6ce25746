//! Calling the hooks while a model is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::{CompensationThrow, ElementKind, Throw};
use crate::graph::{Flow, Listener};
use crate::hook::source::split_name;
use crate::hook::{ElementParts, FlowParts, ParseHook, ProcessParts, Source};
use crate::options::Options;
use crate::read::context::{Context, Node, Subject};
use crate::read::draft::DraftElement;

/// Attributes that other elements find this one by. Changing them would join the wrong things.
pub(super) const FIXED_ATTRIBUTES: &[&str] = &[
    "id",
    "sourceRef",
    "targetRef",
    "attachedToRef",
    "default",
    "isExecutable",
    "triggeredByEvent",
];

/// Hooks and what they changed so far.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    list: Vec<Arc<dyn ParseHook>>,
    was_accepted: bool,
    process: String,
    /// By node, namespace and local name.
    changed: BTreeMap<(usize, Option<&'static str>, String), Option<String>>,
}

impl Hooks {
    pub fn new(options: &Options) -> Self {
        let (list, was_accepted) = (options.hooks.clone(), options.was_accepted);
        Self { list, was_accepted, ..Self::default() }
    }

    pub fn begin_process(&mut self, id: &str) {
        self.process = id.to_owned();
    }

    /// Outer `None`: as the file has it. Inner `None`: a hook removed it.
    pub fn attribute(
        &self,
        node: Node<'_>,
        namespace: Option<&'static str>,
        name: &str,
    ) -> Option<Option<&str>> {
        if self.changed.is_empty() {
            return None;
        }
        let key = (node.id().get_usize(), namespace, name.to_owned());
        self.changed.get(&key).map(Option::as_deref)
    }
}

impl<'a> Context<'a> {
    /// Calls every hook before the default handling. `None`: there are no hooks.
    pub fn hooks_before(&mut self, subject: &Subject<'a>) -> Option<Source> {
        if self.hooks.list.is_empty() {
            return None;
        }
        let id = subject.id.as_deref().unwrap_or_default();
        let mut source = Source::of(self.dialect, &self.hooks.process, subject.node, id);
        for hook in &self.hooks.list {
            hook.before(&mut source);
        }
        self.keep_changes(subject, &source);
        self.report_hook_problems(subject, &mut source);
        Some(source)
    }

    /// What a hook puts in place of the element. Outer `None`: nothing; inner `None`: something
    /// that cannot be.
    pub fn hooks_instead(
        &mut self,
        subject: &Subject<'a>,
        source: Option<&Source>,
    ) -> Option<Option<ElementKind>> {
        let source = source?;
        let kind = self.hooks.list.iter().find_map(|hook| hook.instead(source))?;
        if refers_to_elements(&kind) {
            self.refuse_replacement(subject);
            return Some(None);
        }
        Some(Some(kind))
    }

    pub fn hooks_after(
        &mut self,
        subject: &Subject<'a>,
        source: Option<Source>,
        element: &mut DraftElement<'a>,
    ) {
        let Some(mut source) = source else { return };
        let Some(mut kind) = element.kind.take() else { return };
        let before = kind.clone();
        for hook in &self.hooks.list {
            let parts = ElementParts {
                kind: &mut kind,
                name: &mut element.name,
                async_before: &mut element.async_before,
                async_after: &mut element.async_after,
                multi: &mut element.multi,
                listeners: &mut element.listeners,
                skip: &mut element.skip,
                jobs: &mut element.jobs,
                inputs: &mut element.inputs,
                outputs: &mut element.outputs,
            };
            hook.after(&mut source, parts);
        }
        if references(&before) == references(&kind) {
            element.kind = Some(kind);
        } else {
            self.refuse_replacement(subject);
        }
        self.report_hook_problems(subject, &mut source);
    }

    pub fn hooks_after_flow(
        &mut self,
        subject: &Subject<'a>,
        source: Option<Source>,
        flow: &mut Flow,
    ) {
        let Some(mut source) = source else { return };
        for hook in &self.hooks.list {
            let parts = FlowParts {
                condition: &mut flow.condition,
                listeners: &mut flow.listeners,
                skip: &mut flow.skip,
            };
            hook.after_flow(&mut source, parts);
        }
        self.report_hook_problems(subject, &mut source);
    }

    pub fn hooks_after_process(
        &mut self,
        subject: &Subject<'a>,
        source: Option<Source>,
        name: &mut Option<Arc<str>>,
        version_tag: &mut Option<Arc<str>>,
        listeners: &mut Vec<Listener>,
    ) {
        let Some(mut source) = source else { return };
        for hook in &self.hooks.list {
            let parts = ProcessParts { name, version_tag, listeners };
            hook.after_process(&mut source, parts);
        }
        self.report_hook_problems(subject, &mut source);
    }

    fn keep_changes(&mut self, subject: &Subject<'a>, source: &Source) {
        for (name, value) in &source.changed {
            let split = split_name(name).filter(|(namespace, local)| {
                namespace.is_some() || !FIXED_ATTRIBUTES.contains(local)
            });
            let Some((namespace, local)) = split else {
                let message = format!("a hook cannot change {name} of {}", subject.title());
                self.error(subject, "hook-misused", message);
                continue;
            };
            let key = (subject.node.id().get_usize(), namespace, local.to_owned());
            self.hooks.changed.insert(key, value.clone());
        }
    }

    fn report_hook_problems(&mut self, subject: &Subject<'a>, source: &mut Source) {
        for reason in std::mem::take(&mut source.refusals) {
            let message = format!("{}: {reason}", subject.title());
            if self.hooks.was_accepted {
                self.warn(subject, "hook-refused", message);
            } else {
                self.error(subject, "hook-refused", message);
            }
        }
        for reason in std::mem::take(&mut source.warnings) {
            self.warn(subject, "hook-warning", format!("{}: {reason}", subject.title()));
        }
    }

    fn refuse_replacement(&mut self, subject: &Subject<'a>) {
        let message = format!(
            "a hook changed what {} refers to, which only the file can say",
            subject.title()
        );
        self.error(subject, "hook-misused", message);
    }
}

fn refers_to_elements(kind: &ElementKind) -> bool {
    references(kind) != References::None
}

/// Indices that a kind holds. They are resolved by the reader, so no hook may bring its own.
#[derive(PartialEq, Eq)]
enum References {
    None,
    Boundary(u32),
    Inside,
    Link(u32),
    Compensation(Option<u32>),
}

fn references(kind: &ElementKind) -> References {
    match kind {
        ElementKind::BoundaryEvent(boundary) => References::Boundary(boundary.attached_to.0),
        ElementKind::SubProcess(_) => References::Inside,
        ElementKind::ThrowEvent(throw) | ElementKind::EndEvent(throw) => match throw {
            Throw::Link(target) => References::Link(target.0),
            Throw::Compensation(CompensationThrow { activity, .. }) => {
                References::Compensation(activity.map(|activity| activity.0))
            }
            _ => References::None,
        },
        _ => References::None,
    }
}
