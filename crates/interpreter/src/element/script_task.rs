//! The script task (BPMN 10.3.3, 13.3.3): code written into the model.
//!
//! FEEL and UEL are evaluated here. Programs are foreign code and called within the command, as
//! delegates are: the token does not rest on the element, so timers of its boundary events could
//! never fire and are not made.
//!
//! DIFFERENCE: in Zeebe a script that fails is an incident on the element; in Camunda and Flowable
//! the command is undone, and a job that led there loses a retry. In these two a script may throw
//! a BPMN error and set variables besides its result.

use orloj_model::{CompletionVariables, Element, Script, ScriptTask};
use orloj_types::{Document, ElementInstanceKey, Value};

use super::Begun;
use crate::commands::take_over;
use crate::failure::Ruled;
use crate::scripts;
use crate::turn::Turn;
use crate::variables;

/// The element's own code is called once per visit.
const CALL_ORDINAL: u32 = 0;

pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &ScriptTask,
) -> Ruled<Begun> {
    let result = task.result_variable.as_ref();
    let value = scripts::run(turn, key, &element.id, CALL_ORDINAL, &task.script, result)?;
    // A program's runner has put the result among the variables already.
    if matches!(task.script, Script::Expression(_)) {
        give(turn, key, element, task, &value);
    }
    Ok(Begun::Done)
}

fn give(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &ScriptTask,
    value: &Value,
) {
    let Some(variable) = &task.result_variable else { return };
    let mut result = Document::new();
    result.insert(variable.clone(), value.to_stored());
    if task.is_result_local {
        variables::set_local(&mut turn.work.record, key, &result.0);
        turn.note_variables();
        return;
    }
    let how: CompletionVariables = turn.semantics().completion;
    take_over(turn, key, element, how, &result);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orloj_expr::{Expression, Language};
    use orloj_model::{
        ElementKind, Place, Position, Program, ProgramHost, ProgramLanguage, Script, ScriptTask,
    };

    use crate::InvokeResult;
    use crate::testing::{Sketch, Story, document, on_error, start, user};

    fn expression(language: Language, text: &str, result: Option<&str>) -> ElementKind {
        let script = Script::Expression(Expression::parse(language, text).expect(text));
        task(script, result)
    }

    fn program(source: &str) -> ElementKind {
        let program = Program {
            language: ProgramLanguage::Groovy,
            host: ProgramHost::Camunda,
            source: source.into(),
            stores_assigned: false,
            place: Place { start: Position::FIRST, is_verbatim: true },
        };
        task(Script::Program(Arc::new(program)), Some("r"))
    }

    fn task(script: Script, result: Option<&str>) -> ElementKind {
        ElementKind::ScriptTask(ScriptTask {
            script,
            result_variable: result.map(Arc::from),
            is_result_local: false,
            includes_variables: true,
        })
    }

    fn count(sketch: Sketch, task: ElementKind) -> Sketch {
        sketch
            .node("start", start())
            .node("count", task)
            .node("then", user())
            .flows("start -> count -> then")
    }

    #[test]
    fn feel_is_evaluated_in_place() {
        let task = expression(Language::Feel, "a + b", Some("sum"));
        let mut story = Story::of(count(Sketch::zeebe(), task).build());
        insta::assert_snapshot!(story.start(r#"{"a":1,"b":2}"#), @r#"
        started
        entered start
        left start
        entered count
        left count
        entered then
        --
        insert task1 then priority 50
        at then task1
        instance: {"a":1,"b":2,"sum":3}
        "#);
    }

    #[test]
    fn with_outputs_the_result_stays_local() {
        let task = expression(Language::Feel, "a + b", Some("sum"));
        let process = count(Sketch::zeebe(), task).output("count", "sum * 2", "double");
        let mut story = Story::of(process.build());
        assert!(
            story
                .start(r#"{"a":1,"b":2}"#)
                .trim_end()
                .ends_with(r#"instance: {"a":1,"b":2,"double":6}"#)
        );
    }

    #[test]
    fn uel_sets_variables_besides_its_result() {
        let text = "${execution.setVariable('b', a + 1)}";
        let task = expression(Language::Uel, text, None);
        let mut story = Story::of(count(Sketch::camunda(), task).build());
        assert!(story.start(r#"{"a":1}"#).trim_end().ends_with(r#"instance: {"a":1,"b":2}"#));
    }

    #[test]
    fn removed_variables_are_gone() {
        let task = expression(Language::Uel, "${execution.removeVariable('a')}", None);
        let mut story = Story::of(count(Sketch::camunda(), task).build());
        assert!(story.start(r#"{"a":1,"b":2}"#).trim_end().ends_with(r#"instance: {"b":2}"#));
        let removed = vec!["a".into(), "unknown".into()];
        let changed = InvokeResult::Changed {
            variables: document(r#"{"c":3}"#),
            locals: document("{}"),
            removed,
            value: orloj_types::Value::Null,
        };
        let process = count(Sketch::camunda(), program("x")).build();
        let mut story = Story::of(process).delegate("x", &[changed]);
        let seen = story.start(r#"{"a":1,"b":2}"#);
        assert!(seen.trim_end().ends_with(r#"instance: {"b":2,"c":3}"#), "{seen}");
    }

    #[test]
    fn an_expression_that_fails_is_an_incident_or_undoes_the_command() {
        let task = || expression(Language::Uel, "${missing + 1}", Some("r"));
        let mut camunda = Story::of(count(Sketch::camunda(), task()).build());
        assert!(camunda.start("{}").starts_with("rejected: count: an expression failed"));
        let zeebe = Sketch::camunda().meaning(|semantics| {
            *semantics = Sketch::zeebe().build().semantics.clone();
        });
        let mut zeebe = Story::of(count(zeebe, task()).build());
        assert!(zeebe.start("{}").contains("incident1 opened EXTRACT_VALUE_ERROR"));
        let scope = zeebe.record.as_ref().expect("it lives").instance.root_scope();
        let variables = document(r#"{"missing":3}"#);
        zeebe.play(crate::Command::SetVariables { scope, variables, local: false });
        assert!(zeebe.resolve().trim_end().ends_with(r#"instance: {"missing":3,"r":4}"#));
    }

    #[test]
    fn a_program_is_called_and_sets_variables_where_they_are() {
        let process = count(Sketch::camunda(), program("x")).build();
        let done = InvokeResult::Done { variables: document(r#"{"a":5,"r":6}"#) };
        let mut story = Story::of(process).delegate("x", &[done]);
        assert!(story.start(r#"{"a":1}"#).trim_end().ends_with(r#"instance: {"a":5,"r":6}"#));
        assert_eq!(story.invoked, [r#"x {"a":1}"#]);
    }

    #[test]
    fn an_error_of_a_program_is_caught_by_a_boundary_event() {
        let process = count(Sketch::camunda(), program("x"))
            .boundary("count", "no", on_error(Some("broke")))
            .node("sorry", user())
            .flows("no -> sorry");
        let error = InvokeResult::Error {
            code: "broke".into(),
            message: "no money".into(),
            variables: document(r#"{"asked":true}"#),
        };
        let mut story = Story::of(process.build()).delegate("x", &[error]);
        insta::assert_snapshot!(story.start("{}"), @r#"
        started
        entered start
        left start
        entered count
        terminated count
        entered no
        left no
        entered sorry
        --
        insert task1 sorry priority 50
        at sorry task1
        instance: {"asked":true}
        "#);
    }

    #[test]
    fn a_program_that_fails_costs_its_job_a_retry() {
        let process = count(Sketch::camunda(), program("x")).async_before("count");
        let failed = InvokeResult::Failed { message: "line 1: no such method".into() };
        let mut story = Story::of(process.build()).delegate("x", &[failed]);
        story.start("{}");
        assert!(story.run_job("count").contains("retries 2"));
        assert!(story.run_job("count").trim_end().ends_with("at then task1"));
    }
}
