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

use std::sync::Arc;

use orloj_model::{
    DelegateTask, Element, ElementIndex, JOB_TYPE_BYTES_MAX, ServiceTask, WorkerTask,
};
use orloj_types::ElementInstanceKey;

use super::Begun;
use crate::agenda::Step;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign::{self, Asked};
use crate::invoke::{Callee, Invoke};
use crate::jobs::{self, Draft};
use crate::record::JobKind;
use crate::turn::Turn;
use crate::{extract, flow, mappings, timers, variables};

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    element: &Element,
    task: &ServiceTask,
) -> Ruled<Begun> {
    mappings::apply_inputs(turn, key, element)?;
    match task {
        ServiceTask::Delegate(delegate) if turn.delegates.knows(&delegate.name) => {
            turn.work.agenda.push_next(Step::Call { key, element: index });
        }
        ServiceTask::Delegate(DelegateTask { worker, .. }) | ServiceTask::Worker(worker) => {
            create_job(turn, key, element, worker)?;
        }
    }
    Ok(Begun::Waits)
}

/// Everything is evaluated before anything is made, so a failure leaves nothing half done.
fn create_job(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled {
    let draft = Draft {
        kind: JobKind::Worker,
        job_type: job_type(turn, key, element, worker)?,
        retries: retries(turn, key, element, worker)?,
        priority: priority(turn, key, element, worker)?,
        exclusive: false,
        due_at: None,
    };
    for armed in timers::prepare_boundaries(turn, key, element)? {
        timers::create(turn, key, armed);
    }
    jobs::create(turn, key, draft);
    Ok(())
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
    let default = i64::from(turn.semantics().retries_default);
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
    let priority = extract::whole_number(turn, key, element, "priority of the job", expression)?;
    Ok(priority.unwrap_or(0))
}

/// The delegate's result is there, or it is asked for.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    task: &ServiceTask,
) -> Ruled<Option<Invoke>> {
    let ServiceTask::Delegate(delegate) = task else {
        unreachable!("only delegates are called");
    };
    let callee = || Callee::Delegate(delegate.name.clone());
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
