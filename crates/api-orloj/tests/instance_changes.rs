//! Instances changed by hand over the wire: whose they are, and who did it.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::face::steps::{DONE, keys};
use crate::face::{Face, MODEL, text};

const WAITING: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="d" targetNamespace="t">
  <message id="m1" name="claim"/>
  <signal id="s1" name="storm"/>
  <process id="claim" isExecutable="true">
    <startEvent id="claimed"><messageEventDefinition messageRef="m1"/></startEvent>
    <sequenceFlow id="f1" sourceRef="claimed" targetRef="wait"/>
    <startEvent id="stormed"><signalEventDefinition signalRef="s1"/></startEvent>
    <sequenceFlow id="f2" sourceRef="stormed" targetRef="wait"/>
    <userTask id="wait"><extensionElements><zeebe:userTask/></extensionElements></userTask>
  </process>
</definitions>"#;

async fn tokens(face: &Face, instance: &str) -> Vec<String> {
    let (_, shown) = face.get(&format!("/api/instances/{instance}")).await;
    let elements = shown["elements"].as_array().expect("elements are shown");
    elements.iter().map(|element| text(&element["element"])).collect()
}

async fn deploy_for(face: &Face, tenant: &str, model: &str) -> Value {
    let path = format!("/api/deployments?name=order.bpmn&tenant={tenant}");
    let (status, deployed) = face.post(&path, model).await;
    assert_eq!(status, StatusCode::CREATED, "{deployed}");
    deployed
}

#[tokio::test]
async fn tokens_begin_after_elements_on_flows_and_where_others_were() {
    let face = Face::with_order().await;
    let instance = face.start().await;
    let path = format!("/api/instances/{instance}/modify");
    let body = json!({
        "activateAfter": [{"element": "pay", "variables": {"paid": true}}],
        "activateFlow": [{"element": "f2"}],
        "moves": [{"from": "pay", "to": {"element": "check"}}],
    });
    assert_eq!(face.post(&path, body).await, DONE);
    assert_eq!(tokens(&face, &instance).await, ["check", "check", "check"]);
    let (_, shown) = face.get(&format!("/api/instances/{instance}")).await;
    assert_eq!(shown["variables"]["paid"], true);
    let moved = text(&shown["elements"][0]["key"]);
    let body = json!({"moves": [{"fromInstance": moved, "to": {"element": "pay"}}]});
    assert_eq!(face.post(&path, body).await, DONE);
    let before = tokens(&face, &instance).await;
    assert_eq!(before, ["check", "check", "pay"]);

    let pay = json!([{"element": "pay"}]);
    for (body, code, named) in [
        (json!({"activate": pay, "activateAfter": [{"element": "x"}]}), "element-not-found", "x"),
        (json!({"activate": pay, "activateFlow": [{"element": "f9"}]}), "element-not-found", "f9"),
        (
            json!({"activate": pay, "moves": [{"from": "x", "to": {"element": "pay"}}]}),
            "element-not-found",
            "x",
        ),
        (json!({"moves": [{"to": {"element": "pay"}}]}), "invalid-body", "fromInstance"),
    ] {
        let (_, refused) = face.post(&path, &body).await;
        assert_eq!(refused["code"], code, "{body}: {refused}");
        assert!(text(&refused["message"]).contains(named), "{body}: {refused}");
        assert_eq!(tokens(&face, &instance).await, before);
    }
}

#[tokio::test]
async fn a_batch_begins_tokens_on_flows() {
    let face = Face::with_order().await;
    let instance = face.start().await;
    let body = json!({"kind": "instance-modification", "keys": [instance],
        "activateFlow": ["f2"], "terminateAll": ["pay"], "variables": {"paid": true}});
    let (status, said) = face.post("/api/batches", body).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    face.orloj.settle().await;
    assert_eq!(tokens(&face, &instance).await, ["check"]);
    let (_, shown) = face.get(&format!("/api/instances/{instance}/variables")).await;
    assert_eq!(shown["paid"], true);
}

#[tokio::test]
async fn an_instance_migrates_within_its_tenant() {
    let face = Face::with_order().await;
    let mut theirs = Vec::new();
    for model in [MODEL.to_owned(), MODEL.replace("check it", "look")] {
        let deployed = deploy_for(&face, "acme", &model).await;
        theirs.push(deployed["definitions"][0]["key"].clone());
    }
    let stay = json!({"pay": "pay"});
    let start = json!({"process": "order", "version": 1, "tenant": "acme"});
    let definition = async |instance: &str| {
        face.get(&format!("/api/instances/{instance}")).await.1["definition"].clone()
    };
    let instance = text(&face.post("/api/instances", start).await.1["key"]);
    let path = format!("/api/instances/{instance}/migrate");
    assert_eq!(face.post(&path, json!({"process": "order", "plan": stay})).await, DONE);
    assert_eq!(definition(&instance).await, theirs[1], "the latest of its own tenant");
    assert_eq!(face.post(&path, json!({"definition": theirs[0], "plan": stay})).await, DONE);
    assert_eq!(definition(&instance).await, theirs[0]);
    let (status, _) = face.post(&path, json!({"process": "order", "tenant": "other"})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    for body in [
        json!({}),
        json!({"definition": theirs[0], "process": "order"}),
        json!({"definition": theirs[0], "tenant": "acme"}),
    ] {
        let (status, refused) = face.post(&path, &body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}: {refused}");
    }

    let batch = json!({"kind": "instance-migration", "process": "order", "plan": stay,
        "filter": {"tenant": "acme"}});
    let (status, said) = face.post("/api/batches", batch).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    face.orloj.settle().await;
    assert_eq!(definition(&instance).await, theirs[1]);
    let batch = json!({"kind": "instance-migration", "definition": theirs[0], "plan": stay,
        "keys": [instance]});
    let (status, said) = face.post("/api/batches", batch).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    face.orloj.settle().await;
    assert_eq!(definition(&instance).await, theirs[0]);
}

#[tokio::test]
async fn messages_and_signals_are_for_those_of_a_tenant() {
    let face = Face::new().await;
    deploy_for(&face, "acme", WAITING).await;
    for (path, body) in [
        ("/api/messages", json!({"name": "claim"})),
        ("/api/messages/correlate", json!({"name": "claim"})),
        ("/api/signals", json!({"name": "storm"})),
    ] {
        let started = keys(&face, "/api/instances").await.len();
        face.post(path, &body).await;
        face.orloj.settle().await;
        assert_eq!(keys(&face, "/api/instances").await.len(), started, "{path}: of no tenant");
        let mut theirs = body;
        theirs["tenant"] = json!("acme");
        let (status, said) = face.post(path, &theirs).await;
        assert!(status.is_success(), "{path}: {said}");
        face.orloj.settle().await;
        assert_eq!(keys(&face, "/api/instances").await.len(), started + 1, "{path}");
    }
}

#[tokio::test]
async fn changes_by_hand_are_logged_with_who_made_them() {
    let face = Face::with_order().await;
    let instance = face.start().await;
    let (_, shown) = face.get(&format!("/api/instances/{instance}")).await;
    let element = text(&shown["elements"][0]["key"]);
    for (path, body, operation) in [
        (
            format!("/api/instances/{instance}/modify"),
            json!({"activate": [{"element": "check"}]}),
            "ModifyProcessInstance",
        ),
        (
            format!("/api/instances/{instance}/migrate"),
            json!({"process": "order", "plan": {"pay": "pay", "check": "check"}}),
            "Migrate",
        ),
        (
            format!("/api/instances/{instance}/variables"),
            json!({"variables": {"a": 1}}),
            "SetVariables",
        ),
        (
            format!("/api/element-instances/{element}/variables"),
            json!({"variables": {"b": 2}, "local": true}),
            "SetVariables",
        ),
    ] {
        assert_eq!(face.post_as("anna", &path, body).await, DONE, "{path}");
        let (_, told) = face.get("/api/history/operations?user=anna").await;
        let last = &told["items"][0];
        assert_eq!((&last["operation"], &last["instance"]), (&json!(operation), &json!(instance)));
    }
    assert_eq!(keys(&face, "/api/history/operations?user=anna").await.len(), 4);
    let (status, refused) =
        face.post("/api/element-instances/7/variables", json!({"variables": {}})).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{refused}");
}
