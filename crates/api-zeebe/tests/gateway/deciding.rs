use orloj_api_zeebe::proto::deployment::Metadata;
use orloj_api_zeebe::proto::*;
use tonic::Code;

use crate::world::*;

const FEES: &str = include_str!("models/fees.dmn");

async fn deploy(world: &World, content: &str) -> DeployResourceResponse {
    let resources = vec![Resource { name: "fees.dmn".into(), content: content.into() }];
    let request = DeployResourceRequest { resources, ..Default::default() };
    world.client().deploy_resource(request).await.unwrap().into_inner()
}

fn ask(id: &str, key: i64, variables: &str) -> EvaluateDecisionRequest {
    EvaluateDecisionRequest {
        decision_key: key,
        decision_id: id.into(),
        variables: variables.into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn an_answer_describes_the_decisions_and_their_file() {
    let world = World::new().await;
    let answer = deploy(&world, FEES).await;
    let [first, second, third] = &answer.deployments[..] else { panic!("{answer:?}") };
    let (Some(Metadata::Decision(discount)), Some(Metadata::Decision(fee))) =
        (&first.metadata, &second.metadata)
    else {
        panic!("{answer:?}")
    };
    let Some(Metadata::DecisionRequirements(file)) = &third.metadata else { panic!("{answer:?}") };
    assert_eq!((&*discount.dmn_decision_id, &*fee.dmn_decision_id), ("discount", "fee"));
    assert_eq!((&*fee.dmn_decision_name, fee.version), ("Fee", 1));
    assert_eq!(fee.dmn_decision_requirements_id, "fees");
    assert_eq!(fee.decision_requirements_key, file.decision_requirements_key);
    assert_eq!((&*file.dmn_decision_requirements_name, file.version), ("All fees", 1));
    assert_eq!((&*file.resource_name, &*file.tenant_id), ("fees.dmn", "<default>"));

    let again = deploy(&world, FEES).await;
    assert_ne!(again.key, answer.key);
    assert_eq!(again.deployments, answer.deployments);
    let changed = deploy(&world, &FEES.replace("All fees", "More fees")).await;
    let Some(Metadata::Decision(discount)) = &changed.deployments[0].metadata else { panic!() };
    assert_eq!(discount.version, 2);
}

#[tokio::test]
async fn a_decision_is_asked_by_id_and_by_key() {
    let world = World::new().await;
    deploy(&world, FEES).await;
    let made = world.client().evaluate_decision(ask("fee", 0, r#"{"total": 200}"#)).await;
    let made = made.unwrap().into_inner();
    assert_eq!(made.decision_output, "180");
    assert_eq!((&*made.decision_name, made.decision_version), ("Fee", 1));
    assert!(made.decision_evaluation_key > 1 << 51);
    assert_eq!(made.failed_decision_id, "");
    let [discount, fee] = &made.evaluated_decisions[..] else { panic!("{made:?}") };
    assert_eq!((&*discount.decision_id, &*discount.decision_type), ("discount", "DECISION_TABLE"));
    assert_eq!(discount.matched_rules[0].rule_id, "large");
    assert_eq!(discount.matched_rules[0].rule_index, 1);
    assert_eq!(discount.matched_rules[0].evaluated_outputs[0].output_value, "10");
    assert_eq!(discount.matched_rules[0].evaluated_outputs[0].output_id, "output");
    assert_eq!(discount.decision_output, "10");
    assert_eq!(discount.evaluated_inputs[0].input_name, "Total");
    assert_eq!(discount.evaluated_inputs[0].input_value, "200");
    assert_eq!((&*fee.decision_output, &*fee.decision_type), ("180", "LITERAL_EXPRESSION"));

    let by_key = world.client().evaluate_decision(ask("", made.decision_key, "{}")).await;
    assert_eq!(by_key.unwrap().into_inner().decision_id, "fee");
}

#[tokio::test]
async fn a_decision_that_fails_is_an_answer_too() {
    let world = World::new().await;
    deploy(&world, &FEES.replace("&lt;= 100", "-")).await;
    let made = world.client().evaluate_decision(ask("fee", 0, r#"{"total": 200}"#)).await;
    let made = made.unwrap().into_inner();
    assert_eq!((&*made.decision_output, &*made.failed_decision_id), ("", "discount"));
    assert!(!made.failure_message.is_empty());
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let world = World::new().await;
    for (request, code) in [
        (ask("fee", 0, "{}"), Code::NotFound),
        (ask("", 12, "{}"), Code::NotFound),
        (ask("", 0, "{}"), Code::InvalidArgument),
        (ask("fee", 0, "[]"), Code::InvalidArgument),
    ] {
        let refused = world.client().evaluate_decision(request).await.unwrap_err();
        assert_eq!(refused.code(), code, "{refused:?}");
        if code == Code::NotFound {
            assert!(refused.message().contains("no decision found for"), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn a_deleted_file_of_decisions_is_asked_no_more() {
    let world = World::new().await;
    let key_of = |answer: &DeployResourceResponse| match &answer.deployments[2].metadata {
        Some(Metadata::DecisionRequirements(file)) => file.decision_requirements_key,
        other => panic!("{other:?}"),
    };
    let first = key_of(&deploy(&world, FEES).await);
    let second = key_of(&deploy(&world, &FEES.replace("All fees", "More fees")).await);
    let delete = |key| DeleteResourceRequest { resource_key: key, ..Default::default() };
    world.client().delete_resource(delete(second)).await.unwrap();
    let made = world.client().evaluate_decision(ask("fee", 0, r#"{"total": 200}"#)).await;
    assert_eq!(made.unwrap().into_inner().decision_version, 1);
    world.client().delete_resource(delete(first)).await.unwrap();
    let made = world.client().evaluate_decision(ask("fee", 0, "{}")).await;
    assert_eq!(made.unwrap_err().code(), Code::NotFound);
    let again = deploy(&world, FEES).await;
    let Some(Metadata::Decision(discount)) = &again.deployments[0].metadata else { panic!() };
    assert_eq!(discount.version, 3, "no version is given twice");
}
