use std::collections::BTreeMap;
use std::time::Duration;

use orloj::history::Span;
use orloj::{Page, UserTaskFilter, UserTaskView};
use orloj_api_zeebe::proto::activated_job::{JobKind, ListenerEventType};
use orloj_api_zeebe::proto::*;
use orloj_types::{Document, InstanceKey};

use crate::world::*;

const LISTENERS: &str = include_str!("models/listeners.bpmn");

async fn tasks(world: &World) -> Vec<UserTaskView> {
    let page = Page { before: None, limit: 10 };
    world.orloj.user_tasks(UserTaskFilter::default(), page).await.expect("tasks")
}

async fn answer(world: &World, job_type: &str, result: JobResult) -> ActivatedJob {
    let job = world.job(job_type).await;
    let request =
        CompleteJobRequest { job_key: job.key, result: Some(result), ..Default::default() };
    world.client().complete_job(request).await.expect("completed");
    job
}

fn headers(job: &ActivatedJob) -> BTreeMap<String, String> {
    serde_json::from_str(&job.custom_headers).expect("an object")
}

/// The task waits for a person.
async fn asked(world: &World) -> i64 {
    world.deploy(LISTENERS).await;
    let instance = world.start("listened", "{}").await;
    for job_type in ["begun", "entering", "creating", "assigning"] {
        answer(world, job_type, JobResult::default()).await;
    }
    instance
}

#[tokio::test]
async fn the_job_of_a_listener_says_what_it_hears_and_has_its_headers() {
    let world = World::new().await;
    world.deploy(LISTENERS).await;
    let request = CreateProcessInstanceRequest {
        tags: vec!["team:blue".into(), "urgent".into()],
        ..creation("listened", "{}")
    };
    world.client().create_process_instance(request).await.unwrap();
    let begun = answer(&world, "begun", JobResult::default()).await;
    assert_eq!(begun.kind(), JobKind::ExecutionListener);
    assert_eq!(begun.listener_event_type(), ListenerEventType::Start);
    assert_eq!(begun.element_id, "listened", "a listener of the process");
    assert_eq!(begun.tags, ["team:blue", "urgent"]);
    assert_eq!(begun.user_task, None);
    let entering = answer(&world, "entering", JobResult::default()).await;
    assert_eq!(headers(&entering)["where"], "before");
    assert_eq!(entering.element_id, "approve");
    let creating = answer(&world, "creating", JobResult::default()).await;
    assert_eq!(creating.kind(), JobKind::TaskListener);
    assert_eq!(creating.listener_event_type(), ListenerEventType::Creating);
    assert_eq!(headers(&creating)["io.camunda.zeebe:candidateGroups"], r#"["board","staff"]"#);
    let task = creating.user_task.expect("of a task");
    assert_eq!((task.priority, task.assignee), (Some(70), None));
    assert_eq!(task.candidate_groups, ["board", "staff"]);
    let assigning = answer(&world, "assigning", JobResult::default()).await;
    let task = assigning.user_task.expect("of a task");
    assert_eq!(task.action.as_deref(), Some("assign"));
    assert_eq!(task.assignee.as_deref(), Some("joe"));
    assert_eq!(task.changed_attributes, ["assignee"]);
    let made = tasks(&world).await.remove(0);
    assert_eq!(task.user_task_key, Some(made.key.raw()));
    assert_eq!(made.assignee.as_deref(), Some("joe"));
}

#[tokio::test]
async fn the_job_of_a_user_task_has_the_headers_that_are_computed() {
    let world = World::new().await;
    world.deploy(LISTENERS).await;
    world.start("legacy", r#"{"who":"eva"}"#).await;
    let job = world.job("io.camunda.zeebe:userTask").await;
    assert_eq!(headers(&job)["io.camunda.zeebe:assignee"], "eva");
    assert_eq!(headers(&job)["form"], "long");
    assert_eq!((job.kind(), job.user_task.clone()), (JobKind::BpmnElement, None));
}

#[tokio::test]
async fn what_a_completing_listener_corrects_is_told_to_the_next_and_to_history() {
    let world = World::new().await;
    let instance = asked(&world).await;
    let key = tasks(&world).await[0].key;
    let done = Document::parse(r#"{"approved":true}"#).unwrap();
    world.orloj.complete_user_task(key, done).await.unwrap();
    let corrections = JobResultCorrections {
        assignee: Some("eva".into()),
        priority: Some(90),
        ..Default::default()
    };
    let corrected = JobResult { corrections: Some(corrections), ..Default::default() };
    let completing = answer(&world, "completing", corrected).await;
    assert!(completing.variables.contains(r#""approved":true"#), "{}", completing.variables);
    let checking = answer(&world, "checking", JobResult::default()).await;
    let task = checking.user_task.expect("of a task");
    assert_eq!(task.changed_attributes, ["assignee", "priority"]);
    assert_eq!((task.assignee.as_deref(), task.priority), (Some("eva"), Some(90)));
    assert!(tasks(&world).await.is_empty());
    let history =
        world.orloj.history().tasks(InstanceKey::new(instance), Span::default()).await.unwrap();
    assert_eq!(history[0].assignee.as_deref(), Some("eva"));
    assert_eq!(history[0].priority, 90);
}

#[tokio::test]
async fn a_denial_says_why_and_drops_what_was_corrected() {
    let world = World::new().await;
    let instance = asked(&world).await;
    let key = tasks(&world).await[0].key;
    world.orloj.complete_user_task(key, Document::new()).await.unwrap();
    let corrections = JobResultCorrections { priority: Some(1), ..Default::default() };
    let corrected = JobResult { corrections: Some(corrections), ..Default::default() };
    answer(&world, "completing", corrected).await;
    let denied = JobResult {
        denied: Some(true),
        denied_reason: Some("no signature".into()),
        ..Default::default()
    };
    answer(&world, "checking", denied).await;
    assert_eq!(tasks(&world).await.len(), 1);
    world.orloj.complete_user_task(key, Document::new()).await.unwrap();
    let again = world.job("completing").await.user_task.expect("of a task");
    assert_eq!((again.priority, again.changed_attributes), (Some(70), Vec::new()));
    let detail = world.orloj.instance(InstanceKey::new(instance)).await.unwrap();
    let denied = detail.history.iter().find(|event| &*event.what == "user-task-denied");
    assert_eq!(denied.map(|event| &*event.message), Some("no signature"));
}

#[tokio::test]
async fn a_boundary_event_and_a_cancellation_wait_for_canceling_listeners() {
    let world = World::new().await;
    let late = asked(&world).await;
    world.pass(Duration::from_secs(3_600)).await;
    assert!(world.jobs("remind").await.is_empty());
    let canceling = answer(&world, "canceling", JobResult::default()).await;
    assert_eq!(canceling.listener_event_type(), ListenerEventType::Canceling);
    assert!(canceling.user_task.is_some());
    assert_eq!(world.job("remind").await.process_instance_key, late);
    let cancelled = asked(&world).await;
    let request =
        CancelProcessInstanceRequest { process_instance_key: cancelled, ..Default::default() };
    world.client().cancel_process_instance(request).await.unwrap();
    let state = async || {
        let detail = world.orloj.instance(InstanceKey::new(cancelled)).await.unwrap();
        detail.view.state
    };
    assert_eq!(state().await, orloj::InstanceState::Active);
    answer(&world, "canceling", JobResult::default()).await;
    assert_eq!(state().await, orloj::InstanceState::Cancelled);
}
