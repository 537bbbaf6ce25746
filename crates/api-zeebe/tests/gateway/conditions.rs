use orloj_api_zeebe::proto::*;

use crate::world::*;

const RESTOCK: &str = include_str!("models/conditional.bpmn");

async fn evaluate(world: &World, definition: Option<i64>, json: &str) -> Vec<(i64, i64)> {
    let request = EvaluateConditionalRequest {
        process_definition_key: definition,
        variables: json.into(),
        ..Default::default()
    };
    let answer = world.client().evaluate_conditional(request).await.expect("evaluated");
    let answer = answer.into_inner();
    assert!(answer.conditional_evaluation_key > 0);
    assert_eq!(answer.tenant_id, "<default>");
    let started = answer.process_instances.into_iter();
    started.map(|started| (started.process_definition_key, started.process_instance_key)).collect()
}

#[tokio::test]
async fn every_start_event_whose_condition_holds_starts_an_instance() {
    let world = World::new().await;
    world.deploy(RESTOCK).await;
    assert!(evaluate(&world, None, r#"{"stock":9}"#).await.is_empty());
    assert_eq!(evaluate(&world, None, r#"{"stock":3}"#).await.len(), 1);
    let job = world.job("order").await;
    assert_eq!(job.variables, r#"{"stock":3}"#);
    assert_eq!(evaluate(&world, None, r#"{"stock":0}"#).await.len(), 2);
    assert_eq!(world.jobs("order").await.len(), 2);
}

#[tokio::test]
async fn one_definition_can_be_asked_alone() {
    let world = World::new().await;
    let deployed = world.deploy(RESTOCK).await;
    let key = match &deployed.deployments[0].metadata {
        Some(deployment::Metadata::Process(process)) => process.process_definition_key,
        other => panic!("no process but {other:?}"),
    };
    let started = evaluate(&world, Some(key), r#"{"stock":3}"#).await;
    assert_eq!(started.iter().map(|(of, _)| *of).collect::<Vec<_>>(), [key]);
    let request = EvaluateConditionalRequest {
        process_definition_key: Some(17),
        variables: "{}".into(),
        ..Default::default()
    };
    let refused = world.client().evaluate_conditional(request).await;
    assert_refused(refused.map(drop), "EVALUATE", NOT_FOUND, &["17"]);
}
