//! The service task (BPMN 10.3.3, 13.3.3): work done by a client, or by code registered with us.
//!
//! A worker task makes a job and waits. A delegate is called within the command: the token does
//! not rest on the element, so the timers of its boundary events could never fire and are not
//! made; its error events do work.
//!
//! DIFFERENCE: what a job needs is evaluated when the element is entered in all three systems,
//! but where Zeebe stops with an incident on the element, Camunda and Flowable undo the command.
//! DIFFERENCE: an error that no event catches is an incident in Zeebe, ends the token in Camunda
//! and fails in Flowable.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{
    BuiltinTask, Connector, DelegateTask, Element, ElementIndex, ElementKind, HeaderKind,
    JOB_TYPE_BYTES_MAX, Mapping, Script, SentEvent, ServiceTask, Throw, WorkerTask,
};
use orloj_types::{Document, ElementInstanceKey, Value, Variables};

use super::{Begun, throw_event};
use crate::events::{self, Ready};
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign::{self, ThrownByCode};
use crate::invoke::Callee;
use crate::jobs::{self, Draft};
use crate::record::{JobKind, SubscriptionKind};
use crate::turn::Turn;
use crate::variables::View;
use crate::{
    assets, call_mappings, commands, delegates, exceptions, extract, mappings, schedule, scripts,
    unregistered, variables,
};

/// The element's own code is called once per visit.
const CALL_ORDINAL: u32 = 0;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    _index: ElementIndex,
    element: &Element,
    task: &ServiceTask,
) -> Ruled<Begun> {
    let given = unregistered::given(turn, key, element, task)?;
    match (given, task.worker()) {
        (Some(given), Some(worker)) => {
            create_job(turn, key, element, worker)?;
            turn.element_mut(key).held = given;
            Ok(Begun::Waits)
        }
        _ => Ok(Begun::Calls),
    }
}

pub(crate) fn delegate_name(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    delegate: &DelegateTask,
) -> Ruled<Arc<str>> {
    match &delegate.computed {
        Some(expression) => delegates::computed(turn, key, &element.id, expression),
        None => Ok(delegate.name.clone()),
    }
}

/// Everything is evaluated before anything is made, so a failure leaves nothing half done.
pub(crate) fn create_job(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled {
    let draft = draft(turn, key, element, worker)?;
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    events::open_all(turn, key, boundaries);
    jobs::create(turn, key, draft);
    Ok(())
}

/// The job for the worker, everything evaluated.
pub(crate) fn draft(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<Draft> {
    let retries = retries(turn, key, element, worker)?;
    let draft = Draft {
        job_type: job_type(turn, key, element, worker)?,
        priority: priority(turn, key, element, worker)?,
        category: jobs::category_of(turn, key, element)?,
        limit_key: jobs::limit_key_of(turn, key, element)?,
        ..Draft::new(JobKind::Worker, retries)
    };
    let mut headers = computed_headers(turn, key, element, worker)?;
    headers.extend(assets::headers(turn, key, element, worker)?);
    Ok(Draft { headers: (!headers.is_empty()).then(|| headers.into()), ..draft })
}

/// The headers that the model does not say literally; one that cannot be computed stops the element
/// here.
fn computed_headers(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<Vec<(Arc<str>, Arc<str>)>> {
    let mut headers = Vec::new();
    for header in &worker.computed_headers {
        let value = match header.kind {
            HeaderKind::DateTime => turn.evaluate_temporal(&element.id, key, &header.value)?,
            HeaderKind::Text | HeaderKind::TextList => {
                turn.evaluate(&element.id, key, &header.value)?
            }
        };
        let is_right = match (header.kind, &value) {
            (HeaderKind::Text, Value::Text(_)) | (HeaderKind::DateTime, Value::Null) => true,
            (HeaderKind::DateTime, Value::Temporal(value)) => schedule::at(value).is_some(),
            (HeaderKind::DateTime, Value::Text(text)) => {
                text.is_empty() || schedule::zoned_moment(text, turn.now).is_ok()
            }
            (HeaderKind::TextList, Value::List(items)) => {
                items.iter().all(|item| matches!(item, Value::Text(_)))
            }
            _ => false,
        };
        if !is_right {
            return Err(extract::wrong(element, &header.name, header_word(header.kind), &value));
        }
        let text: Arc<str> = match value {
            Value::Null => continue,
            Value::Text(text) => text,
            Value::Temporal(moment) => moment.to_string().into(),
            list => list.to_json().into(),
        };
        if !text.is_empty() {
            headers.push((header.name.clone(), text));
        }
    }
    Ok(headers)
}

fn header_word(kind: HeaderKind) -> &'static str {
    match kind {
        HeaderKind::Text => "a string",
        HeaderKind::TextList => "a list of strings",
        HeaderKind::DateTime => "a date with time",
    }
}

fn job_type(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<Arc<str>> {
    let job_type = extract::text(turn, key, element, "job type", &worker.job_type)?;
    let problem = if job_type.is_empty() {
        "the job type is empty".to_owned()
    } else if job_type.len() > JOB_TYPE_BYTES_MAX {
        format!("the job type is longer than {JOB_TYPE_BYTES_MAX} bytes")
    } else {
        return Ok(job_type);
    };
    Err(Failure::new(&element.id, FailureKind::ExtractValue, problem))
}

fn retries(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<i32> {
    let semantics = turn.semantics();
    let default = match semantics.jobs.workers_by_setting {
        true => i64::from(jobs::default_retries(turn)),
        false => i64::from(semantics.retries_default),
    };
    let retries = match &worker.retries {
        Some(expression) => extract::whole_number(turn, key, element, "retries", expression)?,
        None => None,
    };
    let retries = retries.unwrap_or(default).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    Ok(i32::try_from(retries).unwrap_or(i32::MAX))
}

fn priority(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<i64> {
    let Some(expression) = &worker.priority else { return Ok(0) };
    if turn.settings.ignores_worker_priorities {
        return Ok(0);
    }
    jobs::computed_priority(turn, key, element, expression)
}

/// The result of the code is there, or it is asked for.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &ServiceTask,
) -> Ruled<Begun> {
    let waits = called(turn, key, element, task)
        .map_err(|failure| exceptions::mapped_by_caller(turn, failure))?;
    match waits {
        true => {
            let boundaries = events::prepare_boundaries(turn, key, element)?;
            events::open_all(turn, key, boundaries);
            let kind = SubscriptionKind::Hand;
            events::open(turn, key, Ready::Subscription { event: element, kind });
            Ok(Begun::Waits)
        }
        false => Ok(Begun::Done),
    }
}

/// Whether the task waits for a trigger now that its code has run.
fn called(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &ServiceTask,
) -> Ruled<bool> {
    Ok(match task {
        ServiceTask::Delegate(delegate) => {
            call_delegate(turn, key, element, delegate)
                .map_err(|failure| exceptions::mapped(failure, &delegate.exceptions))?;
            delegate.is_triggerable
        }
        ServiceTask::Expression(task) => {
            let script = Script::Expression(task.expression.clone());
            let value = scripts::run(turn, key, &element.id, CALL_ORDINAL, &script, None)
                .map_err(|failure| exceptions::mapped(failure, &task.exceptions))?;
            let kept = Kept { local: task.is_result_local, transient: task.is_result_transient };
            keep(turn, key, task.result_variable.as_ref(), &value, kept);
            task.is_triggerable
        }
        ServiceTask::Builtin(task) => {
            call_builtin(turn, key, element, task)
                .map_err(|failure| exceptions::mapped(failure, &task.exceptions))?;
            task.is_triggerable
        }
        ServiceTask::Worker(_) => unreachable!("workers are not called"),
    })
}

fn call_delegate(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    delegate: &DelegateTask,
) -> Ruled {
    let name = delegate_name(turn, key, element, delegate)?;
    let fields = delegates::injected(turn, key, &element.id, &delegate.fields)?;
    let callee = || Callee::Delegate { name, fields };
    let value = foreign::call(turn, key, &element.id, CALL_ORDINAL, callee)?;
    keep(turn, key, delegate.result_variable.as_ref(), &value, Kept::default());
    Ok(())
}

fn call_builtin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &BuiltinTask,
) -> Ruled {
    let fields = builtin_fields(turn, key, element, task)?;
    let callee = || Callee::Builtin { kind: task.kind.clone(), fields };
    let outputs = task.connector.as_ref().map(|connector| &connector.outputs[..]);
    let value = match outputs {
        None | Some([]) => foreign::call(turn, key, &element.id, CALL_ORDINAL, callee)?,
        Some(outputs) => {
            let reply = foreign::ask(turn, key, &element.id, CALL_ORDINAL, callee)?;
            let kept = connector_outputs(turn, key, element, outputs, &reply.variables.0)?;
            variables::assign(&mut turn.work.record, key, &kept.0);
            turn.note_variables();
            reply.value
        }
    };
    keep(turn, key, task.result_variable.as_ref(), &value, Kept::default());
    Ok(())
}

/// What is kept of a connector's answer.
fn connector_outputs(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    outputs: &[Mapping],
    answer: &Variables,
) -> Ruled<Document> {
    let answer = answer.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect();
    let kept = mappings::values_over(turn, key, element, outputs, &answer)?;
    Ok(Document(kept.into_iter().map(|(name, value)| (name, value.to_stored())).collect()))
}

/// What something that the systems bring along is told.
pub(crate) fn builtin_fields(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &BuiltinTask,
) -> Ruled<Vec<(Arc<str>, Value)>> {
    let mut fields = delegates::fields(turn, key, &element.id, &task.fields)?;
    if let Some(connector) = &task.connector {
        let id = turn.evaluate(&element.id, key, &connector.id)?;
        fields.push(("connectorId".into(), id));
        fields.extend(mappings::values(turn, key, element, &connector.inputs)?);
    }
    if let Some(event) = &task.event {
        fields.extend(event_fields(turn, key, element, event)?);
    }
    Ok(fields)
}

fn event_fields(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    event: &SentEvent,
) -> Ruled<Vec<(Arc<str>, Value)>> {
    let mut fields = Vec::new();
    let known = [
        ("eventType", Some(&event.event_type)),
        ("channelKey", event.channel.as_ref()),
        ("triggerEventType", event.answer_type.as_ref()),
    ];
    for (name, expression) in known {
        let Some(expression) = expression else { continue };
        fields.push((name.into(), turn.evaluate(&element.id, key, expression)?));
    }
    if event.is_synchronous {
        fields.push(("sendSynchronously".into(), Value::Bool(true)));
    }
    let mut correlation = BTreeMap::new();
    for (name, expression) in &event.correlation {
        correlation.insert(name.clone(), turn.evaluate(&element.id, key, expression)?);
    }
    if !correlation.is_empty() {
        fields.push(("triggerEventCorrelation".into(), Value::Map(Arc::new(correlation))));
    }
    let payload = call_mappings::payload(turn, key, element, &event.inputs)?;
    fields.extend(payload.0.iter().map(|(name, value)| (name.clone(), Value::from(value))));
    Ok(fields)
}

/// Where a result goes.
#[derive(Clone, Copy, Default)]
struct Kept {
    /// Only into the element's own scope.
    local: bool,
    /// Only until the command ends.
    transient: bool,
}

fn keep(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    name: Option<&Arc<str>>,
    value: &Value,
    kept: Kept,
) {
    let Some(name) = name else { return };
    let value = value.to_stored();
    let root = turn.work.record.root.key;
    match kept {
        Kept { transient: true, local } => {
            let scope = if local { key } else { root };
            turn.work.set_transient(scope, name, value);
        }
        Kept { local: true, .. } => {
            variables::set_local(&mut turn.work.record, key, [(name, &value)]);
        }
        _ => variables::assign(&mut turn.work.record, key, [(name, &value)]),
    }
    turn.note_variables();
}

/// A worker is done: what it gave is judged and put where it belongs.
pub(crate) fn worked(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Begun> {
    let held = turn.element(key).held.clone();
    if let Some(code) = turn.element(key).thrown.clone() {
        let thrown = ThrownByCode { code, message: Arc::default(), variables: Document(held) };
        return Err(Failure::thrown(&element.id, thrown));
    }
    let Some(worker) = commands::task_of(turn, key) else { return Ok(Begun::Done) };
    let given: BTreeMap<Arc<str>, Value> =
        held.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect();
    let view = View::new(&turn.work.record, key).under(&given);
    if let Some(thrown) = error_of(turn, &view, element, worker)? {
        let variables = Document(held);
        return Err(Failure::thrown(&element.id, ThrownByCode { variables, ..thrown }));
    }
    let mut kept = match (&worker.outputs[..], connector_of(element)) {
        ([], Some(connector)) if !connector.outputs.is_empty() => {
            connector_outputs(turn, key, element, &connector.outputs, &held)?
        }
        ([], _) => Document(held),
        (outputs, _) => call_mappings::payload_from(turn, &view, element, outputs)?,
    };
    turn.element_mut(key).held.clear();
    keep_result(turn, key, element, &mut kept);
    commands::take_over(turn, key, element, worker.completion, &kept);
    Ok(Begun::Done)
}

fn connector_of(element: &Element) -> Option<&Connector> {
    match work_of(element)? {
        ServiceTask::Builtin(task) => task.connector.as_ref(),
        _ => None,
    }
}

/// The result of an expression that a client has worked goes where the model wants it.
fn keep_result(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    given: &mut Document,
) {
    let Some(ServiceTask::Expression(task)) = work_of(element) else { return };
    let kept = Kept { local: task.is_result_local, transient: task.is_result_transient };
    if !kept.local && !kept.transient {
        return;
    }
    let Some(name) = &task.result_variable else { return };
    if let Some(value) = given.0.remove(name) {
        keep(turn, key, Some(name), &Value::from(&value), kept);
    }
}

fn work_of(element: &Element) -> Option<&ServiceTask> {
    match &element.kind {
        ElementKind::ServiceTask(task) => Some(task),
        ElementKind::EndEvent(Throw::Message(task))
        | ElementKind::ThrowEvent(Throw::Message(task)) => Some(task),
        _ => None,
    }
}

/// The first error of the model whose condition holds.
pub(crate) fn error_of(
    turn: &Turn<'_>,
    view: &View<'_>,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<Option<ThrownByCode>> {
    for error in &worker.errors {
        let holds = turn.evaluate_in(&element.id, view, &error.condition)?;
        if matches!(holds, Value::Bool(true)) {
            let key = view.scope();
            let (code, message) = throw_event::error_texts(turn, key, element, &error.error)?;
            return Ok(Some(ThrownByCode { code, message, variables: Document::new() }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use orloj_model::{ElementKind, ServiceTask, WorkerTask};

    use crate::testing::{Sketch, Story, delegate, document, end, start, user, worker};
    use crate::{Activation, Command, InvokeResult};

    fn pay(sketch: Sketch, task: ElementKind) -> Sketch {
        sketch
            .node("start", start())
            .node("pay", task)
            .node("then", user())
            .flows("start -> pay -> then")
    }

    fn worker_of(element: &mut orloj_model::Element) -> &mut WorkerTask {
        match &mut element.kind {
            ElementKind::ServiceTask(ServiceTask::Worker(worker)) => worker,
            _ => panic!("a worker task"),
        }
    }

    #[test]
    fn in_zeebe_any_text_may_stand_for_a_priority() {
        for text in ["\"x\"", "null", "assert(x, false)"] {
            let sketch = pay(Sketch::zeebe(), worker("charge"));
            let priority = sketch.expression(text);
            let process = sketch.with("pay", |e| worker_of(e).priority = Some(priority));
            let told = Story::of(process.build()).start("{}");
            assert!(told.contains("charge of pay, ready, retries 3\n"), "{text}: {told}");
        }
    }

    #[test]
    fn a_worker_job_has_type_retries_and_priority_of_the_model() {
        let sketch = pay(Sketch::zeebe(), worker("charge"));
        let (job_type, retries, priority) = (
            sketch.expression(r#""charge-" + region"#),
            sketch.expression("2.5"),
            sketch.expression("-4"),
        );
        let process = sketch.with("pay", |e| {
            let worker = worker_of(e);
            worker.job_type = job_type;
            worker.retries = Some(retries);
            worker.priority = Some(priority);
        });
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"region":"eu"}"#), @r#"
        started
        entered start
        left start
        entered pay
        job1 created charge-eu
        --
        insert job1 charge-eu of pay, ready, retries 2, priority -4
        at pay job1
        instance: {"region":"eu"}
        "#);
    }

    #[test]
    fn a_type_that_is_no_text_or_empty_is_an_incident_or_a_refusal() {
        let draw = |sketch: Sketch, text: &str| {
            let sketch = pay(sketch, worker("charge"));
            let job_type = sketch.expression(text);
            Story::of(sketch.with("pay", |e| worker_of(e).job_type = job_type).build())
        };
        insta::assert_snapshot!(draw(Sketch::zeebe(), "12").start("{}"), @"
        started
        entered start
        left start
        entered pay
        incident1 opened EXTRACT_VALUE_ERROR: the job type should be a string, not number
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at pay entering incident1
        ");
        insta::assert_snapshot!(draw(Sketch::zeebe(), r#""""#).start("{}"), @"
        started
        entered start
        left start
        entered pay
        incident1 opened EXTRACT_VALUE_ERROR: the job type is empty
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at pay entering incident1
        ");
        insta::assert_snapshot!(draw(Sketch::camunda(), "12").start("{}"), @"rejected: pay: the job type should be a string, not number");
    }

    #[test]
    fn retries_that_are_text_are_an_incident_in_zeebe_and_numbers_in_uel() {
        let draw = |sketch: Sketch| {
            let sketch = pay(sketch, worker("charge"));
            let retries = sketch.expression(r#""7""#);
            Story::of(sketch.with("pay", |e| worker_of(e).retries = Some(retries)).build())
        };
        insta::assert_snapshot!(draw(Sketch::zeebe()).start("{}"), @"
        started
        entered start
        left start
        entered pay
        incident1 opened EXTRACT_VALUE_ERROR: the retries should be a number, not string
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at pay entering incident1
        ");
        insta::assert_snapshot!(draw(Sketch::camunda()).start("{}"), @"
        started
        entered start
        left start
        entered pay
        job1 created charge
        --
        insert job1 charge of pay, ready, retries 7
        at pay job1
        ");
    }

    #[test]
    fn a_worker_completes_once_and_history_knows_who_it_was() {
        let mut story = Story::of(pay(Sketch::zeebe(), worker("charge")).build());
        story.start(r#"{"a":1}"#);
        let complete = Command::CompleteJob {
            result: crate::JobResult::None,
            job: story.job_of("pay"),
            variables: document(r#"{"a":2,"b":3}"#),
            activations: vec![
                Activation { worker: "anna".into(), at: story.now },
                Activation { worker: "bob".into(), at: story.now },
            ],
        };
        insta::assert_snapshot!(story.play(complete.clone()), @r#"
        job1 activated by anna
        job1 activated by bob
        job1 completed
        left pay
        entered then
        --
        delete job1
        insert task1 then priority 50
        at then task1
        instance: {"a":2,"b":3}
        "#);
        insta::assert_snapshot!(story.play(complete), @"rejected: no job job1");
    }

    #[test]
    fn a_delegate_nobody_registered_is_a_worker_job() {
        let mut story = Story::of(pay(Sketch::camunda(), delegate("com.acme.Pay")).build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered pay
        job1 created com.acme.Pay
        --
        insert job1 com.acme.Pay of pay, ready, retries 3
        at pay job1
        ");
        insta::assert_snapshot!(story.complete("pay", "{}"), @"
        job1 completed
        left pay
        entered then
        --
        delete job1
        insert task1 then priority 50
        at then task1
        ");
    }

    #[test]
    fn a_delegate_sees_all_variables_and_sets_them_where_they_are() {
        let process = pay(Sketch::camunda(), delegate("Pay")).input("pay", "a + 1", "mine").build();
        let done = InvokeResult::Done { variables: document(r#"{"a":5,"mine":6,"b":7}"#) };
        let mut story = Story::of(process).delegate("Pay", &[done]);
        insta::assert_snapshot!(story.start(r#"{"a":1}"#), @r#"
        started
        entered start
        left start
        entered pay
        left pay
        entered then
        --
        insert task1 then priority 50
        at then task1
        instance: {"a":5,"b":7}
        "#);
        assert_eq!(story.invoked, [r#"Pay {"a":1,"mine":2}"#]);
    }

    #[test]
    fn foreign_code_that_fails_undoes_a_synchronous_command() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .node("pay", delegate("Pay"))
            .node("end", end())
            .flows("start -> ask -> pay -> end");
        let failed = InvokeResult::Failed { message: "out of order".into() };
        let mut story = Story::of(process.build()).delegate("Pay", &[failed]);
        story.start("{}");
        let before = story.record.clone();
        insta::assert_snapshot!(story.complete_user_task("ask", r#"{"a":1}"#), @"rejected: pay: out of order");
        assert_eq!(story.record, before);
        insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @"
        left ask
        entered pay
        left pay
        entered end
        left end
        ended Completed
        --
        delete task1
        end Completed {}
        ");
    }

    #[test]
    fn conditions_on_the_flows_of_a_task_are_honoured() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("pay", delegate("Pay"))
            .node("a", user())
            .node("b", user())
            .node("c", user())
            .node("d", user())
            .flows("start -> pay -> a")
            .flow_if("pay", "b", "n > 1")
            .flow_if("pay", "c", "n > 10")
            .default_flow("pay", "d")
            .build();
        let told = Story::of(process).delegate("Pay", &[]).start(r#"{"n":5}"#);
        let entered: Vec<_> = told.lines().filter_map(|l| l.strip_prefix("entered ")).collect();
        assert_eq!(entered, ["start", "pay", "a", "b"]);
    }
}
