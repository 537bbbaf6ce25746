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
use crate::call_mappings;
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
    if !task.includes_variables || !task.inputs.is_empty() {
        turn.beans.set_inputs(call_mappings::payload(turn, key, element, &task.inputs)?);
    }
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
        ElementKind, Locals, Place, Position, Program, ProgramHost, ProgramLanguage, Script,
        ScriptTask, SubProcessKind,
    };

    use orloj_types::{Document, Value};

    use crate::testing::{Sketch, Story, and, document, on_error, start, subprocess, user};
    use crate::{InvokeResult, VariableEdit, VariablePlace};

    fn edit(place: VariablePlace, name: &str, value: Option<i64>) -> VariableEdit {
        let value = value.map(|value| Value::Int(value).to_stored());
        VariableEdit { place, name: name.into(), value }
    }

    fn changed(edits: Vec<VariableEdit>) -> InvokeResult {
        InvokeResult::Changed { edits, business_key: None, task: Vec::new(), value: Value::Null }
    }

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
            inputs: Vec::new(),
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
        let changed = changed(vec![
            edit(VariablePlace::Nearest, "a", None),
            edit(VariablePlace::Nearest, "unknown", None),
            edit(VariablePlace::Nearest, "c", Some(3)),
        ]);
        let process = count(Sketch::camunda(), program("x")).build();
        let mut story = Story::of(process).delegate("x", &[changed]);
        let seen = story.start(r#"{"a":1,"b":2}"#);
        assert!(seen.trim_end().ends_with(r#"instance: {"b":2,"c":3}"#), "{seen}");
    }

    /// Two programs after each other in a subprocess, and a task behind it.
    fn chain(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .node("in", start())
            .node("one", program("one"))
            .node("two", program("two"))
            .node("out", user())
            .inside("sub", &["in", "one", "two", "out"])
            .node("then", user())
            .flows("start -> sub -> then")
            .flows("in -> one -> two -> out")
    }

    fn seen_by_second(sketch: Sketch, edits: Vec<VariableEdit>) -> (String, String) {
        let done = InvokeResult::Done { variables: Document::new() };
        let mut story = Story::of(chain(sketch).build())
            .delegate("one", &[changed(edits)])
            .delegate("two", &[done]);
        let told = story.start(r#"{"a":1}"#);
        (story.invoked[1].clone(), told)
    }

    #[test]
    fn a_transient_variable_hides_a_stored_one_until_the_command_ends() {
        let edits = vec![
            edit(VariablePlace::Transient, "a", Some(7)),
            edit(VariablePlace::Transient, "t", Some(8)),
        ];
        let (seen, told) = seen_by_second(Sketch::flowable(), edits);
        assert_eq!(seen, r#"two {"a":7,"t":8}"#);
        assert!(told.trim_end().ends_with(r#"instance: {"a":1}"#), "{told}");
        let edits = vec![
            edit(VariablePlace::Transient, "a", Some(7)),
            edit(VariablePlace::Transient, "a", None),
        ];
        assert_eq!(seen_by_second(Sketch::flowable(), edits).0, r#"two {"a":1}"#);
    }

    #[test]
    fn what_is_set_while_a_transient_variable_hides_it_stays() {
        let edits = vec![
            edit(VariablePlace::Transient, "a", Some(7)),
            edit(VariablePlace::Nearest, "a", Some(9)),
        ];
        let (_, told) = seen_by_second(Sketch::flowable(), edits);
        assert!(told.trim_end().ends_with(r#"instance: {"a":9}"#), "{told}");
    }

    #[test]
    fn local_variables_go_with_the_token_in_flowable_and_are_the_scopes_in_camunda() {
        let edits = || vec![edit(VariablePlace::Local, "x", Some(5))];
        let (seen, told) = seen_by_second(Sketch::flowable(), edits());
        assert_eq!(seen, r#"two {"a":1,"x":5}"#);
        assert!(told.trim_end().ends_with("instance: {\"a\":1}\nout: {\"x\":5}"), "{told}");
        let (seen, told) = seen_by_second(Sketch::camunda(), edits());
        assert_eq!(seen, r#"two {"a":1,"x":5}"#);
        assert!(told.trim_end().ends_with("instance: {\"a\":1}\nsub: {\"x\":5}"), "{told}");
        let zeebe = Sketch::camunda().meaning(|semantics| {
            semantics.locals = Locals::Element;
        });
        assert_eq!(seen_by_second(zeebe, edits()).0, r#"two {"a":1}"#);
        let transient = vec![edit(VariablePlace::TransientLocal, "x", Some(5))];
        let (seen, told) = seen_by_second(Sketch::flowable(), transient);
        assert_eq!(seen, r#"two {"a":1,"x":5}"#);
        assert!(told.trim_end().ends_with(r#"instance: {"a":1}"#), "{told}");
    }

    #[test]
    fn in_camunda_a_token_that_is_not_alone_keeps_its_local_variables_to_itself() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("fork", and())
            .node("one", program("one"))
            .node("two", program("two"))
            .node("wait", user())
            .node("then", user())
            .flows("start -> fork -> wait")
            .flows("fork -> one -> two -> then");
        let done = InvokeResult::Done { variables: Document::new() };
        let edits = vec![edit(VariablePlace::Local, "x", Some(5))];
        let mut story =
            Story::of(process.build()).delegate("one", &[changed(edits)]).delegate("two", &[done]);
        let told = story.start(r#"{"a":1}"#);
        assert_eq!(story.invoked[1], r#"two {"a":1,"x":5}"#);
        assert!(told.trim_end().ends_with("instance: {\"a\":1}\nthen: {\"x\":5}"), "{told}");
    }

    #[test]
    fn a_program_names_the_scope_that_it_means() {
        let edits = vec![
            edit(VariablePlace::ParentLocal, "p", Some(1)),
            edit(VariablePlace::Instance, "i", Some(2)),
            edit(VariablePlace::Element("sub".into()), "s", Some(3)),
        ];
        let (_, told) = seen_by_second(Sketch::flowable(), edits);
        let expected = "instance: {\"a\":1,\"i\":2}\nsub: {\"p\":1,\"s\":3}";
        assert!(told.trim_end().ends_with(expected), "{told}");
    }

    #[test]
    fn a_program_may_give_the_instance_that_starts_a_business_key() {
        let named = InvokeResult::Changed {
            edits: Vec::new(),
            business_key: Some(Some("order-7".into())),
            task: Vec::new(),
            value: Value::Null,
        };
        let process = || count(Sketch::camunda(), program("x"));
        let mut story = Story::of(process().build()).delegate("x", std::slice::from_ref(&named));
        story.start("{}");
        let record = story.record.as_ref().expect("it lives");
        assert_eq!(record.business_key.as_deref(), Some("order-7"));
        let late = process().async_before("count").build();
        let mut story = Story::of(late).delegate("x", &[named]);
        story.start("{}");
        assert!(story.run_job("count").contains("can only be set by the command that starts"));
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
