//! The business rule task (BPMN 10.3.3, 13.3.3) that asks a decision of another file.
//!
//! Decisions are found by the runtime, since the newest version counts, and asked within the
//! command: the token does not rest on the element.
//!
//! DIFFERENCE: in Zeebe a decision that is missing or cannot be made is an incident on the
//! element; in Camunda and Flowable the command is undone.

use orloj_model::{DecisionBinding, DecisionTask, Element};
use orloj_types::ElementInstanceKey;

use super::Begun;
use crate::commands::take_over;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign;
use crate::invoke::{Bound, Callee, DecisionCall};
use crate::turn::Turn;

/// The element's own code is called once per visit.
const CALL_ORDINAL: u32 = 0;

/// The decision's result is there, or it is asked for.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &DecisionTask,
) -> Ruled<Begun> {
    let call = decision_call(turn, key, element, task)?;
    let callee = || Callee::Decision(call);
    let reply = foreign::ask(turn, key, &element.id, CALL_ORDINAL, callee).map_err(|failure| {
        // What the runtime cannot decide waits on the element where others are tried again.
        match failure.kind {
            FailureKind::Foreign if failure.needs.is_none() => {
                Failure { kind: FailureKind::Decision, ..failure }
            }
            _ => failure,
        }
    })?;
    let how = turn.semantics().completion;
    take_over(turn, key, element, how, &reply.variables);
    Ok(Begun::Done)
}

fn decision_call(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &DecisionTask,
) -> Ruled<DecisionCall> {
    let decision = extract::text(turn, key, element, "decision id", &task.decision)?;
    let binding = match &task.binding {
        DecisionBinding::Latest => Bound::Latest,
        DecisionBinding::Deployment => Bound::Deployment,
        DecisionBinding::DeploymentOrLatest => Bound::DeploymentOrLatest,
        DecisionBinding::Version(version) => {
            let what = "decision version";
            let version = extract::whole_number(turn, key, element, what, version)?;
            // A number that no version has is found by nobody.
            Bound::Version(version.and_then(|v| i32::try_from(v).ok()).unwrap_or(0))
        }
        DecisionBinding::VersionTag(tag) => {
            Bound::VersionTag(extract::text(turn, key, element, "version tag", tag)?)
        }
    };
    Ok(DecisionCall { decision, binding, result: task.result.clone() })
}

#[cfg(test)]
mod tests {
    use orloj_model::{DecisionBinding, DecisionResult, DecisionTask, ElementKind};

    use crate::InvokeResult;
    use crate::testing::{Sketch, Story, document, start, user};

    fn rate(sketch: Sketch) -> Sketch {
        let task = DecisionTask {
            tenant: None,
            decision: sketch.expression(r#""rate""#),
            binding: DecisionBinding::Latest,
            result: DecisionResult::Value { variable: "r".into() },
        };
        sketch
            .node("start", start())
            .node("ask", ElementKind::DecisionTask(task))
            .node("then", user())
            .flows("start -> ask -> then")
    }

    #[test]
    fn a_decision_is_asked_and_its_result_kept() {
        let done = InvokeResult::Done { variables: document(r#"{"r":7}"#) };
        let mut story = Story::of(rate(Sketch::zeebe()).build()).delegate("rate", &[done]);
        insta::assert_snapshot!(story.start(r#"{"a":1}"#), @r#"
        started
        entered start
        left start
        entered ask
        left ask
        entered then
        --
        insert task1 then priority 50
        at then task1
        instance: {"a":1,"r":7}
        "#);
        assert_eq!(story.invoked, [r#"rate {"a":1}"#]);
    }

    #[test]
    fn outputs_choose_from_the_result() {
        let done = InvokeResult::Done { variables: document(r#"{"r":7}"#) };
        let process = rate(Sketch::zeebe()).output("ask", "r + 1", "next");
        let mut story = Story::of(process.build()).delegate("rate", &[done]);
        assert!(story.start("{}").trim_end().ends_with(r#"instance: {"next":8}"#));
    }

    #[test]
    fn a_decision_that_fails_is_an_incident_and_asked_again_when_resolved() {
        let missing = InvokeResult::NotFound { message: "no decision".into() };
        let failed = InvokeResult::Failed { message: "no rule fits".into() };
        let done = InvokeResult::Done { variables: document(r#"{"r":7}"#) };
        let answers = [missing, failed, done];
        let mut story = Story::of(rate(Sketch::zeebe()).build()).delegate("rate", &answers);
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered ask
        incident1 opened CALLED_DECISION_ERROR: no decision
        --
        insert incident1 CALLED_DECISION_ERROR
        at ask entering incident1
        ");
        assert!(story.resolve().contains("incident2 opened DECISION_EVALUATION_ERROR"));
        assert!(story.resolve().trim_end().ends_with(r#"instance: {"r":7}"#));
    }

    #[test]
    fn in_camunda_the_command_is_undone() {
        let failed = InvokeResult::Failed { message: "no rule fits".into() };
        let mut story = Story::of(rate(Sketch::camunda()).build()).delegate("rate", &[failed]);
        insta::assert_snapshot!(story.start("{}"), @"rejected: ask: no rule fits");
    }
}
