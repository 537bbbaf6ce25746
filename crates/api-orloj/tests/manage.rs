//! What operators do, over the wire.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod face;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};

use face::{Face, ZEEBE_MODEL, json_of, text};

const DONE: (StatusCode, Value) = (StatusCode::NO_CONTENT, Value::Null);

/// An asynchronous step, and a timer beside a task for people.
const STEPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d" targetNamespace="t">
  <process id="order" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="check"/>
    <userTask id="check" camunda:asyncBefore="true"/>
    <boundaryEvent id="late" attachedToRef="check" cancelActivity="false">
      <timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>
    </boundaryEvent>
    <sequenceFlow id="f2" sourceRef="check" targetRef="end"/>
    <sequenceFlow id="f3" sourceRef="late" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

/// The executor is off: the step waits.
async fn steps() -> Face {
    let face = Face::with_executor(false).await;
    let (status, said) = face.post("/api/deployments?name=order.bpmn", STEPS).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    face
}

async fn keys(face: &Face, path: &str) -> Vec<String> {
    let (status, listed) = face.get(path).await;
    assert_eq!(status, StatusCode::OK, "{path}: {listed}");
    listed["items"].as_array().unwrap().iter().map(|item| text(&item["key"])).collect()
}

async fn count(face: &Face, path: &str) -> u64 {
    let (status, counted) = face.get(path).await;
    assert_eq!(status, StatusCode::OK, "{path}: {counted}");
    counted["count"].as_u64().unwrap()
}

#[tokio::test]
async fn jobs_are_found_by_what_they_are() {
    let face = steps().await;
    let one = face.start().await;
    face.start().await;
    for (query, found) in [
        ("", 2),
        ("?process=order", 2),
        ("?process=other", 0),
        ("?element=check&state=ready,failed", 2),
        ("?state=failed", 0),
        ("?kind=async-before", 2),
        ("?set=timers", 0),
        ("?set=executable", 2),
        ("?withRetries=true&locked=false", 2),
        ("?priorityMin=1", 0),
        ("?createdAfter=2031-01-01T00:00:00Z", 0),
        (&format!("?instance={one}"), 1),
    ] {
        assert_eq!(count(&face, &format!("/api/jobs/count{query}")).await, found, "{query}");
        assert_eq!(keys(&face, &format!("/api/jobs{query}")).await.len() as u64, found, "{query}");
    }
    let newest = keys(&face, "/api/jobs").await;
    let oldest = keys(&face, "/api/jobs?order=oldest&limit=1").await;
    assert_eq!(oldest, newest[1..]);
    assert_eq!(keys(&face, "/api/jobs?order=oldest&limit=1&offset=1").await, newest[..1]);
    assert_eq!(keys(&face, &format!("/api/jobs?keys={}", newest.join(","))).await, newest);
    let (_, job) = face.get(&format!("/api/jobs/{}", newest[1])).await;
    assert_eq!((&job["instance"], &job["element"]), (&json!(one), &json!("check")));
}

#[tokio::test]
async fn one_job_is_managed() {
    let face = steps().await;
    face.start().await;
    let key = text(&face.job().await["key"]);
    let at = |verb: &str| format!("/api/jobs/{key}/{verb}");

    assert_eq!(face.post(&at("priority"), json!({"priority": -7})).await, DONE);
    assert_eq!(face.job().await["priority"], -7);
    let due = json!({"dueAt": "2030-01-01T01:00:00Z"});
    assert_eq!(face.post(&at("due"), due).await, DONE);
    let job = face.job().await;
    assert_eq!(
        (&job["dueAt"], &job["state"]),
        (&json!("2030-01-01T01:00:00.000Z"), &json!("waiting"))
    );
    assert_eq!(face.post(&at("due"), json!({"dueAt": null})).await, DONE);
    assert_eq!(face.job().await["state"], "ready");
    assert_eq!(face.post(&at("suspend"), "").await, DONE);
    assert_eq!(face.job().await["state"], "suspended");
    assert_eq!(face.post(&at("resume"), "").await, DONE);
    assert_eq!(face.job().await["state"], "ready");
    assert_eq!(face.post(&at("bury"), "").await, DONE);
    assert_eq!(face.job().await["state"], "failed");
    assert_eq!(face.post(&at("revive"), json!({"retries": 2})).await, DONE);
    let job = face.job().await;
    assert_eq!((&job["state"], &job["retriesLeft"]), (&json!("ready"), &json!(2)));
    let (status, refused) = face.post(&at("recalculate"), "").await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("not-a-timer")));
    let (status, refused) = face.post(&at("unlock"), "").await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("job-not-locked")));

    assert_eq!(face.post(&at("execute"), "").await, DONE);
    let timer = face.job().await;
    assert_eq!((&timer["kind"], &timer["state"]), (&json!("timer"), &json!("waiting")));
    assert_eq!(keys(&face, "/api/jobs?set=timers").await, [text(&timer["key"])]);
    let at = |verb: &str| format!("/api/jobs/{}/{verb}", text(&timer["key"]));
    let (status, said) = face.post(&at("reschedule"), json!({"duration": "PT2H"})).await;
    assert_eq!(status, StatusCode::NO_CONTENT, "{said}");
    let timer = face.job().await;
    assert_eq!(timer["dueAt"], "2030-01-01T02:00:00.000Z");
    let (status, _) = face.post(&format!("/api/jobs/{}/fire", text(&timer["key"])), "").await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(face.job().await["state"], "ready");
}

#[tokio::test]
async fn many_jobs_are_managed_in_portions() {
    let face = steps().await;
    for _ in 0..5 {
        face.start().await;
    }
    let all = keys(&face, "/api/jobs").await;
    let filter = json!({"filter": {"process": "order"}, "priority": 5, "limit": 2});
    let (status, first) = face.post("/api/jobs/priority", &filter).await;
    assert_eq!(status, StatusCode::OK, "{first}");
    assert_eq!((&first["done"], &first["failures"]), (&json!(2), &json!([])));
    assert_eq!(first["next"], all[1]);
    assert_eq!(count(&face, "/api/jobs/count?priorityMin=5").await, 2);
    let mut rest = filter.clone();
    rest["before"] = first["next"].clone();
    rest["limit"] = json!(1000);
    let (_, last) = face.post("/api/jobs/priority", &rest).await;
    assert_eq!((&last["done"], &last["next"]), (&json!(3), &json!(null)));
    assert_eq!(count(&face, "/api/jobs/count?priorityMin=5&priorityMax=5").await, 5);

    let some = json!({"keys": [all[0], "7"]});
    let (status, said) = face.post("/api/jobs/bury", some).await;
    assert_eq!((status, &said["done"]), (StatusCode::OK, &json!(1)));
    assert_eq!(said["failures"][0]["key"], "7");
    assert_eq!(said["failures"][0]["code"], "job-not-found");
    // What is meant for dead letters is not done to others.
    let dead = json!({"only": "dead-letters"});
    for verb in ["execute", "delete"] {
        let (status, said) = face.post(&format!("/api/jobs/{}/{verb}", all[1]), &dead).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
        assert!(said["message"].as_str().is_some_and(|said| said.contains("dead-letters")));
        let many = json!({"keys": [all[1]], "only": "dead-letters"});
        let (_, said) = face.post(&format!("/api/jobs/{verb}"), many).await;
        assert_eq!((&said["done"], &said["failures"][0]["key"]), (&json!(0), &json!(all[1])));
        let (_, said) = face.post(&format!("/api/jobs/7/{verb}"), &dead).await;
        assert_eq!(said["code"], "job-not-found");
    }
    let of_batch = json!({"filter": {"batch": "7"}, "retries": 1});
    let (status, said) = face.post("/api/jobs/retries", of_batch).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{said}");
    let (status, said) = face.post("/api/deployments/7/unregister", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{said}");
    let (_, said) = face.post("/api/jobs/delete", json!({"filter": {"set": "dead-letters"}})).await;
    assert_eq!(said["done"], 1);
    assert_eq!(keys(&face, "/api/jobs").await, all[1..]);

    for body in [json!({"priority": 1}), json!({"priority": 1, "keys": ["1"], "filter": {}})] {
        let (status, refused) = face.post("/api/jobs/priority", body).await;
        assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("invalid-body")));
    }
}

#[tokio::test]
async fn job_definitions_are_suspended_and_given_priorities() {
    let face = steps().await;
    face.start().await;
    let (_, listed) = face.get("/api/job-definitions?element=check").await;
    let found = &listed["items"][0];
    assert_eq!(
        (&found["kind"], &found["suspended"]),
        (&json!("async-continuation"), &json!(false))
    );
    let at = |verb: &str| format!("/api/job-definitions/{}/{verb}", text(&found["key"]));

    let (status, said) = face.post(&at("suspend"), json!({"includeJobs": true})).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert_eq!(face.job().await["state"], "suspended");
    assert_eq!(keys(&face, "/api/job-definitions?suspended=true").await, [text(&found["key"])]);
    let (_, explained) =
        face.get(&format!("/api/jobs/{}/explain", text(&face.job().await["key"]))).await;
    assert!(explained["reasons"][0]["remedy"].is_string(), "{explained}");
    let (status, _) = face
        .post("/api/job-definitions/resume", json!({"process": "order", "includeJobs": true}))
        .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(face.job().await["state"], "ready");

    let (status, said) = face.post(&at("priority"), json!({"priority": 9, "cascade": true})).await;
    assert_eq!((status, &said["done"]), (StatusCode::OK, &json!(1)));
    assert_eq!(face.job().await["priority"], 9);
    assert_eq!(keys(&face, "/api/job-definitions?withPriority=true").await.len(), 1);
    assert_eq!(face.post(&at("clear-priority"), "").await, DONE);
    assert_eq!(keys(&face, "/api/job-definitions?withPriority=true").await.len(), 0);

    let job = text(&face.job().await["key"]);
    face.post(&format!("/api/jobs/{job}/retries"), json!({"retries": 0})).await;
    let (status, said) = face.post(&at("retries"), json!({"retries": 4})).await;
    assert_eq!((status, &said["done"]), (StatusCode::OK, &json!(1)), "{said}");
    assert_eq!(face.job().await["retriesLeft"], 4);
    let later = json!({"at": "2030-02-01T00:00:00Z"});
    let (_, said) = face.post(&at("suspend"), later).await;
    assert!(said["job"].is_string() && said["affected"].is_null(), "{said}");
    assert_eq!(count(&face, "/api/jobs/count?set=chores&kind=suspend-job-definition").await, 1);
}

/// Save points around the activity and around each of its instances.
const TWINS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
  <process id="order" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="each"/>
    <userTask id="each" camunda:asyncBefore="true">
      <multiInstanceLoopCharacteristics camunda:asyncBefore="true">
        <loopCardinality>2</loopCardinality>
      </multiInstanceLoopCharacteristics>
    </userTask>
    <sequenceFlow id="f2" sourceRef="each" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

#[tokio::test]
async fn jobs_of_an_activity_and_of_its_instances_are_told_apart_or_not_counted() {
    let face = Face::with_executor(false).await;
    let (status, said) = face.post("/api/deployments?name=order.bpmn", TWINS).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    face.start().await;
    let twins = keys(&face, "/api/job-definitions").await;
    assert_eq!(twins.len(), 2);
    let mut found = Vec::new();
    for twin in &twins {
        found.extend(keys(&face, &format!("/api/jobs?jobDefinition={twin}")).await);
        let (status, said) = face.get(&format!("/api/jobs/count?jobDefinition={twin}")).await;
        assert_eq!((status, &said["code"]), (StatusCode::BAD_REQUEST, &json!("invalid-query")));
        let filter = json!({"jobDefinition": twin});
        let batch = json!({"kind": "set-job-retries", "retries": 1, "filter": filter});
        let (status, _) = face.post("/api/batches", batch).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        let batch = json!({"asBatch": true, "retries": 1, "filter": filter});
        let (status, _) = face.post("/api/jobs/retries", batch).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
    }
    assert_eq!(found, keys(&face, "/api/jobs").await, "of one of them only");
}

#[tokio::test]
async fn job_definitions_are_commanded_in_bulk_and_choose_jobs() {
    let face = steps().await;
    face.start().await;
    let all = keys(&face, "/api/job-definitions").await;
    let check = keys(&face, "/api/job-definitions?element=check").await.remove(0);
    let with_priority = async || keys(&face, "/api/job-definitions?withPriority=true").await.len();

    let some = json!({"keys": [check, "7"], "priority": 5, "cascade": true});
    let (status, said) = face.post("/api/job-definitions/priority", some).await;
    assert_eq!((status, &said["done"]), (StatusCode::OK, &json!(1)), "{said}");
    assert_eq!(said["failures"][0]["key"], "7");
    assert_eq!(said["failures"][0]["code"], "job-definition-not-found");
    assert_eq!((with_priority().await, &face.job().await["priority"]), (1, &json!(5)));
    let every = json!({"filter": {"process": "order"}, "priority": 6});
    let (_, said) = face.post("/api/job-definitions/priority", every).await;
    assert_eq!((&said["done"], with_priority().await), (&json!(all.len()), all.len()));
    let (_, said) = face.post("/api/job-definitions/clear-priority", json!({"filter": {}})).await;
    assert_eq!((&said["done"], with_priority().await), (&json!(all.len()), 0));
    let preview = keys(&face, &format!("/api/job-definitions?keys={check}")).await;
    assert_eq!(preview, [check.as_str()]);
    let preview = keys(&face, &format!("/api/job-definitions?keys={check},7")).await;
    assert_eq!(preview, [check.as_str()], "those that exist");
    assert_eq!(count(&face, &format!("/api/job-definitions/count?keys={check},7")).await, 1);
    let one = json!({"filter": {"keys": check}, "priority": 5});
    let (_, said) = face.post("/api/job-definitions/priority", one).await;
    assert_eq!((&said["done"], with_priority().await), (&json!(1), 1), "{said}");
    let mixed = json!({"filter": {"keys": check, "process": "other"}, "priority": 6});
    let (status, said) = face.post("/api/job-definitions/priority", mixed).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
    let (status, _) = face.get(&format!("/api/job-definitions?keys={check}&kind=x")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);

    let job = text(&face.job().await["key"]);
    face.post(&format!("/api/jobs/{job}/retries"), json!({"retries": 0})).await;
    let few = json!({"filter": {"element": "check"}, "retries": 4});
    let (_, said) = face.post("/api/job-definitions/retries", few).await;
    assert_eq!((&said["done"], &face.job().await["retriesLeft"]), (&json!(1), &json!(4)));

    assert_eq!(count(&face, &format!("/api/jobs/count?jobDefinition={check}")).await, 1);
    let of_check = format!("/api/jobs?jobDefinition={check}");
    assert_eq!(keys(&face, &of_check).await, [job.as_str()]);
    assert!(keys(&face, &format!("{of_check}&kind=timer")).await.is_empty());
    let chosen = json!({"filter": {"jobDefinition": check}});
    let (_, said) = face.post("/api/jobs/suspend", chosen).await;
    assert_eq!((&said["done"], &face.job().await["state"]), (&json!(1), &json!("suspended")));
    let (status, missing) = face.get("/api/jobs?jobDefinition=7").await;
    assert_eq!(
        (status, &missing["code"]),
        (StatusCode::NOT_FOUND, &json!("job-definition-not-found"))
    );

    let (_, found) = face.get(&format!("/api/jobs/by-correlation-id?id={job}")).await;
    assert_eq!(found["key"], job);
    for id in ["7", "none"] {
        let (status, said) = face.get(&format!("/api/jobs/by-correlation-id?id={id}")).await;
        assert_eq!((status, &said["code"]), (StatusCode::NOT_FOUND, &json!("job-not-found")));
        assert!(text(&said["message"]).ends_with(&format!("'{id}'")), "{said}");
    }
    assert!(keys(&face, "/api/jobs?withoutInstance=true").await.is_empty());
    let later = json!({"at": "2030-02-01T00:00:00Z", "process": "order"});
    face.post("/api/job-definitions/suspend", later).await;
    assert_eq!(keys(&face, "/api/jobs?withoutInstance=true").await.len(), 1);
    let (status, _) = face.get("/api/jobs?withoutInstance=true&instance=7").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn definitions_and_deployments_are_managed() {
    let face = steps().await;
    let definition = keys(&face, "/api/definitions").await.remove(0);
    let at = |verb: &str| format!("/api/definitions/{definition}/{verb}");
    let (status, _) = face.post(&at("suspend"), json!({"includeInstances": true})).await;
    assert_eq!(status, StatusCode::OK);
    let (status, refused) = face.post("/api/instances", json!({"process": "order"})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("definition-suspended")));
    assert_eq!(keys(&face, "/api/definitions?suspended=true").await, [definition.as_str()]);
    let (status, _) = face.post("/api/definitions/resume", json!({"process": "order"})).await;
    assert_eq!(status, StatusCode::OK);
    face.start().await;

    let deployment = keys(&face, "/api/deployments").await.remove(0);
    let (_, shown) = face.get(&format!("/api/deployments/{deployment}")).await;
    assert_eq!(shown["resources"], json!(["order.bpmn"]));
    assert_eq!(shown["definitions"][0]["key"], definition);
    let (_, registered) = face.get("/api/deployments/registered").await;
    assert_eq!(registered, json!({"items": null}), "the node does not go by deployments");
    let delete = format!("/api/deployments/{deployment}/delete");
    let (status, refused) = face.post(&delete, "").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
    assert_eq!(face.post(&delete, json!({"cascade": true})).await, DONE);
    assert_eq!(keys(&face, "/api/definitions").await.len(), 0);
    assert_eq!(count(&face, "/api/instances/count").await, 0);
}

#[tokio::test]
async fn a_form_is_deployed_found_and_deleted() {
    let face = Face::new().await;
    let form = r#"{"id": "ask", "type": "default", "components": []}"#;
    let (status, deployed) = face.post("/api/deployments?name=ask.form", form).await;
    assert_eq!(status, StatusCode::CREATED, "{deployed}");
    let asset = &deployed["assets"][0];
    assert_eq!((&asset["kind"], &asset["asset"]), (&json!("form"), &json!("ask")));
    assert_eq!(asset["version"], 1);
    let (_, again) = face.post("/api/deployments?name=ask.form", form).await;
    assert_eq!((&again["key"], &again["duplicate"]), (&deployed["key"], &json!(true)));
    let key = text(&deployed["key"]);
    assert_eq!(keys(&face, "/api/deployments").await, [key.as_str()]);
    let (_, shown) = face.get(&format!("/api/deployments/{key}")).await;
    assert_eq!(shown["resources"], json!(["ask.form"]));
    assert_eq!(shown["assets"], json!([asset]));
    assert_eq!(face.post(&format!("/api/deployments/{key}/delete"), "").await, DONE);
    assert_eq!(keys(&face, "/api/deployments").await.len(), 0);
}

#[tokio::test]
async fn many_instances_are_managed_and_started_anew() {
    let face = steps().await;
    for key in ["a", "b", "b"] {
        let body = json!({"process": "order", "businessKey": key, "variables": {"n": 1}});
        assert_eq!(face.post("/api/instances", body).await.0, StatusCode::CREATED);
    }
    assert_eq!(count(&face, "/api/instances/count?businessKey=b").await, 2);
    let some = json!({"filter": {"businessKey": "b"}});
    let (_, said) = face.post("/api/instances/suspend", &some).await;
    assert_eq!(said["done"], 2, "{said}");
    let (_, listed) = face.get("/api/instances?businessKey=b").await;
    assert_eq!(listed["items"][0]["suspended"], true);
    let (_, said) = face.post("/api/instances/resume", &some).await;
    assert_eq!(said["done"], 2, "{said}");
    let (_, said) = face.post("/api/instances/cancel", &some).await;
    assert_eq!(said["done"], 2, "{said}");
    let ended = keys(&face, "/api/instances?ended=true").await;
    assert_eq!(ended.len(), 2);

    let path = format!("/api/instances/{}/restart", ended[0]);
    let (status, started) = face.post(&path, json!({"variables": {"m": 2}})).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    let path = format!("/api/instances/{}/variables", text(&started["key"]));
    assert_eq!(face.get(&path).await.1, json!({"m": 2, "n": 1}));
    let (_, said) = face.post("/api/instances/restart", json!({"keys": ended})).await;
    assert_eq!(said["done"], 2, "{said}");
    assert_eq!(count(&face, "/api/instances/count?businessKey=b").await, 3);
    let (_, said) = face.post("/api/instances/delete", json!({"filter": {}})).await;
    assert_eq!(said["done"], 4, "{said}");
}

#[tokio::test]
async fn incidents_are_opened_noted_and_resolved() {
    let face = Face::with(ZEEBE_MODEL).await;
    let instance = face.start().await;
    let new =
        json!({"instance": instance, "kind": "late", "message": "look", "configuration": "x"});
    let (status, said) = face.post("/api/incidents", new).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    let key = keys(&face, "/api/incidents?kind=late").await.remove(0);
    let note = format!("/api/incidents/{key}/annotation");
    assert_eq!(face.post(&note, json!({"annotation": "anna looks"})).await, DONE);
    let (_, shown) = face.get(&format!("/api/incidents/{key}")).await;
    assert_eq!(
        (&shown["annotation"], &shown["configuration"]),
        (&json!("anna looks"), &json!("x"))
    );
    assert_eq!(face.post(&note, "{}").await, DONE);
    assert_eq!(face.get(&format!("/api/incidents/{key}")).await.1["annotation"], json!(null));
    assert_eq!(count(&face, &format!("/api/incidents/count?instance={instance}")).await, 1);
    let (_, said) = face.post("/api/incidents/resolve", json!({"filter": {"kind": "late"}})).await;
    assert_eq!(said, json!({"done": 1, "failures": [], "next": null}));
    assert_eq!(count(&face, "/api/incidents/count").await, 0);
}

#[tokio::test]
async fn limits_are_set_shown_and_removed() {
    let face = Face::with(ZEEBE_MODEL).await;
    let limit = json!({"scope": "topic", "name": "payment", "maxConcurrent": 3,
        "rate": {"jobs": 10, "intervalMs": 1000, "burst": 20}});
    assert_eq!(face.post("/api/limits", &limit).await, DONE);
    let (_, listed) = face.get("/api/limits").await;
    let shown = &listed["items"][0];
    assert_eq!((&shown["maxConcurrent"], &shown["rate"]["burst"]), (&json!(3), &json!(20)));
    assert_eq!(shown["running"], 0);
    let one = json!({"scope": "topic", "name": "payment"});
    assert_eq!(face.post("/api/limits/delete", &one).await, DONE);
    let (status, refused) = face.post("/api/limits/delete", &one).await;
    assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("limit-not-found")));
}

#[tokio::test]
async fn nodes_tell_what_they_take_and_their_executor_is_switched() {
    let face = Face::new().await;
    let node = |nodes: &Value| nodes["items"][0].clone();
    let (_, nodes) = face.get("/api/nodes").await;
    assert_eq!(node(&nodes)["executor"], true);
    assert_eq!(node(&nodes)["deployments"], json!(null));
    assert_eq!(face.post("/api/executor/stop", "").await, DONE);
    assert_eq!(face.get("/api/executor").await.1["active"], false);
    assert_eq!(face.post("/api/executor/start", "").await, DONE);
    let (_, executor) = face.get("/api/executor").await;
    assert_eq!((&executor["active"], &executor["breakers"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn a_batch_is_begun_watched_and_remembered() {
    let face = Face::with(ZEEBE_MODEL).await;
    for _ in 0..3 {
        face.start().await;
    }
    let jobs = keys(&face, "/api/jobs?type=payment").await;
    let body = json!({"kind": "set-job-retries", "filter": {"type": "payment"}, "retries": 8,
        "suspended": true});
    let request = Request::post("/api/batches")
        .header("orloj-user", "anna")
        .body(Body::from(body.to_string()))
        .unwrap();
    let (status, batch) = json_of(face.send(request).await);
    assert_eq!(status, StatusCode::CREATED, "{batch}");
    assert_eq!((&batch["state"], &batch["createdBy"]), (&json!("suspended"), &json!("anna")));
    let path = format!("/api/batches/{}", text(&batch["key"]));
    assert_eq!(face.post(&format!("{path}/resume"), "").await, DONE);
    let mut shown = Value::Null;
    for _ in 0..50 {
        face.orloj.advance(std::time::Duration::from_secs(60)).unwrap();
        face.orloj.settle().await;
        shown = face.get(&path).await.1;
        if shown["state"] == "ended" {
            break;
        }
    }
    assert_eq!(shown["state"], "ended", "{shown}");
    assert_eq!(shown["done"], shown["total"]);
    let (_, job) = face.get(&format!("/api/jobs/{}", jobs[0])).await;
    assert_eq!(job["retriesLeft"], 8);
    assert_eq!(keys(&face, "/api/batches").await.len(), 0);
    assert_eq!(keys(&face, "/api/batches?ended=true").await, [text(&batch["key"])]);
    let (status, said) = face.post(&format!("{path}/delete"), "").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
    assert_eq!(face.post(&format!("{path}/delete"), json!({"cascade": true})).await, DONE);
    assert_eq!(face.get(&path).await.0, StatusCode::NOT_FOUND);

    let many = json!({"filter": {}, "asBatch": true});
    let (status, said) = face.post("/api/instances/delete", &many).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert!(said["batch"].is_string());
}

#[tokio::test]
async fn what_happened_and_who_did_it_is_told() {
    let face = Face::with(ZEEBE_MODEL).await;
    let instance = face.start().await;
    let job = text(&face.job().await["key"]);
    let request = Request::post(format!("/api/jobs/{job}/retries"))
        .header("orloj-user", "anna")
        .body(Body::from(r#"{"retries":5}"#))
        .unwrap();
    assert_eq!(face.send(request).await.0, StatusCode::NO_CONTENT);
    let (_, listed) = face.get("/api/history/operations?user=anna").await;
    let done = &listed["items"][0];
    assert_eq!(done["operation"], "SetExternalTaskRetries", "{listed}");
    assert_eq!((&done["property"], &done["new"]), (&json!("retries"), &json!("5")));
    assert_eq!(done["entityKey"], job);
    assert_eq!(face.get("/api/history/operations?user=bob").await.1["items"], json!([]));

    let (_, listed) = face.get(&format!("/api/history/activities?instance={instance}")).await;
    let elements: Vec<&Value> =
        listed["items"].as_array().unwrap().iter().map(|item| &item["element"]).collect();
    assert!(elements.contains(&&json!("pay")), "{listed}");
    for what in ["variables", "variable-updates", "tasks", "jobs", "incidents"] {
        let (status, said) = face.get(&format!("/api/history/{what}?instance={instance}")).await;
        assert_eq!(status, StatusCode::OK, "{what}: {said}");
        assert!(said["items"].is_array());
    }
    face.post(&format!("/api/instances/{instance}/cancel"), "").await;
    assert_eq!(keys(&face, "/api/history/instances?state=cancelled").await, [instance.as_str()]);
    assert_eq!(keys(&face, "/api/history/instances?state=active").await.len(), 0);
    assert_eq!(face.get("/api/meters").await.0, StatusCode::OK);
    assert_eq!(face.get("/api/history/clean-up").await.0, StatusCode::OK);
}

#[tokio::test]
async fn bad_input_is_refused_and_named() {
    let face = Face::with(ZEEBE_MODEL).await;
    face.start().await;
    // What is asked, and the status, the code and what the message names.
    let cases = r#"
        GET /api/jobs?priorityMin=high => 400 invalid-query priorityMin
        GET /api/jobs?priorityMin=2&priorityMax=1 => 400 invalid-query priorityMin
        GET /api/jobs?dueBefore=soon => 400 invalid-query soon
        GET /api/jobs?set=some => 400 invalid-query dead-letters
        GET /api/jobs?order=best => 400 invalid-query earliest-due
        GET /api/jobs?order=oldest&before=5 => 400 invalid-query offset
        GET /api/jobs?limit=1001 => 400 invalid-query limit
        GET /api/jobs?wrong=1 => 400 invalid-query wrong
        GET /api/jobs?keys=1,x => 400 invalid-query 'x'
        GET /api/jobs/7 => 404 job-not-found 7
        GET /api/jobs/7/stack-trace => 404 job-not-found 7
        POST /api/jobs/7/priority {"priority":"high"} => 400 invalid-body i64
        POST /api/jobs/7/due {} => 400 invalid-body dueAt
        POST /api/jobs/7/due {"dueAt":"soon"} => 400 invalid-body soon
        POST /api/jobs/7/reschedule {} => 400 invalid-body duration
        POST /api/jobs/7/suspend {"now":true} => 400 invalid-body now
        POST /api/jobs/retries {"keys":["0"],"retries":1} => 400 invalid-body keys
        POST /api/jobs/retries {"filter":{"stat":"ready"},"retries":1} => 400 invalid-body stat
        GET /api/job-definitions/7 => 404 job-definition-not-found 7
        POST /api/job-definitions/suspend {} => 400 invalid-body process
        POST /api/definitions/suspend {} => 400 invalid-body process
        POST /api/definitions/suspend {"process":"nobody"} => 404 process-not-found nobody
        POST /api/definitions/7/delete => 404 definition-not-found 7
        GET /api/deployments/7 => 404 deployment-not-found 7
        POST /api/deployments/7/register => 404 deployment-not-found 7
        POST /api/incidents {"instance":"7","kind":" "} => 400 invalid-body kind
        POST /api/instances/7/restart => 404 instance-not-found 7
        POST /api/instances/cancel {"filter":{"keys":"7"}} => 400 invalid-query keys
        POST /api/instances/cancel {"filter":{"ended":true}} => 400 invalid-query ended
        GET /api/instances/count?keys=7 => 400 invalid-query keys
        GET /api/instances?keys=7&process=order => 400 invalid-query keys
        POST /api/batches {"kind":"instance-deletion","filter":{"keys":"7"}} => 400 invalid-query keys
        POST /api/limits {"scope":"topic","name":"a","maxConcurrent":-1} => 400 invalid-body -1
        POST /api/limits {"scope":"topic","name":"a"} => 400 invalid-request rate
        POST /api/limits {"scope":"who","name":"a"} => 400 invalid-body topic
        POST /api/limits {"scope":"key","name":"a","rate":{"jobs":0,"intervalMs":1,"burst":1}} => 400 invalid-request rate
        GET /api/batches/7 => 404 batch-not-found 7
        POST /api/batches {} => 400 invalid-body kind
        POST /api/batches {"kind":"x"} => 400 invalid-body set-job-retries
        POST /api/batches {"kind":"set-job-retries","retries":1} => 400 invalid-body filter
        POST /api/batches {"kind":"set-job-retries","keys":["1"],"retries":-1} => 400 retries-negative -1
        GET /api/history/activities => 400 invalid-query instance
        GET /api/history/activities?instance=7 => 404 instance-not-found 7
        GET /api/history/instances?state=dead => 400 invalid-query completed
        GET /api/history/jobs?offset=3 => 400 invalid-query offset
        GET /api/meters?name=nothing => 400 invalid-request nothing
        GET /api/meters?intervalMs=0 => 400 invalid-request interval
    "#;
    for case in cases.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let (asked, refused) = case.split_once(" => ").unwrap();
        let mut asked = asked.splitn(3, ' ');
        let request = Request::builder().method(asked.next().unwrap()).uri(asked.next().unwrap());
        let body = Body::from(asked.next().unwrap_or_default().to_owned());
        let (status, refusal) = json_of(face.send(request.body(body).unwrap()).await);
        let [expected, code, named] = refused.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{case}");
        };
        assert_eq!(status.as_str(), expected, "{case}: {refusal}");
        assert_eq!(refusal["code"], code, "{case}: {refusal}");
        assert!(text(&refusal["message"]).contains(named), "{case}: {refusal}");
    }
    assert_eq!(count(&face, "/api/jobs/count").await, 1);
}
