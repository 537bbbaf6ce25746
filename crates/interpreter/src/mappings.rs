//! Input and output mappings of an element.
//!
//! Entries run in the order of the model. Nothing is applied unless all of them could be evaluated.
//!
//! DIFFERENCE: in Zeebe an entry sees the results of earlier ones before all else, but objects only
//! when they are whole. In Camunda an
//! input sees what is around the element and nothing of the element itself, and an output sees
//! the element's own variables before the results.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Scope;
use orloj_model::{CompletionVariables, Element, ElementKind, Mapping, MappingSource, ServiceTask};
use orloj_types::{Document, ElementInstanceKey, StoredValue, Value};

use crate::built::Built;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::record::Role;
use crate::scripts;
use crate::turn::Turn;
use crate::variables::{self, View};

/// Scripts of mappings are counted apart from the element's own calls.
const SCRIPT_ORDINAL: u32 = 1 << 13;

type Results = BTreeMap<Arc<str>, Value>;

/// Input mappings make variables of the element instance's own.
pub(crate) fn apply_inputs(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled {
    if element.inputs.is_empty() {
        return Ok(());
    }
    let results = match turn.semantics().values.mappings_build_up {
        // A nested target starts from nothing, not from the variable outside.
        true => evaluate(turn, key, element, &element.inputs, |_| None)?,
        false => {
            turn.beans.set_arrives(true);
            let results = evaluate_outside(turn, key, element);
            turn.beans.set_arrives(false);
            results?
        }
    };
    let results = stored(results);
    variables::set_local(&mut turn.work.record, key, &results);
    turn.note_variables();
    Ok(())
}

/// Inputs that see only what is around the element.
fn evaluate_outside(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> Ruled<Results> {
    let outside = outside(turn, key, element);
    let view = View::new(&turn.work.record, outside);
    turn.beans.set_seen(Document(turn.work.record.visible(outside)));
    let mut results = Results::new();
    for mapping in &element.inputs {
        let value = value_of(turn, key, element, &view, &mapping.source)
            .map_err(|failure| Failure { kind: FailureKind::IoMapping, ..failure })?;
        let [name] = &mapping.target[..] else { continue };
        results.insert(name.clone(), value);
    }
    Ok(results)
}

/// The scope around an element instance. One of a multi-instance activity that is no scope by
/// itself shares that of the loop, so its item lies inside of it.
fn outside(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> ElementInstanceKey {
    let instance = turn.element(key);
    if instance.role != Role::Inner {
        return instance.scope;
    }
    let is_sequential = element.multi.as_ref().is_some_and(|multi| multi.is_sequential);
    match is_scope_in_loop(element) {
        true => key,
        // The instances of a sequential one follow each other in the body itself.
        false if is_sequential => turn.element(instance.scope).scope,
        false => instance.scope,
    }
}

/// Whether an instance of a loop is a scope by itself.
pub(crate) fn is_scope_in_loop(element: &Element) -> bool {
    match &element.kind {
        ElementKind::SubProcess(_) | ElementKind::ServiceTask(ServiceTask::Worker(_)) => true,
        ElementKind::ReceiveTask(receive) => receive.message.is_some(),
        _ => false,
    }
}

/// What mappings give, applied nowhere.
pub(crate) fn values(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    mappings: &[Mapping],
) -> Ruled<BTreeMap<Arc<str>, Value>> {
    evaluate(turn, key, element, mappings, |_| None)
}

/// The same, where other values hide the variables.
pub(crate) fn values_over(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    mappings: &[Mapping],
    over: &BTreeMap<Arc<str>, Value>,
) -> Ruled<BTreeMap<Arc<str>, Value>> {
    let mut results = over.clone();
    let mut names = Vec::new();
    for mapping in mappings {
        let view = View::new(&turn.work.record, key).under(&results);
        let value = value_of(turn, key, element, &view, &mapping.source)?;
        let [name] = &mapping.target[..] else { continue };
        results.insert(name.clone(), value);
        names.push(name);
    }
    results.retain(|name, _| names.contains(&name));
    Ok(results)
}

/// Output mappings set variables from the surrounding scope outward.
pub(crate) fn apply_outputs(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled {
    // DIFFERENCE: Zeebe accepts output mappings of gateways and ignores them; nobody else has
    // them.
    if element.outputs.is_empty() || element.kind.is_gateway() {
        return Ok(());
    }
    let record = &turn.work.record;
    let results = match turn.semantics().values.mappings_build_up {
        true => {
            evaluate(turn, key, element, &element.outputs, |name| View::new(record, key).get(name))?
        }
        false => evaluate_inside(turn, key, element)?,
    };
    let results = stored(results);
    let how = turn.semantics().completion;
    // DIFFERENCE: in Zeebe an instance of a loop keeps results that it has variables for.
    let instance = turn.element(key);
    let scope = match (instance.role, how) {
        (Role::Inner, CompletionVariables::Merge) => key,
        _ => instance.scope,
    };
    variables::give(&mut turn.work.record, how, scope, &results);
    turn.note_variables();
    Ok(())
}

/// Outputs that see the element's own variables, and behind them what earlier ones gave.
fn evaluate_inside(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> Ruled<Results> {
    let own = turn.work.record.variables.get(&key);
    let is_hidden = |name: &Arc<str>| own.is_some_and(|own| own.contains_key(name));
    let (mut results, mut seen) = (Results::new(), Results::new());
    for mapping in &element.outputs {
        let view = View::new(&turn.work.record, key).under(&seen);
        let value = value_of(turn, key, element, &view, &mapping.source)
            .map_err(|failure| Failure { kind: FailureKind::IoMapping, ..failure })?;
        let [name] = &mapping.target[..] else { continue };
        if !is_hidden(name) {
            seen.insert(name.clone(), value.clone());
        }
        results.insert(name.clone(), value);
    }
    Ok(results)
}

/// `known` is what a nested target is put into.
fn evaluate(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    mappings: &[Mapping],
    known: impl Fn(&str) -> Option<Value>,
) -> Ruled<Results> {
    let mut built = Built::default();
    for mapping in mappings {
        let Some((name, path)) = mapping.target.split_last() else { continue };
        built.go_to(path, &known);
        let view = View::new(&turn.work.record, key).under(built.seen());
        let value = value_of(turn, key, element, &view, &mapping.source)
            .map_err(|failure| Failure { kind: FailureKind::IoMapping, ..failure })?;
        built.put(name.clone(), value);
    }
    Ok(built.into_results())
}

/// Lists and maps are as deep as the model nests them, which the parser bounds.
fn value_of(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    view: &View<'_>,
    source: &MappingSource,
) -> Ruled<Value> {
    match source {
        MappingSource::Expression(expression) => turn.evaluate_in(&element.id, view, expression),
        MappingSource::Script(script) => {
            let ordinal = SCRIPT_ORDINAL + turn.beans.next_script();
            scripts::value(turn, key, &element.id, ordinal, script)
        }
        MappingSource::List(items) => {
            let items: Ruled<Vec<Value>> =
                items.iter().map(|item| value_of(turn, key, element, view, item)).collect();
            Ok(Value::List(Arc::new(items?)))
        }
        MappingSource::Map(entries) => {
            let mut map = BTreeMap::new();
            for (name, entry) in entries {
                let name = match turn.evaluate_in(&element.id, view, name)? {
                    Value::Text(name) => name,
                    other => return Err(extract::wrong(element, "name", "a string", &other)),
                };
                map.insert(name, value_of(turn, key, element, view, entry)?);
            }
            Ok(Value::Map(Arc::new(map)))
        }
    }
}

fn stored(results: Results) -> BTreeMap<Arc<str>, StoredValue> {
    results.into_iter().map(|(name, value)| (name, value.to_stored())).collect()
}

#[cfg(test)]
mod tests {
    use crate::Command;
    use crate::testing::{Sketch, Story, document, start, user, worker};

    fn pay(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("pay", worker("charge"))
            .node("then", user())
            .flows("start -> pay -> then")
    }

    /// The variables after the job is completed, by scope.
    fn after(sketch: Sketch, start: &str, completion: &str) -> String {
        let mut story = Story::of(sketch.build());
        story.start(start);
        let told = story.complete("pay", completion);
        told.lines().filter(|line| line.contains(": {")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn inputs_are_local_see_each_other_and_build_objects() {
        let process = pay(Sketch::zeebe())
            .input("pay", "a + 1", "b")
            .input("pay", "b + 1", "c.d")
            .input("pay", "d + 1", "c.e.f")
            .input("pay", "c.z", "c.g")
            .input("pay", "c.e.f + 1", "h");
        let mut story = Story::of(process.build());
        let told = story.start(r#"{"a":1,"c":{"z":0}}"#);
        insta::assert_snapshot!(told.lines().filter(|l| l.contains(": {")).collect::<Vec<_>>().join("\n"), @r#"
        instance: {"a":1,"c":{"z":0}}
        pay: {"b":2,"c":{"d":3,"e":{"f":4},"g":0},"h":5}
        "#);
    }

    #[test]
    fn without_outputs_variables_go_outward() {
        assert_eq!(
            after(pay(Sketch::zeebe()), r#"{"a":1}"#, r#"{"a":2,"b":3}"#),
            r#"instance: {"a":2,"b":3}"#
        );
    }

    #[test]
    fn a_local_variable_takes_a_different_value_but_lets_an_equal_one_pass() {
        let process = || pay(Sketch::zeebe()).input("pay", "1", "x");
        assert_eq!(after(process(), "{}", r#"{"x":2}"#), "");
        assert_eq!(after(process(), "{}", r#"{"x":1}"#), r#"instance: {"x":1}"#);
        // Where variables are assigned an equal value is taken as well.
        let assigned = pay(Sketch::camunda()).input("pay", "1", "x");
        assert_eq!(after(assigned, "{}", r#"{"x":1}"#), "");
    }

    #[test]
    fn with_outputs_everything_else_stays_local_and_vanishes() {
        let process = pay(Sketch::zeebe()).output("pay", "total * 2", "double");
        assert_eq!(after(process, "{}", r#"{"total":4,"noise":1}"#), r#"instance: {"double":8}"#);
        // Assigned variables are set on the instance before the outputs are made.
        let assigned = pay(Sketch::camunda()).output("pay", "total * 2", "double");
        assert_eq!(
            after(assigned, "{}", r#"{"total":4,"noise":1}"#),
            r#"instance: {"double":8,"noise":1,"total":4}"#
        );
    }

    #[test]
    fn outputs_see_each_other_and_merge_into_objects() {
        let process = pay(Sketch::zeebe())
            .output("pay", "total", "order.total")
            .output("pay", "total + order.id", "order.next.value")
            .output("pay", "order.total", "order.next.before")
            .output("pay", "order.next.value + 1", "last");
        assert_eq!(
            after(process, r#"{"order":{"id":7,"next":{"old":0}}}"#, r#"{"total":4}"#),
            r#"instance: {"last":12,"order":{"id":7,"next":{"before":null,"old":0,"value":11},"total":4}}"#
        );
    }

    #[test]
    fn an_output_into_what_is_no_object_makes_it_null() {
        let process = || pay(Sketch::zeebe()).output("pay", "total", "x.y");
        assert_eq!(after(process(), r#"{"x":5}"#, r#"{"total":4}"#), r#"instance: {"x":null}"#);
        assert_eq!(
            after(process(), r#"{"x":null}"#, r#"{"total":4}"#),
            r#"instance: {"x":{"y":4}}"#
        );
        let deep = pay(Sketch::zeebe()).output("pay", "total", "x.y.z");
        assert_eq!(
            after(deep, r#"{"x":{"y":1,"a":2}}"#, r#"{"total":4}"#),
            r#"instance: {"x":{"a":2,"y":null}}"#
        );
    }

    /// In FEEL only an exhausted budget fails, so UEL plays the part here.
    fn incident_process() -> Sketch {
        pay(Sketch::camunda().meaning(|semantics| {
            let zeebe = Sketch::zeebe().build();
            semantics.failures = zeebe.semantics.failures;
            semantics.incident_names = zeebe.semantics.incident_names;
            semantics.completion = zeebe.semantics.completion;
        }))
    }

    #[test]
    fn an_output_that_fails_is_an_incident_and_resolving_repeats_the_completion() {
        let process = incident_process().output("pay", "total", "a").output("pay", "missing", "b");
        let mut story = Story::of(process.build());
        story.start(r#"{"a":1}"#);
        insta::assert_snapshot!(story.complete("pay", r#"{"total":2}"#), @r#"
        job1 completed
        incident1 opened IO_MAPPING_ERROR: an expression failed: unknown property used in expression: there is no variable 'missing'
        --
        delete job1
        insert incident1 IO_MAPPING_ERROR
        at pay incident1
        instance: {"a":1}
        pay: {"total":2}
        "#);
        insta::assert_snapshot!(story.resolve(), @r#"
        incident1 closed
        incident2 opened IO_MAPPING_ERROR: an expression failed: unknown property used in expression: there is no variable 'missing'
        --
        delete incident1
        insert incident2 IO_MAPPING_ERROR
        at pay incident2
        instance: {"a":1}
        pay: {"total":2}
        "#);
        let scope = story.record.as_ref().expect("it lives").instance.root_scope();
        let variables = document(r#"{"missing":3}"#);
        story.play(Command::SetVariables { scope, variables, local: false });
        insta::assert_snapshot!(story.resolve(), @r#"
        incident2 closed
        left pay
        entered then
        --
        insert task1 then priority 50
        delete incident2
        at then task1
        instance: {"a":2,"b":3,"missing":3}
        "#);
    }

    #[test]
    fn an_input_that_fails_is_an_incident_and_resolving_enters_again() {
        let process = incident_process().input("pay", "missing", "b");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered pay
        incident1 opened IO_MAPPING_ERROR: an expression failed: unknown property used in expression: there is no variable 'missing'
        --
        insert incident1 IO_MAPPING_ERROR
        at pay entering incident1
        ");
        let scope = story.record.as_ref().expect("it lives").instance.root_scope();
        let variables = document(r#"{"missing":3}"#);
        story.play(Command::SetVariables { scope, variables, local: false });
        insta::assert_snapshot!(story.resolve(), @r#"
        incident1 closed
        job1 created charge
        --
        insert job1 charge of pay, ready, retries 3
        delete incident1
        at pay job1
        instance: {"missing":3}
        pay: {"b":3}
        "#);
    }

    #[test]
    fn in_camunda_a_mapping_that_fails_undoes_the_command() {
        let process = pay(Sketch::camunda()).output("pay", "missing", "b");
        let mut story = Story::of(process.build());
        story.start("{}");
        let before = story.record.clone();
        insta::assert_snapshot!(story.complete("pay", r#"{"total":2}"#), @"rejected: pay: an expression failed: unknown property used in expression: there is no variable 'missing'");
        assert_eq!(story.record, before);
    }
}
