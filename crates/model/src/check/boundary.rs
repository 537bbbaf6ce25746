//! Boundary events: what they sit on, and where they lead.

use crate::graph::{Boundary, ElementKind, SubProcess, SubProcessKind, Throw, Trigger};
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement};
use crate::read::is_activity;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for element in &draft.elements {
        match &element.kind {
            Some(ElementKind::BoundaryEvent(boundary)) => {
                check_boundary(ctx, draft, element, boundary);
            }
            Some(ElementKind::EndEvent(Throw::Cancel)) => check_cancel_end(ctx, draft, element),
            _ => {}
        }
    }
}

fn check_boundary<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    element: &DraftElement<'a>,
    boundary: &Boundary,
) {
    let activity = draft.element(boundary.attached_to);
    let refuse = |ctx: &mut Context<'a>, code: &'static str, reason: &str| {
        let message = format!(
            "{} is attached to {}, {reason}",
            element.subject.title(),
            activity.subject.title()
        );
        ctx.error(&element.subject, code, message);
    };
    if !is_activity(activity.subject.tag()) && ctx.dialect == Dialect::Zeebe {
        refuse(ctx, "boundary-misplaced", "which is no activity");
    }
    if activity.parent != element.parent && ctx.dialect == Dialect::Camunda7 {
        refuse(ctx, "boundary-misplaced", "which lies in another subprocess");
    }
    if activity.is_for_compensation && ctx.dialect == Dialect::Camunda7 {
        refuse(ctx, "boundary-misplaced", "which only undoes another activity");
    }
    if activity.kind.is_none() {
        return;
    }
    match boundary.trigger {
        Trigger::Cancel if !is_transaction(activity) => {
            refuse(ctx, "cancel-misplaced", "which is no transaction");
        }
        Trigger::Escalation(_) if !can_escalate(ctx.dialect, activity) => {
            refuse(ctx, "escalation-misplaced", "which throws no escalation");
        }
        _ => {}
    }
}

fn check_cancel_end<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>, element: &DraftElement<'a>) {
    let is_inside = element.parent.is_some_and(|parent| is_transaction(draft.element(parent)));
    if !is_inside {
        let message = format!("{} cancels a transaction but lies in none", element.subject.title());
        ctx.error(&element.subject, "cancel-misplaced", message);
    }
}

fn is_transaction(element: &DraftElement<'_>) -> bool {
    matches!(
        &element.kind,
        Some(ElementKind::SubProcess(SubProcess { kind: SubProcessKind::Transaction, .. }))
    )
}

fn can_escalate(dialect: Dialect, activity: &DraftElement<'_>) -> bool {
    let tag = activity.subject.tag();
    match dialect {
        Dialect::Flowable => true,
        Dialect::Camunda7 => {
            matches!(tag, "subProcess" | "transaction" | "callActivity" | "userTask")
        }
        Dialect::Zeebe => matches!(tag, "subProcess" | "adHocSubProcess" | "callActivity"),
    }
}
