//! What operators do, over the wire.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};

use crate::face::steps::{DONE, count, keys, steps};
use crate::face::{Face, MODEL, ZEEBE_MODEL, json_of, text};

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
async fn a_deployment_is_active_from_a_moment_on() {
    let face = Face::new().await;
    let path = |at: &str| format!("/api/deployments?name=order.bpmn&activateAt={at}");
    let (status, refused) = face.post(&path("2199-02-30T00:00:00Z"), MODEL).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
    let said = "'2199-02-30T00:00:00Z' is not a moment such as 2030-01-31T09:00:00Z";
    assert!(text(&refused["message"]).contains(said), "{refused}");
    assert_eq!(keys(&face, "/api/definitions").await.len(), 0, "nothing is deployed");

    let at = "2199-01-01T00:00:00.000Z";
    let (status, deployed) = face.post(&path(at), MODEL).await;
    assert_eq!(status, StatusCode::CREATED, "{deployed}");
    let definition = &deployed["definitions"][0];
    assert_eq!(definition["suspended"], true);
    let (status, refused) = face.post("/api/instances", json!({"process": "order"})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("definition-suspended")));
    let (_, jobs) = face.get("/api/jobs?kind=activate-definition").await;
    let job = &jobs["items"][0];
    assert_eq!((&job["definition"], &job["dueAt"]), (&definition["key"], &json!(at)), "{jobs}");

    let execute = format!("/api/jobs/{}/execute", text(&job["key"]));
    assert_eq!(face.post(&execute, json!({})).await, DONE);
    face.start().await;
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
    assert_eq!(keys(&face, "/api/instances?suspended=true").await.len(), 2);
    assert_eq!(count(&face, "/api/instances/count?suspended=false").await, 1);
    let (_, said) =
        face.post("/api/instances/resume", json!({"filter": {"suspended": true}})).await;
    assert_eq!(said["done"], 2, "{said}");
    assert_eq!(count(&face, "/api/instances/count?suspended=true").await, 0);
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
    assert_eq!(said, json!({"done": 1, "failures": [], "next": null, "operation": null}));
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

    // Of two jobs one is a dead letter.
    face.post(&format!("/api/jobs/{}/retries", jobs[0]), json!({"retries": 0})).await;
    let many = json!({"filter": {}, "retries": 2, "asBatch": true});
    let (status, said) = face.post("/api/jobs/revive", &many).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    face.orloj.settle().await;
    let tries =
        async |job: &str| face.get(&format!("/api/jobs/{job}")).await.1["retriesLeft"].clone();
    assert_eq!((tries(&jobs[0]).await, tries(&jobs[1]).await), (json!(2), json!(8)));
    let (_, shown) = face.get(&format!("/api/batches/{}", text(&said["batch"]))).await;
    assert_eq!((&shown["total"], &shown["failed"]), (&json!(1), &json!(0)), "{shown}");

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
        POST /api/definitions/suspend {"process":"order","tenant":"t","withoutTenant":true} => 400 invalid-body withoutTenant
        POST /api/job-definitions/suspend {"process":"order","tenant":"t","withoutTenant":true} => 400 invalid-body withoutTenant
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
        GET /api/instances?ended=true&suspended=true => 400 invalid-query suspended
        POST /api/batches {"kind":"instance-deletion","filter":{"suspended":true}} => 400 invalid-body suspended
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
        GET /api/history/jobs?from=soon => 400 invalid-query from
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

#[tokio::test]
async fn what_has_no_tenant_is_suspended_alone() {
    let face = Face::with_order().await;
    let (status, _) = face.post("/api/deployments?name=order.bpmn&tenant=acme", MODEL).await;
    assert_eq!(status, StatusCode::CREATED);
    let suspended = async || {
        let (_, page) = face.get("/api/definitions?suspended=true").await;
        let rows = page["items"].as_array().unwrap().clone();
        rows.iter().map(|row| row["tenant"].clone()).collect::<Vec<_>>()
    };
    let without = json!({"process": "order", "withoutTenant": true});
    face.post("/api/definitions/suspend", &without).await;
    assert_eq!(suspended().await, [Value::Null]);
    face.post("/api/definitions/suspend", json!({"process": "order"})).await;
    assert_eq!(suspended().await.len(), 2);
    face.post("/api/definitions/resume", &without).await;
    assert_eq!(suspended().await, [json!("acme")]);
}

#[tokio::test]
async fn the_log_of_jobs_is_narrowed_by_what_they_are_of() {
    let face = Face::with(ZEEBE_MODEL).await;
    face.start().await;
    let count = async |query: &str| {
        let (status, said) = face.get(&format!("/api/history/jobs?{query}")).await;
        assert_eq!(status, StatusCode::OK, "{said}");
        said["items"].as_array().unwrap().len()
    };
    for query in ["element=pay", "process=order", "from=2030-01-01T00:00:00Z"] {
        assert_eq!(count(query).await, 1, "{query}");
    }
    for query in ["element=x", "process=x", "definition=7", "runBy=x", "until=2030-01-01T00:00:00Z"]
    {
        assert_eq!(count(query).await, 0, "{query}");
    }
}
