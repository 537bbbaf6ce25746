//! A process: its parts read and joined.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::ProcessId;

use crate::graph::ElementKind;
use crate::options::Dialect;
use crate::read::context::{Context, Subject};
use crate::read::draft::{Draft, DraftElement};
use crate::read::element::{Surroundings, read_element, read_name};
use crate::read::error_event::ErrorDefinitions;
use crate::read::parts::Parts;

pub(crate) fn read_process<'a>(
    ctx: &mut Context<'a>,
    errors: &ErrorDefinitions<'a>,
    subject: Subject<'a>,
    id: &str,
) -> Draft<'a> {
    ctx.name_unread_extensions(&subject);
    let parts = Parts::gather(ctx, subject.node);
    let surroundings = Surroundings {
        errors: errors.clone(),
        by_id: parts.by_id,
        worker_priority: ctx.worker_priority(&subject),
        job_priority: ctx.job_priority(&subject),
    };
    let mut draft = Draft {
        id: ProcessId::from(id),
        name: read_name(ctx, subject.node),
        version_tag: read_version_tag(ctx, &subject),
        elements: Vec::with_capacity(parts.elements.len()),
        flows: Vec::with_capacity(parts.flows.len()),
        by_id: BTreeMap::new(),
        has_gaps: parts.has_gaps,
        subject,
    };
    for (subject, id, is_known) in parts.elements {
        let element = match is_known {
            true => read_element(ctx, &surroundings, subject, id),
            false => {
                let position = ctx.position(subject.node);
                DraftElement::placeholder(subject, id, position)
            }
        };
        draft.elements.push(element);
    }
    draft.by_id = surroundings.by_id;
    for (subject, id) in parts.flows {
        ctx.read_flow(&mut draft, subject, id);
    }
    attach_boundaries(&mut draft);
    draft
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

fn attach_boundaries(draft: &mut Draft<'_>) {
    for index in draft.indices() {
        let attached_to = match draft.element(index).kind {
            Some(
                ElementKind::TimerBoundary { attached_to, .. }
                | ElementKind::ErrorBoundary { attached_to, .. },
            ) => attached_to,
            _ => continue,
        };
        draft.elements[attached_to.0 as usize].boundaries.push(index);
    }
}
