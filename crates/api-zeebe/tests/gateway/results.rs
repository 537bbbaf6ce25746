use orloj::{Page, UserTaskFilter, UserTaskView};
use orloj_api_zeebe::proto::*;
use orloj_types::{Document, UserTaskKey};
use tonic::Status;

use crate::world::*;

const RESULTS: &str = include_str!("models/results.bpmn");

async fn complete(world: &World, job_type: &str, result: JobResult) -> Result<(), Status> {
    let job = world.job(job_type).await;
    let request =
        CompleteJobRequest { job_key: job.key, result: Some(result), ..Default::default() };
    world.client().complete_job(request).await.map(drop)
}

fn ad_hoc(elements: &[&str], is_enough: bool) -> JobResult {
    let activate = |id: &&str| JobResultActivateElement {
        element_id: (*id).to_owned(),
        variables: r#"{"query":"bpmn"}"#.into(),
    };
    JobResult {
        r#type: Some("adHocSubProcess".into()),
        activate_elements: elements.iter().map(activate).collect(),
        is_completion_condition_fulfilled: Some(is_enough),
        ..Default::default()
    }
}

async fn tasks(world: &World) -> Vec<UserTaskView> {
    let page = Page { before: None, limit: 10 };
    world.orloj.user_tasks(UserTaskFilter::default(), page).await.expect("tasks")
}

#[tokio::test]
async fn a_worker_decides_what_begins_in_an_ad_hoc_subprocess() {
    let world = World::new().await;
    world.deploy(RESULTS).await;
    world.start("agent", "{}").await;
    complete(&world, "decide", ad_hoc(&["search"], false)).await.unwrap();
    assert!(world.jobs("decide").await.is_empty());
    let search = world.job("search").await;
    assert!(search.variables.contains(r#""query":"bpmn""#), "{}", search.variables);
    world.complete(search.key, r#"{"found":3}"#).await.unwrap();
    complete(&world, "decide", ad_hoc(&[], true)).await.unwrap();
    assert_eq!(world.job("done").await.variables, r#"{"found":3}"#);
}

#[tokio::test]
async fn the_job_of_an_ad_hoc_subprocess_says_so_and_its_incident_too() {
    let world = World::new().await;
    world.deploy(RESULTS).await;
    let instance = world.start("agent", "{}").await;
    let job = world.job("decide").await;
    assert_eq!((job.kind, job.listener_event_type), (3, 6));
    let fail = FailJobRequest { job_key: job.key, retries: 0, ..Default::default() };
    world.fail(fail).await.unwrap();
    assert_eq!(&*world.incident(instance).await.kind, "AD_HOC_SUB_PROCESS_NO_RETRIES");
}

#[tokio::test]
async fn what_an_ad_hoc_subprocess_does_not_have_cannot_begin() {
    let world = World::new().await;
    world.deploy(RESULTS).await;
    world.start("agent", "{}").await;
    let job = world.job("decide").await;
    let refuse = async |result, code, word| {
        let result = Some(result);
        let request = CompleteJobRequest { job_key: job.key, result, ..Default::default() };
        let refused = world.client().complete_job(request).await.map(drop);
        assert_refused(refused, "COMPLETE", code, &[word]);
    };
    refuse(ad_hoc(&["done"], false), NOT_FOUND, "'done'").await;
    refuse(ad_hoc(&["search"], true), INVALID_ARGUMENT, "nothing can begin").await;
    let other = JobResult { r#type: Some("other".into()), ..Default::default() };
    refuse(other, INVALID_ARGUMENT, "'other'").await;
    world.complete(job.key, "").await.unwrap();
}

#[tokio::test]
async fn a_task_listener_corrects_and_denies() {
    let world = World::new().await;
    world.deploy(RESULTS).await;
    world.start("ask", "{}").await;
    assert!(tasks(&world).await.is_empty());
    let corrections = JobResultCorrections {
        assignee: Some("eva".into()),
        candidate_groups: Some(StringList { values: vec!["board".into()] }),
        priority: Some(80),
        ..Default::default()
    };
    let corrected = JobResult { corrections: Some(corrections), ..Default::default() };
    complete(&world, "creating", corrected).await.unwrap();
    let task = tasks(&world).await.remove(0);
    assert_eq!(task.assignee.as_deref(), Some("eva"));
    assert_eq!(task.priority, 80);
    let key = UserTaskKey::new(task.key.raw());
    world.orloj.complete_user_task(key, Document::new()).await.unwrap();
    let denied = JobResult { denied: Some(true), ..Default::default() };
    complete(&world, "completing", denied).await.unwrap();
    assert_eq!(tasks(&world).await.len(), 1);
    world.orloj.complete_user_task(key, Document::new()).await.unwrap();
    complete(&world, "completing", JobResult::default()).await.unwrap();
    assert!(tasks(&world).await.is_empty());
}
