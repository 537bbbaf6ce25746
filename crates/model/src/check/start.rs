//! Where instances begin: exactly one start event without a trigger.

use crate::graph::ElementKind;
use crate::read::context::Context;
use crate::read::draft::Draft;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    let starts: Vec<_> =
        draft.elements.iter().filter(|e| e.subject.tag() == "startEvent").collect();
    if starts.is_empty() {
        let message = format!("{} has no start event", draft.subject.title());
        ctx.error(&draft.subject, "start-event-missing", message);
    }
    let none_starts = starts.iter().filter(|e| matches!(e.kind, Some(ElementKind::NoneStart)));
    for second in none_starts.skip(1) {
        let message = format!(
            "{} is a second start event without a trigger in {}",
            second.subject.title(),
            draft.subject.title()
        );
        ctx.error(&second.subject, "start-event-repeated", message);
    }
}
