use modify_process_instance_request::{ActivateInstruction, MoveInstruction, VariableInstruction};
use orloj_api_zeebe::proto::*;
use orloj_types::InstanceKey;
use tonic::{Code, Status};

use crate::world::*;

const NESTED: &str = include_str!("models/nested.bpmn");

fn variable(scope: &str, variables: &str) -> VariableInstruction {
    VariableInstruction { variables: variables.into(), scope_id: scope.into() }
}

async fn modify(world: &World, request: ModifyProcessInstanceRequest) -> Result<(), Status> {
    world.client().modify_process_instance(request).await.map(drop)
}

/// The variables of each scope, by its element; those of the instance under no name.
async fn scopes(world: &World, instance: i64) -> Vec<(String, String)> {
    let detail = world.orloj.instance(InstanceKey::new(instance)).await.unwrap();
    let own = [(String::new(), detail.variables.to_json())];
    let elements = detail.elements.iter();
    let inner = elements.map(|e| (e.element.as_str().to_owned(), e.variables.to_json()));
    own.into_iter().chain(inner).filter(|(_, variables)| variables != "{}").collect()
}

#[tokio::test]
async fn variables_of_an_activation_are_those_of_the_scope_that_is_named() {
    let world = World::new().await;
    world.deploy(NESTED).await;
    let instance = world.start("nested", r#"{"a":0}"#).await;
    let activate = |variables| ModifyProcessInstanceRequest {
        process_instance_key: instance,
        activate_instructions: vec![ActivateInstruction {
            element_id: "seal".into(),
            variable_instructions: variables,
            ..Default::default()
        }],
        ..Default::default()
    };
    let stranger = modify(&world, activate(vec![variable("send", r#"{"a":1}"#)])).await;
    assert_refused(stranger, "MODIFY", INVALID_ARGUMENT, &["scope of a variable"]);
    let variables = vec![
        variable("", r#"{"a":1}"#),
        variable("outer", r#"{"a":2}"#),
        variable("inner", r#"{"b":3}"#),
        variable("seal", r#"{"c":4}"#),
    ];
    modify(&world, activate(variables)).await.unwrap();
    let told: Vec<_> = scopes(&world, instance).await;
    let told: Vec<_> = told.iter().map(|(scope, own)| (scope.as_str(), own.as_str())).collect();
    let expected = [
        ("", r#"{"a":1}"#),
        ("outer", r#"{"a":2}"#),
        ("inner", r#"{"b":3}"#),
        ("seal", r#"{"c":4}"#),
    ];
    assert_eq!(told, expected);
    assert_eq!(world.job("seal").await.variables, r#"{"a":2,"b":3,"c":4}"#);
}

#[tokio::test]
async fn all_instances_of_an_element_are_moved_and_stay_in_their_scopes() {
    let world = World::new().await;
    world.deploy(NESTED).await;
    let instance = world.start("nested", "{}").await;
    let to = |element: &str| MoveInstruction {
        source_element_id: "pack".into(),
        target_element_id: element.into(),
        ..Default::default()
    };
    let request = |instruction| ModifyProcessInstanceRequest {
        process_instance_key: instance,
        move_instructions: vec![instruction],
        ..Default::default()
    };
    let both = MoveInstruction {
        infer_ancestor_scope_from_source_hierarchy: true,
        use_source_parent_key_as_ancestor_scope_key: true,
        ..to("seal")
    };
    let refused = modify(&world, request(both)).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let nothing = MoveInstruction { source_element_id: String::new(), ..to("seal") };
    assert_eq!(modify(&world, request(nothing)).await.unwrap_err().code(), Code::InvalidArgument);
    // A second token in the same scope.
    let again = ModifyProcessInstanceRequest {
        process_instance_key: instance,
        activate_instructions: vec![ActivateInstruction {
            element_id: "pack".into(),
            ..Default::default()
        }],
        ..Default::default()
    };
    modify(&world, again).await.unwrap();
    let inside =
        MoveInstruction { use_source_parent_key_as_ancestor_scope_key: true, ..to("seal") };
    modify(&world, request(inside)).await.unwrap();
    assert!(world.jobs("pack").await.is_empty());
    assert_eq!(world.jobs("seal").await.len(), 2);
    let outward = MoveInstruction {
        source_element_id: "seal".into(),
        infer_ancestor_scope_from_source_hierarchy: true,
        ..to("send")
    };
    modify(&world, request(outward)).await.unwrap();
    assert_eq!(world.jobs("send").await.len(), 2);
    let detail = world.orloj.instance(InstanceKey::new(instance)).await.unwrap();
    assert!(detail.elements.iter().all(|e| e.element.as_str() == "send"), "nothing else is left");
}
