//! The API in front of an engine in memory whose clock stands still.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod steps;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use orloj::types::{Document, JobKey, Timestamp};
use orloj::{FailJob, Orloj, StoreChoice};
use serde_json::{Value, json};
use tower::ServiceExt;

pub const MODEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d" targetNamespace="t">
  <process id="order" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="pay"/>
    <serviceTask id="pay" camunda:type="external" camunda:topic="payment"/>
    <sequenceFlow id="f2" sourceRef="pay" targetRef="check"/>
    <userTask id="check" name="check it" camunda:candidateGroups="clerks"/>
    <sequenceFlow id="f3" sourceRef="check" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

pub const ZEEBE_MODEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="d" targetNamespace="t">
  <process id="order" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="pay"/>
    <serviceTask id="pay">
      <extensionElements><zeebe:taskDefinition type="payment"/></extensionElements>
    </serviceTask>
    <sequenceFlow id="f2" sourceRef="pay" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

pub struct Face {
    pub orloj: Orloj,
    pub router: Router,
}

impl Face {
    pub async fn new() -> Self {
        Self::with_executor(true).await
    }

    /// Without an executor, asynchronous steps stay where they are.
    pub async fn with_executor(is_on: bool) -> Self {
        let orloj = Orloj::builder()
            .store(StoreChoice::Memory)
            .executor(is_on)
            .pinned_clock(Timestamp::from_ms(1_893_456_000_000))
            .build()
            .await
            .unwrap();
        Self { router: orloj_api_orloj::router(orloj.clone()), orloj }
    }

    pub async fn with_order() -> Self {
        Self::with(MODEL).await
    }

    pub async fn with(model: &str) -> Self {
        let face = Self::new().await;
        let (status, _) = face.post("/api/deployments?name=order.bpmn", model).await;
        assert_eq!(status, StatusCode::CREATED);
        face
    }

    pub async fn send(&self, request: Request<Body>) -> (StatusCode, Vec<u8>) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, body.to_vec())
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        json_of(self.send(request).await)
    }

    pub async fn post(&self, path: &str, body: impl ToString) -> (StatusCode, Value) {
        let request = Request::post(path).body(Body::from(body.to_string())).unwrap();
        json_of(self.send(request).await)
    }

    pub async fn post_as(
        &self,
        user: &str,
        path: &str,
        body: impl ToString,
    ) -> (StatusCode, Value) {
        let request = Request::post(path).header("orloj-user", user);
        json_of(self.send(request.body(Body::from(body.to_string())).unwrap()).await)
    }

    pub async fn start(&self) -> String {
        let (status, started) = self.post("/api/instances", json!({"process": "order"})).await;
        assert_eq!(status, StatusCode::CREATED, "{started}");
        text(&started["key"])
    }

    /// The only job there is.
    pub async fn job(&self) -> Value {
        let (_, jobs) = self.get("/api/jobs").await;
        assert_eq!(jobs["items"].as_array().unwrap().len(), 1, "{jobs}");
        jobs["items"][0].clone()
    }

    /// A worker fails the job for good.
    pub async fn fail(&self, job: &Value) {
        let fail = FailJob {
            job: JobKey::new(text(&job["key"]).parse().unwrap()),
            retries: 0,
            message: "no answer".into(),
            details: None,
            back_off_ms: 0,
            variables: Document::new(),
        };
        self.orloj.fail_job(fail).await.unwrap();
    }
}

pub fn json_of((status, body): (StatusCode, Vec<u8>)) -> (StatusCode, Value) {
    let value = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&body).unwrap_or_else(|_| {
            panic!("not JSON: {}", String::from_utf8_lossy(&body));
        })
    };
    (status, value)
}

/// Keys are text.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not text: {value}")).to_owned()
}
