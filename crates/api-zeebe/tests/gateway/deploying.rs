use orloj_api_zeebe::proto::deployment::Metadata;
use orloj_api_zeebe::proto::*;

use crate::world::*;

fn resource(name: &str, content: &str) -> Resource {
    Resource { name: name.into(), content: content.into() }
}

fn process(deployment: &Deployment) -> &ProcessMetadata {
    match &deployment.metadata {
        Some(Metadata::Process(process)) => process,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_describes_every_process() {
    let world = World::new().await;
    let resources = vec![resource("order.bpmn", ORDER), resource("instant.bpmn", INSTANT)];
    let request = DeployResourceRequest { resources, tenant_id: "<default>".into() };
    let answer = world.client().deploy_resource(request).await.unwrap().into_inner();
    assert!(answer.key >= 1 << 51);
    assert_eq!(answer.tenant_id, "<default>");
    let mut processes: Vec<&ProcessMetadata> = answer.deployments.iter().map(process).collect();
    processes.sort_by_key(|process| &process.bpmn_process_id);
    assert_eq!(processes.len(), 2);
    assert_eq!(processes[0].bpmn_process_id, "instant");
    assert_eq!(processes[1].bpmn_process_id, "order");
    assert_eq!(processes[1].resource_name, "order.bpmn");
    assert_eq!(processes[1].version, 1);
    assert_eq!(processes[1].tenant_id, "<default>");
    assert!(processes[1].process_definition_key >= 1 << 51);
}

#[tokio::test]
async fn the_same_again_makes_no_version_and_a_change_does() {
    let world = World::new().await;
    let first = world.deploy(ORDER).await;
    let again = world.deploy(ORDER).await;
    assert_eq!(process(&first.deployments[0]), process(&again.deployments[0]));
    assert_ne!(first.key, again.key);
    let changed = world.deploy(&ORDER.replace("ship goods", "send goods")).await;
    let (old, new) = (process(&first.deployments[0]), process(&changed.deployments[0]));
    assert_eq!((old.version, new.version), (1, 2));
    assert_ne!(old.process_definition_key, new.process_definition_key);
}

#[tokio::test]
async fn the_older_call_deploys_as_well() {
    let world = World::new().await;
    let file = ProcessRequestObject { name: "order.bpmn".into(), definition: ORDER.into() };
    let request = DeployProcessRequest { processes: vec![file] };
    let answer = world.client().deploy_process(request).await.unwrap().into_inner();
    assert_eq!(answer.processes[0].bpmn_process_id, "order");
    assert_eq!(
        world.start("order", "").await >> 51,
        answer.processes[0].process_definition_key >> 51
    );
}

#[tokio::test]
async fn problems_are_told_with_file_element_and_place() {
    let world = World::new().await;
    let broken = ORDER.replace(r#"<zeebe:taskDefinition type="ship" />"#, "");
    let resources = vec![resource("broken.bpmn", &broken), resource("text.bpmn", "not XML")];
    let request = DeployResourceRequest { resources, ..Default::default() };
    let refused = world.client().deploy_resource(request).await;
    let mentions =
        ["could not be deployed", "'broken.bpmn':", "- Element: ship", "- ERROR: ", "'text.bpmn':"];
    assert_refused(refused, "CREATE", INVALID_ARGUMENT, &mentions);
    let nothing = world.client().create_process_instance(creation("order", "")).await;
    assert_refused(nothing, "CREATE", NOT_FOUND, &["order"]);
}

#[tokio::test]
async fn hostile_and_missing_files_are_refused() {
    let world = World::new().await;
    let doctype = format!("<!DOCTYPE x [<!ENTITY a \"b\">]>{INSTANT}");
    for content in ["", "plain", "<a>", &doctype, "\u{0}\u{1}"] {
        let resources = vec![resource("x.bpmn", content)];
        let request = DeployResourceRequest { resources, ..Default::default() };
        let refused = world.client().deploy_resource(request).await;
        assert_refused(refused, "CREATE", INVALID_ARGUMENT, &["x.bpmn"]);
    }
    let none = world.client().deploy_resource(DeployResourceRequest::default()).await;
    assert_refused(none, "CREATE", INVALID_ARGUMENT, &["resource"]);
    let none = world.client().deploy_process(DeployProcessRequest::default()).await;
    assert_refused(none, "CREATE", INVALID_ARGUMENT, &["resource"]);
}

#[tokio::test]
async fn another_tenant_is_refused() {
    let world = World::new().await;
    let resources = vec![resource("order.bpmn", ORDER)];
    let request = DeployResourceRequest { resources, tenant_id: "acme".into() };
    let refused = world.client().deploy_resource(request).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    assert!(refused.message().contains("acme"), "{refused}");
}

#[tokio::test]
async fn of_a_deleted_process_nothing_is_started_and_the_version_before_comes_back() {
    let world = World::new().await;
    let key_of = |deployed: DeployResourceResponse| match &deployed.deployments[0].metadata {
        Some(deployment::Metadata::Process(process)) => process.process_definition_key,
        other => panic!("{other:?}"),
    };
    let first = key_of(world.deploy(ORDER).await);
    let second = key_of(world.deploy(&format!("{ORDER}<!-- again -->")).await);
    assert_ne!(first, second);
    let running = world.start("order", "{}").await;
    let delete = |key| DeleteResourceRequest { resource_key: key, ..Default::default() };
    let deleted = world.client().delete_resource(delete(second)).await.unwrap().into_inner();
    assert_eq!(deleted.resource_key, second.to_string());
    assert_eq!(deleted.batch_operation, None);
    let again = world.client().delete_resource(delete(second)).await;
    assert_refused(again, "DELETE", NOT_FOUND, &[&second.to_string()]);
    let job = world.job("charge").await;
    assert_eq!((job.process_instance_key, job.process_definition_key), (running, second));
    world.complete(job.key, "").await.unwrap();
    world.start("order", "{}").await;
    assert_eq!(world.job("charge").await.process_definition_key, first);
}
