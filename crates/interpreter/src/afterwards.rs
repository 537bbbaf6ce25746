//! Listeners that are bound to the end of the transaction.
//!
//! They are called when the command has nothing else to do, with what was visible when their event
//! came, and change nothing.
//!
//! DIFFERENCE: only Flowable has them, and calls those for a committed transaction after the
//! commit. Here they come right before it, so one that loses its race has called them in vain.

use orloj_model::{Listener, ListenerMoment};
use orloj_types::{Document, ElementId, ElementInstanceKey};

use crate::agenda::MemberIndex;
use crate::failure::Ruled;
use crate::listeners;
use crate::turn::Turn;

/// Calls at the end of a command are counted apart from the other calls of their scope.
const ORDINAL_FIRST: u32 = 1 << 27;

/// A listener that waits for the end of the command.
#[derive(Clone, Debug)]
pub(crate) struct Afterwards {
    scope: ElementInstanceKey,
    owner: ElementId,
    listener: Listener,
    event: Option<&'static str>,
    /// What its code sees.
    seen: Document,
}

/// The listener comes when all else is done.
pub(crate) fn put_off(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    listener: &Listener,
) {
    let (member, _): (MemberIndex, _) = turn.work.at();
    let seen = Document(turn.work.record.visible(scope));
    let (owner, listener) = (owner.clone(), listener.clone());
    let afterwards = Afterwards { scope, owner, listener, event: turn.beans.event(), seen };
    turn.work.afterwards.push_back((member, Box::new(afterwards)));
}

/// Its turn has come.
pub(crate) fn call(turn: &mut Turn<'_>, put_off: &Afterwards) -> Ruled {
    let Afterwards { owner, listener, event, seen, .. } = put_off;
    let scope = match turn.work.record.element(put_off.scope) {
        Some(element) => element.key,
        None => turn.work.record.root.key,
    };
    let ordinal = ORDINAL_FIRST + turn.work.calls;
    if let Some(event) = event {
        turn.beans.set_event(event);
    }
    turn.beans.set_seen(seen.clone());
    match listeners::ask(turn, scope, owner, &listener.code, &listener.fields, ordinal) {
        Ok(()) => {}
        Err(failure) if failure.needs.is_some() => return Err(failure),
        Err(_) if listener.moment == ListenerMoment::Committed => {}
        Err(failure) => return Err(failure),
    }
    turn.beans.take_replies();
    turn.work.calls += 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use orloj_model::{Code, Listener, ListenerEvent, ListenerMoment};

    use crate::InvokeResult;
    use crate::testing::{Sketch, Story, delegate, document, start, user};

    /// A listener at the start of a task that comes before another one.
    fn listened(moment: ListenerMoment, answer: InvokeResult) -> Story {
        let listener = Listener {
            event: ListenerEvent::Start,
            code: Code::Delegate("Heard".into()),
            fields: Vec::new(),
            result_variable: None,
            timeout: None,
            moment,
        };
        let process = Sketch::flowable()
            .node("start", start())
            .node("work", delegate("Work"))
            .node("then", user())
            .flows("start -> work -> then")
            .with("work", |e| e.listeners.push(listener));
        let worked = InvokeResult::Done { variables: document(r#"{"worked":true}"#) };
        Story::of(process.build()).delegate("Heard", &[answer]).delegate("Work", &[worked])
    }

    #[test]
    fn they_come_last_see_what_was_and_change_nothing() {
        for moment in [ListenerMoment::BeforeCommit, ListenerMoment::Committed] {
            let answer = InvokeResult::Done { variables: document(r#"{"heard":true}"#) };
            let mut story = listened(moment, answer);
            let told = story.start(r#"{"a":1}"#);
            assert_eq!(story.invoked, [r#"Work {"a":1}"#, r#"Heard {"a":1}"#]);
            assert!(told.trim_end().ends_with(r#"instance: {"a":1,"worked":true}"#), "{told}");
        }
    }

    #[test]
    fn only_one_before_the_commit_can_undo_the_command() {
        let failed = || InvokeResult::Failed { message: "no".into() };
        let told = listened(ListenerMoment::BeforeCommit, failed()).start("{}");
        assert!(told.starts_with("rejected: "), "{told}");
        let told = listened(ListenerMoment::Committed, failed()).start("{}");
        assert!(told.contains("entered then"), "{told}");
    }
}
