//! The HTTP client of an operator.

use std::net::SocketAddr;

use orloj_server::orloj::Dialect;
use orloj_server::orloj::types::Timestamp;
use orloj_testkit::story::Refusal;
use serde_json::Value;
use ureq::Agent;

use super::words;

pub struct Http {
    agent: Agent,
    base: String,
}

impl Http {
    pub fn new(address: SocketAddr) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).build();
        Self { agent: config.into(), base: format!("http://{address}") }
    }

    pub fn post(&self, path: &str, body: &Value) -> Result<Value, Refusal> {
        let request = self.agent.post(format!("{}{path}", self.base));
        let answer = request.content_type("application/json").send(body.to_string());
        let (is_done, body) = read(answer);
        if is_done { Ok(body) } else { Err(words::of_body(&body)) }
    }

    pub fn get(&self, path: &str) -> Result<Value, Refusal> {
        let (is_done, body) = read(self.agent.get(format!("{}{path}", self.base)).call());
        if is_done { Ok(body) } else { Err(words::of_body(&body)) }
    }

    /// Of a listing that has no second page.
    pub fn items(&self, path: &str) -> Vec<Value> {
        let mut listing = self.get(path).expect("a listing");
        assert!(listing["next"].is_null(), "a story has less than a page of anything");
        match listing["items"].take() {
            Value::Array(items) => items,
            other => panic!("no items: {other}"),
        }
    }

    pub fn deploy(
        &self,
        name: &str,
        dialect: Dialect,
        content: &str,
        activate_at: Option<Timestamp>,
    ) -> Result<(), String> {
        let engine = match dialect {
            Dialect::Camunda7 => "camunda7",
            Dialect::Flowable => "flowable",
            Dialect::Zeebe => "zeebe",
        };
        let later = activate_at.map(|at| format!("&activateAt={at}")).unwrap_or_default();
        let path = format!("{}/api/deployments?name={name}&engine={engine}{later}", self.base);
        let answer = self.agent.post(path).content_type("application/xml").send(content);
        let (is_done, body) = read(answer);
        if is_done { Ok(()) } else { Err(body.to_string()) }
    }
}

/// Whether it was done, and the body.
fn read(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> (bool, Value) {
    let mut answer = answer.expect("the server answers");
    let body = answer.body_mut().read_to_string().expect("a body");
    let value = match body.is_empty() {
        true => Value::Null,
        false => serde_json::from_str(&body).unwrap_or_else(|_| panic!("not JSON: {body}")),
    };
    (answer.status().is_success(), value)
}

/// Keys are text.
pub fn key_of(value: &Value) -> i64 {
    text(value).parse().unwrap_or_else(|_| panic!("no key: {value}"))
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
