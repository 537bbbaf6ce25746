//! The call activity (BPMN 10.3.6, 13.3.5): another process runs in its place.
//!
//! DIFFERENCE: a process that is not deployed is an incident in Zeebe and undoes the command in
//! Camunda and Flowable. In Flowable the end of the called instance may continue the caller by a
//! job of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{CallActivity, CallBinding, Element, ElementKind};
use orloj_types::{Document, ElementInstanceKey, InstanceKey, StoredValue, TenantId, Value};

use super::Begun;
use crate::agenda::{MemberIndex, Step};
use crate::call_mappings;
use crate::commands;
use crate::events;
use crate::exceptions;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::invoke::{Bound, Yield};
use crate::jobs;
use crate::listeners;
use crate::need::{CalledProcess, Need};
use crate::outcome::Event;
use crate::record::{Caller, JobKind};
use crate::turn::Turn;
use crate::variables::{self, View};
use crate::work::ProcessIndex;

/// The code that maps variables is called once in each direction.
const MAP_IN_ORDINAL: u32 = 0;
const MAP_OUT_ORDINAL: u32 = 1 << 11;

/// An instance to be called, everything evaluated.
struct Called {
    draft: commands::Draft,
    process: ProcessIndex,
    start: orloj_model::ElementIndex,
    key_variable: Option<Arc<str>>,
}

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    call: &CallActivity,
) -> Ruled<Begun> {
    let called = prepare(turn, key, element, call)
        .map_err(|failure| exceptions::mapped(failure, &call.exceptions))?;
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    let Called { mut draft, process, start, key_variable } = called;
    draft.instance = InstanceKey::new(turn.next_key());
    if let Some(name) = key_variable {
        let value = StoredValue::text(&draft.instance.raw().to_string());
        variables::assign(&mut turn.work.record, key, [(&name, &value)]);
        turn.note_variables();
    }
    events::open_all(turn, key, boundaries);
    turn.element_mut(key).called = Some(draft.instance);
    turn.event(Event::InstanceCalled { element_instance: key, called: draft.instance });
    let record = draft.record(turn.now);
    let (here, _) = turn.work.at();
    let member = turn.work.join(Box::new(record), &turn.processes[process], process, true);
    turn.switch(member);
    turn.event(Event::InstanceStarted);
    turn.work.push_turn(Step::BeginInstance { starts: [start].into(), listener: None });
    turn.switch(here);
    Ok(Begun::Waits)
}

/// Nothing changes yet, but for what code that maps variables wanted.
fn prepare(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    call: &CallActivity,
) -> Ruled<Called> {
    let called = called_process(turn, key, element, call)?;
    let (definition, process) = find(turn, element, &called)?;
    if turn.settings.is_suspended(definition) {
        let message = format!("process '{}' is suspended", called.process);
        return Err(Failure::new(&element.id, FailureKind::CalledMissing, message));
    }
    let Some(start) = turn.processes[process].root.none_start else {
        let message = format!("process '{}' has no start event without a trigger", called.process);
        return Err(Failure::new(&element.id, FailureKind::CalledMissing, message));
    };
    let business_key = match &call.business_key {
        Some(expression) => business_key(turn, key, element, expression)?,
        None if call.inherits_business_key => turn.work.record.business_key.clone(),
        None => None,
    };
    let key_variable = match &call.instance_key_variable {
        Some(expression) => {
            extract::optional_text(turn, key, element, "variable of the key", expression)?
        }
        None => None,
    };
    let mut variables = call_mappings::payload(turn, key, element, &call.inputs)?;
    if let Some(code) = &call.variable_mapping {
        variables.0.extend(mapped_by_code(turn, key, element, code)?.0);
    }
    if let Some(name) = &call.instance_name {
        // The name is the called instance's, which sees nothing else.
        let seen = variables.0.iter().map(|(name, value)| (name.clone(), Value::from(value)));
        let seen: BTreeMap<_, _> = seen.collect();
        let view = View::new(&turn.work.record, key).only(&seen);
        turn.evaluate_in(&element.id, &view, name)?;
    }
    let caller = Caller {
        instance: turn.work.record.instance,
        element_instance: key,
        root: turn.work.record.hierarchy(),
    };
    let draft = commands::Draft {
        instance: InstanceKey::default(),
        definition,
        tenant: called.tenant,
        business_key,
        variables,
        awaited_by: None,
        started_with: None,
        caller: Some(caller),
        tags: turn.work.record.tags.clone(),
        stops_after: Vec::new(),
    };
    Ok(Called { draft, process, start, key_variable })
}

fn business_key(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    expression: &Expression,
) -> Ruled<Option<Arc<str>>> {
    const WHAT: &str = "business key";
    let found = match extract::optional_text(turn, key, element, WHAT, expression) {
        Err(failure)
            if failure.needs.is_none() && turn.semantics().values.business_key_may_fail =>
        {
            None
        }
        found => found?,
    };
    match found.is_none() && !turn.semantics().values.business_key_may_be_null {
        true => Err(extract::wrong(element, WHAT, "a string", &Value::Null)),
        false => Ok(found),
    }
}

/// What code that maps variables puts into the called instance: what it sets of its own.
fn mapped_by_code(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    code: &orloj_model::Code,
) -> Ruled<Document> {
    let before = turn.work.record.visible(key);
    listeners::run(turn, key, &element.id, code, &[], MAP_IN_ORDINAL)?;
    let after = turn.work.record.visible(key);
    let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(*value));
    Ok(Document(changed.map(|(name, value)| (name.clone(), value.clone())).collect()))
}

fn find(
    turn: &Turn<'_>,
    element: &Element,
    called: &CalledProcess,
) -> Ruled<(orloj_types::DefinitionKey, ProcessIndex)> {
    let known = turn.work.called.iter().find(|(request, _)| request == called);
    let Some((_, found)) = known else {
        return Err(Failure::needs(&element.id, Yield::Need(Need::Definition(called.clone()))));
    };
    found.ok_or_else(|| {
        let message = format!("no process '{}' is deployed", called.process);
        Failure::new(&element.id, FailureKind::CalledMissing, message)
    })
}

fn called_process(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    call: &CallActivity,
) -> Ruled<CalledProcess> {
    let process = extract::text(turn, key, element, "called process", &call.process)?;
    let binding = match &call.binding {
        CallBinding::Latest => Bound::Latest,
        CallBinding::Definition => Bound::Definition,
        CallBinding::Deployment => Bound::Deployment,
        CallBinding::DeploymentOrLatest => Bound::DeploymentOrLatest,
        CallBinding::Version(version) => {
            let version = extract::whole_number(turn, key, element, "version", version)?;
            match version {
                // A number that no version has is found by nobody.
                Some(version) => Bound::Version(i32::try_from(version).unwrap_or(0)),
                None => Bound::Latest,
            }
        }
        CallBinding::VersionTag(tag) => {
            Bound::VersionTag(extract::text(turn, key, element, "version tag", tag)?)
        }
    };
    let record = &turn.work.record;
    let tenant = match &call.tenant {
        Some(expression) => {
            let tenant = extract::optional_text(turn, key, element, "tenant", expression)?;
            tenant.map_or_else(TenantId::none, |tenant| TenantId::from(&*tenant))
        }
        None => record.tenant.clone(),
    };
    Ok(CalledProcess {
        process,
        binding,
        tenant,
        falls_back_to_no_tenant: call.falls_back_to_no_tenant,
        caller: record.definition,
    })
}

/// The called instance, which is at work, has ended: its caller goes on.
pub(crate) fn hand_back(turn: &mut Turn<'_>) -> Ruled {
    let Some(caller) = turn.work.record.caller else { return Ok(()) };
    let (called, _) = turn.work.at();
    let Some(member) = turn.member(caller.instance)? else { return Ok(()) };
    go_to_caller(turn, member)?;
    let key = caller.element_instance;
    if turn.work.ended.is_some() || turn.work.record.elements.get(key).is_none() {
        return Ok(());
    }
    let element = turn.model(turn.index_of(&turn.element(key).element));
    let ElementKind::CallActivity(call) = &element.kind else { return Ok(()) };
    let given = match call_mappings::gather(turn, key, element, called) {
        Ok(given) => given,
        Err(failure) if failure.needs.is_some() => return Err(failure),
        Err(failure) => {
            let state = crate::record::ElementState::Active;
            return flow::settle(turn, key, state, failure);
        }
    };
    if let Some(code) = &call.variable_mapping {
        listeners::run(turn, key, &element.id, code, &[], MAP_OUT_ORDINAL)?;
    }
    call_mappings::give_back(turn, key, element, &given);
    turn.element_mut(key).called = None;
    match call.completes_by_job {
        Some(point) => jobs::create_async(turn, key, element, JobKind::AsyncComplete, point)?,
        None => flow::complete_in_turn(turn, key),
    }
    Ok(())
}

/// The work goes on in a caller of the instance at work, or that instance cannot go on either.
///
/// DIFFERENCE: in Camunda nothing moves a suspended instance, so what ends an instance that it has
/// called fails, and so does an error that it would catch. In Flowable it goes on to its next job.
pub(crate) fn go_to_caller(turn: &mut Turn<'_>, caller: MemberIndex) -> Ruled {
    let called = turn.process_element();
    turn.switch(caller);
    let record = &turn.work.record;
    if record.is_suspended && turn.semantics().jobs.suspended_waits_for_called {
        let message = format!("instance {} is suspended", record.instance);
        return Err(Failure::new(&called, FailureKind::CallerSuspended, message));
    }
    Ok(())
}

/// What the instance at work and those around it have so far goes to their callers, as far as
/// the member `until`, or to all of them.
pub(crate) fn pass_outputs(turn: &mut Turn<'_>, until: Option<MemberIndex>) -> Ruled {
    loop {
        let (called, _) = turn.work.at();
        let Some(caller) = turn.work.record.caller.filter(|_| Some(called) != until) else {
            return Ok(());
        };
        let Some(member) = turn.member(caller.instance)? else { return Ok(()) };
        turn.switch(member);
        let key = caller.element_instance;
        let Some(instance) = turn.work.record.element(key) else { return Ok(()) };
        let element = turn.model(turn.index_of(&instance.element));
        let given = call_mappings::gather(turn, key, element, called)?;
        call_mappings::give_back(turn, key, element, &given);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orloj_expr::Expression;
    use orloj_model::{
        CallActivity, CallMapping, ElementKind, Process, SavePoint, SubProcessKind, Throw,
    };
    use orloj_types::Value;

    use crate::testing::{
        Sketch, Story, call, condition, document, end, escalation, on, on_error, start, start_on,
        subprocess, user, worker,
    };
    use crate::{Command, JobKind, Record};

    fn constant(text: &str) -> Expression {
        Expression::constant(Value::text(text))
    }

    fn caller(sketch: Sketch, change: impl FnOnce(&mut CallActivity)) -> Sketch {
        let mut activity = call("child");
        change(&mut activity);
        sketch
            .node("start", start())
            .node("call", ElementKind::CallActivity(activity))
            .node("then", user())
            .flows("start -> call -> then")
    }

    fn child(sketch: Sketch) -> Arc<Process> {
        sketch
            .node("begin", start())
            .node("work", worker("work"))
            .node("done", end())
            .flows("begin -> work -> done")
            .build()
    }

    fn complete(variables: &'static str) -> impl FnOnce(&Record) -> Command {
        move |record| {
            let mut jobs = record.elements.iter().flat_map(|e| &e.jobs);
            let job = jobs.next().expect("it works").key;
            let variables = document(variables);
            Command::CompleteJob {
                job,
                variables,
                result: crate::JobResult::None,
                activations: Vec::new(),
            }
        }
    }

    #[test]
    fn variables_go_in_and_come_out_by_their_mappings() {
        let sketch = Sketch::camunda();
        let sum = sketch.expression("a + 1");
        let result = sketch.expression("r");
        let parent = caller(sketch, |call| {
            call.inputs = vec![value(sum, "n")];
            call.outputs = vec![value(result, "result")];
            call.inherits_business_key = true;
            call.instance_key_variable = Some(constant("calledKey"));
        });
        let mut story = Story::of(parent.build()).callable("child", child(Sketch::camunda()));
        story.start(r#"{"a":1}"#);
        let (key, record) = story.others.last_key_value().expect("it was called");
        assert_eq!(record.variables[&record.root.key].len(), 1);
        let mine = story.record.as_ref().expect("it lives");
        let noted = Value::from(&mine.variables[&mine.root.key]["calledKey"]).to_json();
        assert_eq!(noted, format!("\"{}\"", key.raw()));
        let told = story.in_called(complete(r#"{"r":7,"noise":1}"#));
        assert!(told.contains("entered then"), "{told}");
        let mine = story.record.as_ref().expect("it lives");
        let own = &mine.variables[&mine.root.key];
        assert!(own.contains_key("result") && !own.contains_key("noise"));
        assert!(story.others.is_empty());
    }

    #[test]
    fn a_process_that_is_missing_is_an_incident_or_undoes_the_command() {
        let mut zeebe = Story::of(caller(Sketch::zeebe(), |_| ()).build());
        assert!(zeebe.start("{}").contains("opened CALLED_ELEMENT_ERROR"));
        zeebe = zeebe.callable("child", child(Sketch::zeebe()));
        assert!(zeebe.resolve().contains("== another instance"));
        let mut camunda = Story::of(caller(Sketch::camunda(), |_| ()).build());
        assert!(camunda.start("{}").starts_with("rejected: call: no process 'child'"));
    }

    #[test]
    fn the_caller_may_go_on_by_a_job_of_its_own() {
        let parent = caller(Sketch::flowable(), |call| {
            call.completes_by_job = Some(SavePoint { exclusive: true });
        });
        let mut story = Story::of(parent.build()).callable("child", child(Sketch::flowable()));
        story.start("{}");
        story.in_called(complete("{}"));
        let job = story.job_of("call");
        assert_eq!(story.jobs[&job].job.kind, JobKind::AsyncComplete);
        assert!(story.run_job("call").contains("entered then"));
    }

    #[test]
    fn an_error_of_the_called_instance_is_caught_by_its_caller_and_ends_it() {
        let parent = caller(Sketch::camunda(), |_| ())
            .boundary("call", "failed", on_error(Some("broke")))
            .node("sorry", user())
            .flows("failed -> sorry");
        let mut story = Story::of(parent.build()).callable("child", child(Sketch::camunda()));
        story.start("{}");
        let told = story.in_called(|record| {
            let job = record.elements.iter().flat_map(|e| &e.jobs).next().expect("it works").key;
            Command::ThrowError(crate::ThrowError {
                job,
                code: "broke".into(),
                message: "no money".into(),
                variables: document("{}"),
                activations: Vec::new(),
            })
        });
        assert!(told.contains("ended Cancelled") && told.contains("entered sorry"), "{told}");
        assert!(story.others.is_empty());
    }

    #[test]
    fn an_escalation_that_interrupts_nothing_lets_the_called_instance_go_on() {
        let parent = caller(Sketch::camunda(), |_| ())
            .boundary("call", "heard", on(false, escalation(None)))
            .node("note", user())
            .flows("heard -> note");
        let called = Sketch::camunda()
            .node("begin", start())
            .node("shout", ElementKind::ThrowEvent(Throw::Escalation(Some(constant("x")))))
            .node("work", worker("work"))
            .flows("begin -> shout -> work")
            .build();
        let mut story = Story::of(parent.build()).callable("child", called);
        let told = story.start("{}");
        assert!(told.contains("entered note") && told.contains("entered work"), "{told}");
        story.play(Command::Cancel);
        assert!(story.others.is_empty(), "it is cancelled with its caller");
    }

    fn value(source: Expression, target: &str) -> CallMapping {
        CallMapping::Value {
            source,
            target: constant(target),
            is_local: false,
            is_transient: false,
            skips_missing: false,
        }
    }

    fn shouting() -> Arc<Process> {
        Sketch::camunda()
            .node("begin", start())
            .node("shout", ElementKind::ThrowEvent(Throw::Escalation(Some(constant("x")))))
            .node("work", worker("work"))
            .flows("begin -> shout -> work")
            .build()
    }

    #[test]
    fn an_escalation_that_nobody_catches_brings_the_outputs_along() {
        let parent = |source: &str| {
            let given = Sketch::camunda().expression(source);
            let parent = caller(Sketch::camunda(), |call| {
                call.inputs = vec![CallMapping::All { is_local: false }];
                call.outputs = vec![value(given, "result")];
            });
            Story::of(parent.build()).callable("child", shouting()).start(r#"{"n":1}"#)
        };
        assert!(parent("n + 1").contains(r#"instance: {"n":1,"result":2}"#), "{}", parent("n + 1"));
        assert!(parent("missing").starts_with("rejected"), "{}", parent("missing"));
    }

    #[test]
    fn a_variable_that_two_outputs_name_is_set_once() {
        let sketch = Sketch::camunda();
        let (one, two) = (sketch.expression("1"), sketch.expression("2"));
        let parent = caller(sketch, |call| {
            call.outputs = vec![value(one, "t"), value(two, "t")];
        })
        .node("aside", subprocess(SubProcessKind::Event))
        .node("heard", start_on(false, condition("true")))
        .inside("aside", &["heard"]);
        let mut story = Story::of(parent.build()).callable("child", child(Sketch::camunda()));
        story.start("{}");
        let told = story.in_called(complete("{}"));
        let heard = told.lines().filter(|line| line.starts_with("entered heard")).count();
        assert_eq!(heard, 1, "{told}");
        assert!(told.contains(r#""t":2"#), "{told}");
    }
}
