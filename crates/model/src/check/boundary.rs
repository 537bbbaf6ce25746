//! Boundary events sit on activities and lead somewhere.

use crate::graph::ElementKind;
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::Draft;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for boundary in &draft.elements {
        let attached_to = match boundary.kind {
            Some(
                ElementKind::TimerBoundary { attached_to, .. }
                | ElementKind::ErrorBoundary { attached_to, .. },
            ) => attached_to,
            _ => continue,
        };
        let activity = draft.element(attached_to);
        let is_activity = matches!(
            activity.kind,
            None | Some(
                ElementKind::ServiceTask(_)
                    | ElementKind::UserTask(_)
                    | ElementKind::ScriptTask(_)
                    | ElementKind::DecisionTask(_)
            )
        );
        if !is_activity {
            let message = format!(
                "{} is attached to {}, which is no activity",
                boundary.subject.title(),
                activity.subject.title()
            );
            ctx.error(&boundary.subject, "boundary-misplaced", message);
        }
        if boundary.outgoing.is_empty() && ctx.dialect == Dialect::Zeebe {
            let message = format!("{} has no outgoing flow", boundary.subject.title());
            ctx.error(&boundary.subject, "boundary-without-outgoing", message);
        }
    }
}
