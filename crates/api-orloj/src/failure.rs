//! What a refused request is answered with: `{"code", "message", "details"}`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use orloj::Severity;
use orloj::{Error, ResourceProblem};
use serde::Serialize;

use crate::status;

/// Why a request was not done.
#[derive(Debug)]
pub enum Failure {
    Engine(Error),
    Request(RequestFault),
}

/// Faults of the request itself: the engine has not seen it, or does not know what it names.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestFault {
    NoSuchPath,
    NoSuchMethod,
    /// The path holds something else than a key.
    Key(String),
    Query(String),
    Body(String),
    /// The instance has no variable of its own with this name.
    NoSuchVariable(String),
    /// No job has this correlation id.
    NoSuchJob(String),
    BodyTooLarge,
    CrossSite,
    NotReady,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<RequestFault> for Failure {
    fn from(fault: RequestFault) -> Self {
        Self::Request(fault)
    }
}

#[derive(Serialize)]
struct Body {
    code: &'static str,
    message: String,
    details: Vec<Detail>,
}

/// One problem of a deployment.
#[derive(Serialize)]
pub struct Detail {
    resource: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    message: String,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, code) = status::of(&self);
        let message = match &self {
            Self::Engine(error) => error.to_string(),
            Self::Request(fault) => fault.message(),
        };
        let details = match &self {
            Self::Engine(Error::Deployment(problems)) => {
                problems.iter().flat_map(details).collect()
            }
            _ => Vec::new(),
        };
        let mut response = (status, Json(Body { code, message, details })).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl IntoResponse for RequestFault {
    fn into_response(self) -> Response {
        Failure::Request(self).into_response()
    }
}

impl RequestFault {
    fn message(&self) -> String {
        match self {
            Self::NoSuchPath => "no such path".to_owned(),
            Self::NoSuchMethod => "this path does not take that method".to_owned(),
            Self::Key(text) => format!("'{text}' is not a key"),
            Self::Query(reason) | Self::Body(reason) => reason.clone(),
            Self::NoSuchVariable(name) => format!("no variable '{name}'"),
            Self::NoSuchJob(id) => format!("no job with the correlation id '{id}'"),
            Self::BodyTooLarge => {
                format!("the body is larger than {} bytes", crate::BODY_BYTES_MAX)
            }
            Self::CrossSite => "commands from pages of other sites are refused".to_owned(),
            Self::NotReady => "commands are not taken at the moment".to_owned(),
        }
    }
}

pub fn details(problem: &ResourceProblem) -> Vec<Detail> {
    let resource = problem.resource.to_string();
    if problem.diagnostics.is_empty() {
        return vec![Detail {
            resource,
            line: None,
            column: None,
            severity: severity(Severity::Error),
            element: None,
            code: None,
            message: problem.message.clone(),
        }];
    }
    let detail = |diagnostic: &orloj::Diagnostic| Detail {
        resource: resource.clone(),
        line: Some(diagnostic.position.line),
        column: Some(diagnostic.position.column),
        severity: severity(diagnostic.severity),
        element: diagnostic.element.as_ref().map(ToString::to_string),
        code: Some(diagnostic.code),
        message: diagnostic.message.clone(),
    };
    problem.diagnostics.iter().map(detail).collect()
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    }
}
