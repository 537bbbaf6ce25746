//! AskConditions: a client wants to know of the conditional events whether they occur.

use orloj_model::Conditions;
use orloj_types::Document;

use crate::command::Rejection;
use crate::failure::Stop;
use crate::turn::Turn;
use crate::{conditions, variables};

pub(crate) fn ask_conditions(turn: &mut Turn<'_>, document: &Document) -> Result<(), Stop> {
    if turn.semantics().conditions == Conditions::OnChange {
        return Err(Rejection::ConditionsHear(turn.work.record.instance).into());
    }
    let scope = turn.work.record.root.key;
    variables::set_local(&mut turn.work.record, scope, &document.0);
    turn.note_variables();
    conditions::ask_once(turn)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use orloj_model::SubProcessKind;

    use crate::testing::{
        Sketch, Story, condition, document, end, on, start, start_on, subprocess, user,
    };
    use crate::{Command, Rejection};

    fn asking(json: &str) -> Command {
        Command::AskConditions { variables: document(json) }
    }

    fn entered(told: &str) -> Vec<&str> {
        told.lines().filter_map(|line| line.strip_prefix("entered ")).collect()
    }

    #[test]
    fn events_that_hold_occur_when_they_are_asked_and_not_before() {
        let process = Sketch::flowable()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "many", on(false, condition("n > 3")))
            .boundary("ask", "most", on(true, condition("n > 5")))
            .node("then", user())
            .node("last", user())
            .flows("start -> ask")
            .flows("many -> then")
            .flows("most -> last")
            .build();
        let mut story = Story::of(process);
        story.start(r#"{"n":9}"#);
        assert!(entered(&story.play(asking(r#"{"n":2}"#))).is_empty());
        assert_eq!(entered(&story.play(asking(r#"{"n":4}"#))), ["many", "then"]);
        assert_eq!(entered(&story.play(asking("{}"))), ["many#2", "then#2"], "it goes on waiting");
        let told = story.play(asking(r#"{"n":6}"#));
        assert!(entered(&told).contains(&"last"), "{told}");
        assert!(entered(&story.play(asking("{}"))).is_empty(), "nothing waits any more");
    }

    #[test]
    fn event_subprocesses_begin_when_they_are_asked_and_keep_nothing_open() {
        let process = Sketch::flowable()
            .node("start", start())
            .node("ask", user())
            .node("done", end())
            .node("watch", subprocess(SubProcessKind::Event))
            .node("changed", start_on(true, condition("n > 3")))
            .node("then", user())
            .inside("watch", &["changed", "then"])
            .flows("start -> ask -> done")
            .flows("changed -> then")
            .build();
        let mut story = Story::of(process.clone());
        story.start(r#"{"n":1}"#);
        assert!(entered(&story.play(asking("{}"))).is_empty());
        assert_eq!(entered(&story.play(asking(r#"{"n":4}"#))), ["watch", "changed", "then"]);

        let mut story = Story::of(process);
        story.start(r#"{"n":1}"#);
        story.complete_user_task("ask", "{}");
        assert!(story.record.is_none(), "it has ended");
    }

    #[test]
    fn events_that_hear_by_themselves_are_not_asked() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "many", on(false, condition("n > 3")))
            .node("then", user())
            .flows("start -> ask")
            .flows("many -> then");
        let mut story = Story::of(process.build());
        story.start(r#"{"n":9}"#);
        let instance = story.record.as_ref().expect("it lives").instance;
        let refused = story.interpret(asking("{}")).map(|_| ());
        assert_eq!(refused, Err(Rejection::ConditionsHear(instance)));
    }
}
