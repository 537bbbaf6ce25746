//! A process whose jobs wait, and questions about what there is.

use axum::http::StatusCode;
use serde_json::Value;

use super::{Face, text};

pub const DONE: (StatusCode, Value) = (StatusCode::NO_CONTENT, Value::Null);

/// An asynchronous step, and a timer beside a task for people.
pub const STEPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
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
pub async fn steps() -> Face {
    let face = Face::with_executor(false).await;
    let (status, said) = face.post("/api/deployments?name=order.bpmn", STEPS).await;
    assert_eq!(status, StatusCode::CREATED, "{said}");
    face
}

pub async fn keys(face: &Face, path: &str) -> Vec<String> {
    let (status, listed) = face.get(path).await;
    assert_eq!(status, StatusCode::OK, "{path}: {listed}");
    listed["items"].as_array().unwrap().iter().map(|item| text(&item["key"])).collect()
}

pub async fn count(face: &Face, path: &str) -> u64 {
    let (status, counted) = face.get(path).await;
    assert_eq!(status, StatusCode::OK, "{path}: {counted}");
    counted["count"].as_u64().unwrap()
}
