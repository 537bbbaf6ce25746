//! What operators do with jobs and job definitions, over the wire.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::face::steps::{DONE, count, keys, steps};
use crate::face::{Face, text};

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
    assert_eq!((status, &said["job"]), (StatusCode::OK, &timer["key"]), "{said}");
    let timer = face.job().await;
    assert_eq!(said["rescheduledAs"], timer["key"]);
    assert_eq!(timer["dueAt"], "2030-01-01T02:00:00.000Z");
    let (status, _) = face.post(&format!("/api/jobs/{}/fire", text(&timer["key"])), "").await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(face.job().await["state"], "ready");
}

#[tokio::test]
async fn values_are_checked_before_any_job_is_touched_and_only_dead_letters_are_revived() {
    let face = steps().await;
    face.start().await;
    face.start().await;
    for (path, code) in [
        ("/api/jobs/revive", "retries-too-few"),
        ("/api/jobs/retries", "retries-negative"),
        ("/api/job-definitions/retries", "retries-negative"),
    ] {
        let (status, said) = face.post(path, json!({"filter": {}, "retries": -1})).await;
        assert_eq!((status, &said["code"]), (StatusCode::BAD_REQUEST, &json!(code)), "{said}");
    }
    let all = keys(&face, "/api/jobs").await;
    assert_eq!(face.post(&format!("/api/jobs/{}/bury", all[0]), "").await, DONE);
    let (_, said) = face.post("/api/jobs/revive", json!({"filter": {}, "retries": 2})).await;
    assert_eq!((&said["done"], &said["failures"]), (&json!(1), &json!([])));
    // Whoever names one that lives is told.
    let (_, said) = face.post("/api/jobs/revive", json!({"keys": [all[1]]})).await;
    assert_eq!((&said["done"], &said["failures"][0]["code"]), (&json!(0), &json!("job-state")));
    assert_eq!(count(&face, "/api/jobs/count?withoutTenant=true").await, 2);
    assert_eq!(count(&face, "/api/jobs/count?tenant=acme").await, 0);
    let (status, _) = face.get("/api/jobs?tenant=acme&withoutTenant=true").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let filter = json!({"filter": {"withoutTenant": true}, "priority": 5});
    let (_, said) = face.post("/api/jobs/priority", filter).await;
    assert_eq!(said["done"], 2);
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

/// What the log tells of them, and how many operations they are.
async fn told(face: &Face, user: &str) -> (Vec<String>, usize) {
    let (_, listed) = face.get(&format!("/api/history/operations?user={user}")).await;
    let items = listed["items"].as_array().unwrap();
    let groups: BTreeSet<String> = items.iter().map(|item| text(&item["group"])).collect();
    let entry = |item: &Value| {
        format!("{} {} {}", text(&item["operation"]), text(&item["property"]), item["new"])
    };
    (items.iter().rev().map(entry).collect(), groups.len())
}

#[tokio::test]
async fn a_command_for_many_is_one_operation_in_the_log() {
    let face = steps().await;
    for _ in 0..5 {
        face.start().await;
    }
    let mut body = json!({"filter": {}, "limit": 2, "total": 5});
    let mut done = 0;
    loop {
        let (status, said) = face.post_as("kim", "/api/jobs/suspend", &body).await;
        assert_eq!(status, StatusCode::OK, "{said}");
        done += said["done"].as_u64().unwrap();
        if said["next"].is_null() {
            break;
        }
        (body["before"], body["operation"]) = (said["next"].clone(), said["operation"].clone());
    }
    assert_eq!(done, 5);
    let summary = |operation: &str, total: usize| {
        [format!("{operation} nrOfInstances \"{total}\""), format!("{operation} async \"false\"")]
    };
    let mut suspended = summary("SuspendJob", 5).to_vec();
    suspended.push("SuspendJob suspensionState \"suspended\"".to_owned());
    assert_eq!(told(&face, "kim").await, (suspended, 1));
    // Nothing is done untold.
    let other = json!({"filter": {}, "operation": body["operation"]});
    for (user, verb) in [("kim", "resume"), ("lee", "suspend")] {
        let (status, said) = face.post_as(user, &format!("/api/jobs/{verb}"), &other).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
    }
    assert_eq!(count(&face, "/api/jobs/count?set=suspended").await, 5);

    let all = keys(&face, "/api/jobs").await;
    let (_, said) = face.post_as("one", "/api/jobs/resume", json!({"keys": all[..1]})).await;
    assert!(said["operation"].is_null(), "one alone is told as it is: {said}");
    assert_eq!(told(&face, "one").await.0, ["ActivateJob suspensionState \"active\""]);

    let definitions = keys(&face, "/api/job-definitions").await.len();
    let priority = json!({"filter": {}, "priority": 3});
    face.post_as("definitions", "/api/job-definitions/priority", priority).await;
    let mut set = summary("SetPriority", definitions).to_vec();
    set.push("SetPriority overridingPriority \"3\"".to_owned());
    assert_eq!(told(&face, "definitions").await, (set, 1));

    for instance in keys(&face, "/api/instances").await {
        let incident = json!({"instance": instance, "kind": "late"});
        face.post("/api/incidents", incident).await;
    }
    let (_, said) =
        face.post_as("incidents", "/api/incidents/resolve", json!({"filter": {}})).await;
    assert_eq!(said["done"], 5, "{said}");
    assert_eq!(told(&face, "incidents").await, (summary("Resolve", 5).to_vec(), 1));

    face.post_as("instances", "/api/instances/cancel", json!({"filter": {}})).await;
    assert_eq!(told(&face, "instances").await, (summary("Cancel", 5).to_vec(), 1));
    let (_, said) = face.post_as("again", "/api/instances/restart", json!({"filter": {}})).await;
    assert_eq!(said["done"], 5, "{said}");
    let again = summary("RestartProcessInstance", 5).to_vec();
    assert_eq!(told(&face, "again").await, (again, 1));
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
    assert_eq!(explained["reasons"][0].get("onNode"), Some(&Value::Null), "{explained}");
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
