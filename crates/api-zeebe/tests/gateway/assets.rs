use orloj_api_zeebe::proto::deployment::Metadata;
use orloj_api_zeebe::proto::*;

use crate::world::*;

const ROBOT: &str = include_str!("models/robot.bpmn");
const USER_TASK_JOB: &str = "io.camunda.zeebe:userTask";

async fn deploy(world: &World, name: &str, content: &str) -> DeployResourceResponse {
    let resources = vec![Resource { name: name.into(), content: content.into() }];
    let request = DeployResourceRequest { resources, ..Default::default() };
    world.client().deploy_resource(request).await.unwrap().into_inner()
}

fn form_of(answer: &DeployResourceResponse) -> FormMetadata {
    match &answer.deployments[..] {
        [Deployment { metadata: Some(Metadata::Form(form)) }] => form.clone(),
        other => panic!("{other:?}"),
    }
}

fn header(job: &ActivatedJob, name: &str) -> String {
    let headers: serde_json::Value = serde_json::from_str(&job.custom_headers).unwrap();
    headers[name].as_str().unwrap_or_default().to_owned()
}

async fn delete(world: &World, key: i64) -> Result<(), tonic::Status> {
    let request = DeleteResourceRequest { resource_key: key, ..Default::default() };
    world.client().delete_resource(request).await.map(drop)
}

#[tokio::test]
async fn a_form_has_versions_and_a_task_is_told_the_key_of_its_own() {
    let world = World::new().await;
    deploy(&world, "robot.bpmn", ROBOT).await;
    let waits = world.start("robot", "{}").await;
    let incident = world.incident(waits).await;
    assert_eq!(&*incident.kind, "FORM_NOT_FOUND");
    assert!(world.jobs(USER_TASK_JOB).await.is_empty());

    let text = r#"{"id":"question","components":[]}"#;
    let first = form_of(&deploy(&world, "q.form", text).await);
    assert_eq!((&*first.form_id, first.version, &*first.resource_name), ("question", 1, "q.form"));
    assert_eq!(form_of(&deploy(&world, "q.form", text).await), first);
    world.resolve(incident.key.raw()).await.unwrap();
    let job = world.job(USER_TASK_JOB).await;
    assert_eq!(header(&job, "io.camunda.zeebe:formKey"), first.form_key.to_string());

    let second = form_of(&deploy(&world, "q.form", r#"{"id":"question"}"#).await);
    assert_eq!(second.version, 2);
    world.start("robot", "{}").await;
    let job = world.job(USER_TASK_JOB).await;
    assert_eq!(header(&job, "io.camunda.zeebe:formKey"), second.form_key.to_string());

    delete(&world, second.form_key).await.unwrap();
    let again = delete(&world, second.form_key).await;
    assert_refused(again, "DELETE", NOT_FOUND, &[&second.form_key.to_string()]);
    world.start("robot", "{}").await;
    let job = world.job(USER_TASK_JOB).await;
    assert_eq!(header(&job, "io.camunda.zeebe:formKey"), first.form_key.to_string());
}

#[tokio::test]
async fn a_job_is_told_the_keys_of_what_it_is_linked_to() {
    let world = World::new().await;
    deploy(&world, "robot.bpmn", ROBOT).await;
    deploy(&world, "q.form", r#"{"id":"question"}"#).await;
    let instance = world.start("robot", "{}").await;
    world.complete(world.job(USER_TASK_JOB).await.key, "").await.unwrap();
    let incident = world.incident(instance).await;
    assert_eq!(&*incident.kind, "RESOURCE_NOT_FOUND");
    let answer = deploy(&world, "moves.rpa", r#"{"id":"moves","script":"go"}"#).await;
    assert_eq!(answer.deployments, [], "the answer has no place for it");
    world.resolve(incident.key.raw()).await.unwrap();
    let links = header(&world.job("act").await, "linkedResources");
    let links: serde_json::Value = serde_json::from_str(&links).unwrap();
    assert_eq!((&links[0]["resourceType"], &links[0]["linkName"]), (&"RPA".into(), &"main".into()));
    let key: i64 = links[0]["resourceKey"].as_str().unwrap().parse().unwrap();
    delete(&world, key).await.unwrap();
}
