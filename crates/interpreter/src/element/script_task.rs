//! The script task (BPMN 10.3.3, 13.3.3): code written into the model.
//!
//! FEEL and UEL are evaluated here. Programs are foreign code and called within the command, as
//! delegates are: the token does not rest on the element, so timers of its boundary events could
//! never fire and are not made.
//!
//! DIFFERENCE: in Zeebe a script that fails is an incident on the element; in Camunda and Flowable
//! the command is undone, and a job that led there loses a retry. In these two a script may throw
//! a BPMN error and set variables besides its result.

use orloj_expr::Effect;
use orloj_model::{Element, ElementIndex, Script, ScriptTask};
use orloj_types::{Document, ElementInstanceKey, Value};

use super::Begun;
use crate::agenda::Step;
use crate::commands::take_over;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign::{self, Asked};
use crate::invoke::{Callee, Invoke};
use crate::turn::Turn;
use crate::{flow, mappings, variables};

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    element: &Element,
    task: &ScriptTask,
) -> Ruled<Begun> {
    mappings::apply_inputs(turn, key, element)?;
    match &task.script {
        Script::Expression(expression) => {
            let (value, effects) = turn.evaluate_script(&element.id, key, expression)?;
            apply(turn, key, effects);
            give(turn, key, element, task, &value);
            Ok(Begun::Done)
        }
        Script::Program(_) => {
            turn.work.agenda.push_next(Step::Call { key, element: index });
            Ok(Begun::Waits)
        }
    }
}

/// The program's result is there, or it is asked for.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    task: &ScriptTask,
) -> Ruled<Option<Invoke>> {
    let Script::Program(program) = &task.script else {
        unreachable!("only programs are called");
    };
    let callee = || Callee::Program {
        program: program.clone(),
        result_variable: task.result_variable.clone(),
    };
    match foreign::ask(turn, key, index, callee) {
        Asked::Call(invoke) => return Ok(Some(invoke)),
        Asked::Done { variables, removed } => {
            variables::remove(&mut turn.work.record, key, &removed);
            variables::assign(&mut turn.work.record, key, &variables.0);
            flow::complete(turn, key, index)?;
        }
        Asked::Failed { message, .. } => {
            return Err(Failure::new(&turn.model(index).id, FailureKind::Foreign, message));
        }
        Asked::Error(error) => foreign::throw(turn, key, index, &error)?,
    }
    Ok(None)
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
    let how = turn.semantics().completion;
    take_over(turn, key, element, how, &result);
}

/// What UEL wanted done, in its order.
fn apply(turn: &mut Turn<'_>, key: ElementInstanceKey, effects: Vec<Effect>) {
    let record = &mut turn.work.record;
    for effect in effects {
        match effect {
            Effect::SetVariable { name, value, local: true } => {
                variables::set_local(record, key, [(&name, &value.to_stored())]);
            }
            Effect::SetVariable { name, value, local: false } => {
                variables::assign(record, key, [(&name, &value.to_stored())]);
            }
            Effect::RemoveVariable { name, .. } => variables::remove(record, key, &[name]),
        }
    }
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
        ElementKind::ScriptTask(ScriptTask { script, result_variable: result.map(Arc::from) })
    }

    fn program(source: &str) -> ElementKind {
        let program = Program {
            language: ProgramLanguage::Groovy,
            host: ProgramHost::Camunda,
            source: source.into(),
            stores_assigned: false,
            place: Place { start: Position::FIRST, is_verbatim: true },
        };
        ElementKind::ScriptTask(ScriptTask {
            script: Script::Program(Arc::new(program)),
            result_variable: Some("r".into()),
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
        let changed = InvokeResult::Changed { variables: document(r#"{"c":3}"#), removed };
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
