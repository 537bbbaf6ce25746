//! A process: its parts read and joined.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::ProcessId;

use crate::graph::{Boundary, ElementKind, Trigger};
use crate::options::Dialect;
use crate::read::context::{Context, Subject};
use crate::read::definitions::Definitions;
use crate::read::draft::{Draft, DraftElement};
use crate::read::element::{Surroundings, read_element, read_name};
use crate::read::link::Links;
use crate::read::parts::Parts;

pub(crate) fn read_process<'a>(
    ctx: &mut Context<'a>,
    definitions: &Definitions<'a>,
    subject: Subject<'a>,
    id: &str,
) -> Draft<'a> {
    ctx.hooks.begin_process(id);
    let source = ctx.hooks_before(&subject);
    ctx.name_unread_extensions(&subject);
    ctx.check_process_settings(&subject);
    let parts = Parts::gather(ctx, subject.node);
    let surroundings = Surroundings {
        definitions: definitions.clone(),
        links: Links::of(ctx, &parts.elements),
        by_id: parts.by_id,
        worker_priority: ctx.worker_priority(&subject),
        job_priority: ctx.job_priority(&subject),
    };
    let mut draft = Draft {
        id: ProcessId::from(id),
        name: read_name(ctx, subject.node),
        version_tag: read_version_tag(ctx, &subject),
        time_to_live: ctx.time_to_live(&subject),
        history_depth: ctx.history_depth(&subject),
        elements: Vec::with_capacity(parts.elements.len()),
        flows: Vec::with_capacity(parts.flows.len()),
        listeners: ctx.listeners(&subject),
        engine_listeners: ctx.engine_listeners(&subject),
        data_objects: Vec::new(),
        associations: parts.associations,
        by_id: BTreeMap::new(),
        has_gaps: parts.has_gaps,
        is_executable: true,
        subject,
    };
    for part in parts.elements {
        let has_id = part.has_id;
        let mut element = match part.is_known {
            true => read_element(ctx, &surroundings, part.subject, part.id, part.parent),
            false => {
                let position = ctx.position(part.subject.node);
                DraftElement::placeholder(part.subject, part.id, part.parent, position)
            }
        };
        element.has_id = has_id;
        draft.elements.push(element);
    }
    draft.by_id = surroundings.by_id;
    for part in parts.flows {
        ctx.read_flow(&mut draft, part);
    }
    if ctx.dialect == Dialect::Camunda7 {
        forget_flows_of_ends(&mut draft);
    }
    for (parent, subject) in parts.data_objects {
        draft.data_objects.extend(ctx.data_object(&subject).map(|object| (parent, object)));
    }
    attach_boundaries(ctx, &mut draft);
    let subject = draft.subject.clone();
    let Draft { name, version_tag, listeners, .. } = &mut draft;
    ctx.hooks_after_process(&subject, source, name, version_tag, listeners);
    draft
}

/// Camunda takes flows that leave an end event, and no token goes along them.
fn forget_flows_of_ends(draft: &mut Draft<'_>) {
    for element in &mut draft.elements {
        if element.subject.tag() == "endEvent" {
            element.outgoing.clear();
        }
    }
}

fn read_version_tag<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>) -> Option<Arc<str>> {
    let tag = match ctx.dialect {
        Dialect::Zeebe => {
            let extension = ctx.extension(subject, "versionTag")?;
            ctx.own_attribute(extension, "value")
        }
        Dialect::Camunda7 => ctx.extension_attribute(subject.node, "versionTag"),
        Dialect::Flowable => None,
    };
    tag.filter(|tag| !tag.text.trim().is_empty()).map(|tag| (*tag.text).into())
}

/// Compensation does not wait for its activity, it comes after it.
fn attach_boundaries<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    for index in draft.indices() {
        let attached_to = match &draft.element(index).kind {
            Some(ElementKind::BoundaryEvent(Boundary { attached_to, trigger, .. }))
                if !matches!(trigger, Trigger::Compensation) =>
            {
                *attached_to
            }
            _ => continue,
        };
        if ctx.dialect == Dialect::Flowable && draft.element(attached_to).is_event_subprocess() {
            let subject = &draft.element(index).subject;
            let message = format!("{} never occurs on an event subprocess", subject.title());
            ctx.warn(subject, "boundary-unheard", message);
            continue;
        }
        draft.elements[attached_to.0 as usize].boundaries.push(index);
    }
}
