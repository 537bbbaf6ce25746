//! Stories over the wire, against an engine in memory whose clock stands still.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use orloj::types::{Document, JobKey};
use serde_json::{Value, json};

use crate::face::{Face, MODEL, ZEEBE_MODEL, json_of, text};

#[tokio::test]
async fn a_model_is_deployed_once_and_comes_back_as_it_was() {
    let face = Face::new().await;
    let (status, first) = face.post("/api/deployments?name=order.bpmn", MODEL).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(first["duplicate"], false);
    let definition = &first["definitions"][0];
    assert_eq!(definition["process"], "order");
    assert_eq!(definition["version"], 1);
    assert_eq!(definition["deployedAt"], "2030-01-01T00:00:00.000Z");

    let (status, again) = face.post("/api/deployments?name=order.bpmn", MODEL).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(again["duplicate"], true);
    assert_eq!(again["key"], first["key"], "under which it is found");
    assert_eq!(again["definitions"][0]["key"], definition["key"]);

    let (_, listed) = face.get("/api/definitions").await;
    assert_eq!(listed["items"], json!([definition]));
    let path = format!("/api/definitions/{}/xml", text(&definition["key"]));
    let request = Request::get(path).body(Body::empty()).unwrap();
    assert_eq!(face.send(request).await, (StatusCode::OK, MODEL.as_bytes().to_vec()));
}

#[tokio::test]
async fn a_file_of_decisions_is_deployed() {
    let face = Face::new().await;
    let file = r#"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="f" name="fees" namespace="n">
        <decision id="fee" name="the fee"><variable name="fee"/><literalExpression><text>1</text></literalExpression></decision>
        </definitions>"#;
    let (status, answer) = face.post("/api/deployments?name=fees.dmn", file).await;
    assert_eq!(status, StatusCode::CREATED, "{answer}");
    assert_eq!(answer["definitions"], json!([]));
    let decision = &answer["decisions"][0];
    assert_eq!((&decision["decision"], &decision["version"]), (&json!("fee"), &json!(1)));
    assert_eq!(decision["requirements"]["name"], "fees");
    let (status, _) = face.post("/api/deployments?name=fees.dmn", file).await;
    assert_eq!(status, StatusCode::OK);
    let broken = file.replace("<text>1</text>", "<text>1 +</text>");
    let (status, refused) = face.post("/api/deployments?name=fees.dmn", &broken).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
}

#[tokio::test]
async fn several_files_are_deployed_together_or_not_at_all() {
    let face = Face::new().await;
    let decision = r#"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d"
        name="d" namespace="n"><decision id="fee" name="fee"><literalExpression><text>1</text>
        </literalExpression></decision></definitions>"#;
    let broken = json!({"resources": [
        {"name": "a.bpmn", "content": "<a"},
        {"name": "order.bpmn", "content": ZEEBE_MODEL},
        {"name": "b.bpmn", "content": "<b"},
    ]});
    let (status, refused) = face.post("/api/deployments", &broken).await;
    assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("invalid-deployment")));
    let resources: Vec<&Value> =
        refused["details"].as_array().unwrap().iter().map(|detail| &detail["resource"]).collect();
    assert_eq!(resources, ["a.bpmn", "b.bpmn"]);
    assert_eq!(face.get("/api/definitions").await.1["items"], json!([]));

    // The decision tells nothing of itself and follows the process: to Zeebe it is fine as it is.
    let base64 = "PGRlZmluaXRpb25zIHhtbG5zPSJodHRwOi8vd3d3Lm9tZy5vcmcvc3BlYy9CUE1OLzIwMTAwNTI0L01PREVMIiB0YXJnZXROYW1lc3BhY2U9Im4iPjxwcm9jZXNzIGlkPSJwIiBpc0V4ZWN1dGFibGU9InRydWUiPjxzdGFydEV2ZW50IGlkPSJzIi8+PC9wcm9jZXNzPjwvZGVmaW5pdGlvbnM+";
    let files = json!({"resources": [
        {"name": "order.bpmn", "content": ZEEBE_MODEL},
        {"name": "fee.dmn", "content": decision},
        {"name": "p.bpmn", "base64": base64},
    ]});
    let (status, answer) = face.post("/api/deployments", &files).await;
    assert_eq!(status, StatusCode::CREATED, "{answer}");
    assert_eq!(answer["definitions"][1]["process"], "p");
    assert_eq!(answer["decisions"][0]["decision"], "fee");
    let key = text(&answer["definitions"][0]["key"]);
    let (status, one) = face.get(&format!("/api/definitions/{key}")).await;
    assert_eq!((status, &one["process"]), (StatusCode::OK, &json!("order")));
    let (status, _) = face.post("/api/deployments?name=fee.dmn", decision).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, _) = face.post("/api/deployments?name=fee2.dmn&engine=zeebe", decision).await;
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test]
async fn variables_of_an_instance_are_set() {
    let face = Face::with_order().await;
    let instance = face.start().await;
    let path = format!("/api/instances/{instance}/variables");
    let (status, _) = face.post(&path, json!({"variables": {"total": 91, "b": true}})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (_, shown) = face.get(&format!("/api/instances/{instance}")).await;
    assert_eq!(
        (&shown["variables"]["total"], &shown["variables"]["b"]),
        (&json!(91), &json!(true))
    );
    let element = text(&shown["elements"][0]["key"]);
    let (_, one) = face.get(&format!("{path}?name=b")).await;
    assert_eq!(one, json!({"b": true}));
    let (status, refusal) = face.get(&format!("{path}?name=nothing")).await;
    assert_eq!(
        (status, &refusal["code"]),
        (StatusCode::NOT_FOUND, &json!("variable-not-found")),
        "{refusal}"
    );
    let path = format!("/api/element-instances/{element}/variables");
    let (status, _) = face.post(&path, json!({"variables": {"own": 1}, "local": true})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (_, shown) = face.get(&format!("/api/instances/{instance}")).await;
    assert_eq!(shown["elements"][0]["variables"], json!({"own": 1}));
    assert_eq!(shown["variables"]["own"], Value::Null);
}

#[tokio::test]
async fn an_instance_is_started_shown_and_cancelled() {
    let face = Face::with_order().await;
    let body = r#"{"process":"order","version":1,"businessKey":"order-7",
        "variables":{"total":123456789012345678901,"lines":[1.50]}}"#;
    let (status, started) = face.post("/api/instances", body).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    let key = text(&started["key"]);

    let (_, listed) = face.get("/api/instances?process=order").await;
    assert_eq!(listed["items"][0]["key"], key.as_str());
    assert_eq!(listed["items"][0]["state"], "active");
    assert_eq!(listed["items"][0]["businessKey"], "order-7");
    assert_eq!(listed["items"][0]["startedAt"], "2030-01-01T00:00:00.000Z");
    assert_eq!(face.get("/api/instances?process=other").await.1["items"], json!([]));
    assert_eq!(face.get("/api/instances?ended=true").await.1["items"], json!([]));

    let path = format!("/api/instances/{key}");
    let request = Request::get(&path).body(Body::empty()).unwrap();
    let (_, raw) = face.send(request).await;
    let raw = String::from_utf8(raw).unwrap();
    assert!(raw.contains(r#""total":123456789012345678901"#), "all digits are kept: {raw}");
    let (_, detail) = face.get(&path).await;
    assert_eq!(detail["elements"][0]["element"], "pay");
    assert_eq!(detail["jobs"][0]["type"], "payment");
    assert_eq!(detail["incidents"], json!([]));
    assert!(!detail["history"].as_array().unwrap().is_empty());

    assert_eq!(
        face.post(&format!("{path}/cancel"), "").await,
        (StatusCode::NO_CONTENT, Value::Null)
    );
    let (_, ended) = face.get("/api/instances?ended=true").await;
    assert_eq!(ended["items"][0]["state"], "cancelled");
    assert_eq!(ended["items"][0]["endedAt"], "2030-01-01T00:00:00.000Z");
    assert_eq!(face.get("/api/instances").await.1["items"], json!([]));
    let (status, refusal) = face.post(&format!("{path}/cancel"), "").await;
    assert_eq!((status, &refusal["code"]), (StatusCode::NOT_FOUND, &json!("instance-not-found")));
}

#[tokio::test]
async fn listings_are_paged_newest_first() {
    let face = Face::with_order().await;
    let mut keys = Vec::new();
    for _ in 0..5 {
        keys.push(face.start().await);
    }
    keys.reverse();
    let mut seen = Vec::new();
    let mut path = "/api/instances?limit=2".to_owned();
    for _ in 0..3 {
        let (_, page) = face.get(&path).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| text(&item["key"])));
        match page["next"].as_str() {
            Some(next) => path = format!("/api/instances?limit=2&before={next}"),
            None => break,
        }
    }
    assert_eq!(seen, keys);
}

#[tokio::test]
async fn a_job_without_retries_waits_in_an_incident_until_both_are_mended() {
    let face = Face::with(ZEEBE_MODEL).await;
    let instance = face.start().await;
    let job = face.job().await;
    assert_eq!(job["kind"], "worker");
    assert_eq!(job["state"], "ready");
    assert_eq!(job["instance"], instance.as_str());
    face.fail(&job).await;

    let (_, failed) = face.get(&format!("/api/jobs?instance={instance}&state=failed")).await;
    assert_eq!(failed["items"][0]["failure"], "no answer");
    assert_eq!(face.get("/api/jobs?state=ready").await.1["items"], json!([]));
    let job = text(&job["key"]);
    let (_, explained) = face.get(&format!("/api/jobs/{job}/explain")).await;
    assert_eq!(explained["job"]["key"], job.as_str());
    let codes: Vec<_> =
        explained["reasons"].as_array().unwrap().iter().map(|r| &r["code"]).collect();
    assert_eq!(codes, ["no-retries", "incident"]);

    let (_, incidents) = face.get(&format!("/api/incidents?instance={instance}")).await;
    let incident = &incidents["items"][0];
    assert_eq!(incident["job"], job.as_str());
    assert_eq!(incident["message"], "no answer");

    let resolve = format!("/api/incidents/{}/resolve", text(&incident["key"]));
    let (status, refusal) = face.post(&resolve, "").await;
    assert_eq!(
        (status, &refusal["code"]),
        (StatusCode::CONFLICT, &json!("incident-needs-retries"))
    );
    let retries = format!("/api/jobs/{job}/retries");
    let (status, refusal) = face.post(&retries, json!({"retries": -1})).await;
    assert_eq!((status, &refusal["code"]), (StatusCode::BAD_REQUEST, &json!("retries-negative")));
    let done = (StatusCode::NO_CONTENT, Value::Null);
    assert_eq!(face.post(&retries, json!({"retries": 2})).await, done);
    assert_eq!(face.job().await["state"], "failed", "the incident is still open");
    assert_eq!(face.post(&resolve, "").await, done);
    assert_eq!(face.job().await["state"], "ready");
    assert_eq!(face.job().await["retriesLeft"], 2);
    let (status, refusal) = face.post(&resolve, "").await;
    assert_eq!((status, &refusal["code"]), (StatusCode::NOT_FOUND, &json!("incident-not-found")));
}

#[tokio::test]
async fn a_user_task_is_listed_and_completed() {
    let face = Face::with_order().await;
    let instance = face.start().await;
    let job = text(&face.job().await["key"]).parse().unwrap();
    face.orloj.complete_job(JobKey::new(job), Document::new()).await.unwrap();

    let (_, tasks) = face.get(&format!("/api/user-tasks?instance={instance}")).await;
    let task = &tasks["items"][0];
    assert_eq!(task["name"], "check it");
    assert_eq!(task["candidateGroups"], json!(["clerks"]));
    let path = format!("/api/user-tasks/{}/complete", text(&task["key"]));
    let (status, refusal) = face.post(&path, json!({"variables": [1]})).await;
    assert_eq!((status, &refusal["code"]), (StatusCode::BAD_REQUEST, &json!("invalid-variables")));
    let (status, _) = face.post(&path, json!({"variables": {"fine": true}})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);

    let (_, ended) = face.get(&format!("/api/instances/{instance}")).await;
    assert_eq!(ended["state"], "completed");
    assert_eq!(ended["variables"], json!({"fine": true}));
    assert_eq!(face.post(&path, "").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn bad_input_has_its_status_and_changes_nothing() {
    let face = Face::with_order().await;
    let large = "x".repeat(orloj_api_orloj::BODY_BYTES_MAX + 1);
    let doctype = "<!DOCTYPE a><a/>";
    let cases = [
        ("POST", "/api/instances", r#"{"process":"nobody"}"#, 404, "process-not-found"),
        ("POST", "/api/instances", r#"{"process":"order","version":9}"#, 404, "version-not-found"),
        ("POST", "/api/instances", r#"{"proces":"order"}"#, 400, "invalid-body"),
        ("POST", "/api/instances", "{", 400, "invalid-body"),
        ("POST", "/api/instances", "", 400, "invalid-body"),
        (
            "POST",
            "/api/instances",
            r#"{"process":"order","variables":7}"#,
            400,
            "invalid-variables",
        ),
        ("POST", "/api/instances", &large, 413, "body-too-large"),
        ("POST", "/api/deployments?name=a.bpmn", "this is no XML", 400, "invalid-deployment"),
        ("POST", "/api/deployments?name=a.bpmn", doctype, 400, "invalid-deployment"),
        ("POST", "/api/deployments?name=a.bpmn", &large, 413, "body-too-large"),
        ("POST", "/api/deployments", MODEL, 400, "invalid-body"),
        ("POST", "/api/deployments?name=a.bpmn&engine=jbpm", MODEL, 400, "invalid-query"),
        ("POST", "/api/deployments?name=a.bpmn&activateAt=soon", MODEL, 400, "invalid-query"),
        ("POST", "/api/deployments?name=a.bpmn&activateAt=", MODEL, 400, "invalid-query"),
        ("POST", "/api/deployments", r#"{"resources":[{"name":"a"}]}"#, 400, "invalid-body"),
        ("POST", "/api/deployments", r#"{"resources":[]}"#, 400, "invalid-request"),
        ("POST", "/api/messages", r#"{"name":" "}"#, 400, "invalid-request"),
        ("POST", "/api/messages", r#"{"name":"a","timeToLive":-1}"#, 400, "invalid-request"),
        ("POST", "/api/messages/correlate", r#"{"name":""}"#, 400, "invalid-request"),
        ("POST", "/api/signals", r#"{"name":""}"#, 400, "invalid-request"),
        ("GET", "/api/definitions/7", "", 404, "definition-not-found"),
        ("GET", "/api/instances/7", "", 404, "instance-not-found"),
        ("GET", "/api/instances/seven", "", 400, "invalid-key"),
        ("GET", "/api/instances/-7", "", 400, "invalid-key"),
        ("GET", "/api/instances?limit=0", "", 400, "invalid-query"),
        ("GET", "/api/instances?proces=order", "", 400, "invalid-query"),
        ("GET", "/api/jobs?state=asleep", "", 400, "invalid-query"),
        ("GET", "/api/jobs/7/explain", "", 404, "job-not-found"),
        ("POST", "/api/jobs/7/retries", r#"{"retries":1}"#, 404, "job-not-found"),
        ("POST", "/api/jobs/7/retries", r#"{"retries":"1"}"#, 400, "invalid-body"),
        ("POST", "/api/incidents/7/resolve", "", 404, "incident-not-found"),
        ("POST", "/api/user-tasks/7/complete", "{}", 404, "user-task-not-found"),
        ("GET", "/api/definitions/7/xml", "", 404, "definition-not-found"),
        ("GET", "/api/nothing", "", 404, "no-such-path"),
        ("POST", "/api/jobs", "", 405, "no-such-method"),
    ];
    for (method, path, body, status, code) in cases {
        let request =
            Request::builder().method(method).uri(path).body(Body::from(body.to_owned())).unwrap();
        let (found, refusal) = json_of(face.send(request).await);
        assert_eq!((found.as_u16(), &refusal["code"]), (status, &json!(code)), "{method} {path}");
        assert!(!text(&refusal["message"]).is_empty());
        assert!(refusal["details"].is_array());
    }
    assert_eq!(face.get("/api/instances").await.1["items"], json!([]));
    assert_eq!(face.get("/api/definitions").await.1["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn problems_of_a_model_are_listed_with_their_places() {
    let face = Face::new().await;
    let broken = MODEL.replace("targetRef=\"check\"", "targetRef=\"nowhere\"");
    let (status, refusal) = face.post("/api/deployments?name=order.bpmn", broken).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let detail = &refusal["details"][0];
    assert_eq!(detail["resource"], "order.bpmn");
    assert_eq!(detail["severity"], "error");
    assert!(detail["line"].as_u64().unwrap() > 1, "{detail}");
    assert!(text(&detail["message"]).contains("nowhere"), "{detail}");
}

#[tokio::test]
async fn a_page_of_another_site_cannot_give_commands() {
    let face = Face::with_order().await;
    for (site, expected) in [("cross-site", 403), ("same-origin", 201), ("none", 201)] {
        let request = Request::post("/api/instances")
            .header("sec-fetch-site", site)
            .body(Body::from(r#"{"process":"order"}"#))
            .unwrap();
        assert_eq!(face.send(request).await.0.as_u16(), expected, "{site}");
    }
}

#[tokio::test]
async fn operators_see_whether_it_lives_is_ready_and_what_it_did() {
    let face = Face::with_order().await;
    assert_eq!(face.get("/health").await, (StatusCode::OK, json!({"status": "healthy"})));
    assert_eq!(face.get("/ready").await, (StatusCode::OK, json!({"status": "ready"})));
    let (_, nodes) = face.get("/api/nodes").await;
    assert_eq!(nodes["items"][0]["isSelf"], true);

    face.get("/api/instances/seven").await;
    let request = Request::get("/metrics").body(Body::empty()).unwrap();
    let (status, metrics) = face.send(request).await;
    let metrics = String::from_utf8(metrics).unwrap();
    assert_eq!(status, StatusCode::OK);
    let counted =
        r#"orloj_http_requests_total{path="/api/instances/{key}",method="GET",status="400"} 1"#;
    assert!(metrics.contains(counted), "{metrics}");
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");

    face.orloj.shutdown().await;
    assert_eq!(face.get("/health").await.0, StatusCode::OK);
    let (status, refusal) = face.get("/ready").await;
    assert_eq!((status, &refusal["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("not-ready")));
    let (status, _) = face.post("/api/instances", json!({"process": "order"})).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn time_is_the_engines() {
    let face = Face::with_order().await;
    face.orloj.advance(Duration::from_millis(1_500)).unwrap();
    let instance = face.start().await;
    let (_, detail) = face.get(&format!("/api/instances/{instance}")).await;
    assert_eq!(detail["startedAt"], "2030-01-01T00:00:01.500Z");
}

#[tokio::test]
async fn a_deployment_tells_what_it_takes_otherwise_than_written() {
    let face = Face::new().await;
    let model = MODEL
        .replace(r#"<serviceTask id="pay""#, r#"<serviceTask id="pay" camunda:asyncBefore="true""#);
    let odd = model.replace(
        r#"camunda:topic="payment"/>"#,
        r#"camunda:topic="payment"><extensionElements>
        <camunda:failedJobRetryTimeCycle>R3/nonsense</camunda:failedJobRetryTimeCycle>
        </extensionElements></serviceTask>"#,
    );
    let (status, deployed) = face.post("/api/deployments?name=order.bpmn", odd).await;
    assert_eq!(status, StatusCode::CREATED, "{deployed}");
    let warning = &deployed["warnings"][0];
    assert_eq!((&warning["severity"], &warning["element"]), (&json!("warning"), &json!("pay")));
    assert!(warning["line"].as_u64().is_some_and(|line| line > 1), "{warning}");
    let (_, deployed) = face.post("/api/deployments?name=fine.bpmn", model).await;
    assert_eq!(deployed["warnings"], json!([]));
}

#[tokio::test]
async fn processes_of_a_tenant_are_deployed_and_started_for_it() {
    let face = Face::new().await;
    let (status, _) = face.post("/api/deployments?name=order.bpmn&tenant=acme", MODEL).await;
    assert_eq!(status, StatusCode::CREATED);
    let (_, definitions) = face.get("/api/definitions?tenant=acme").await;
    assert_eq!(definitions["items"][0]["tenant"], "acme");
    let (status, _) = face.post("/api/instances", json!({"process": "order"})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let start = json!({"process": "order", "tenant": "acme"});
    let (status, started) = face.post("/api/instances", start).await;
    assert_eq!((status, &started["tenant"]), (StatusCode::CREATED, &json!("acme")));
}

#[tokio::test]
async fn a_deployment_is_given_another_tenant() {
    let face = Face::new().await;
    let (_, deployed) = face.post("/api/deployments?name=order.bpmn", MODEL).await;
    let path = format!("/api/deployments/{}", text(&deployed["key"]));
    let set = format!("{path}/set-tenant");
    let (status, _) = face.post(&set, json!({})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "it must be said");
    let (status, _) = face.post(&set, json!({"tenant": "acme"})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(face.get(&path).await.1["tenant"], "acme");
    face.post("/api/deployments?name=order.bpmn", MODEL).await;
    let (status, refused) = face.post(&set, json!({"tenant": null})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let said = "version 1 of process 'order' is there already, of no tenant";
    assert_eq!(refused["message"], said);
    let (status, _) = face.post("/api/deployments/1/set-tenant", json!({"tenant": "acme"})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}
