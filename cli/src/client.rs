//! Talks to a node.

use std::io;
use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use orloj_server::Direct;
use serde::Deserialize;
use ureq::Agent;
use ureq::http::StatusCode;

use crate::args::Client;
use crate::call::Request;

/// Every answer of the API is prompt; a node that takes longer is in trouble.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// A page of 1,000 rows with long texts, and room to spare.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

pub struct Connection {
    agent: Agent,
    /// Where the answers come from: the address of a node, or a store.
    url: String,
    /// Who gives the commands.
    user: Option<String>,
    /// Instead of a node.
    store: Option<Direct>,
}

/// The shape of every refusal.
#[derive(Deserialize)]
struct Refusal {
    message: String,
    #[serde(default)]
    details: Vec<Detail>,
}

#[derive(Deserialize)]
struct Detail {
    resource: String,
    line: Option<u32>,
    column: Option<u32>,
    severity: String,
    message: String,
    code: Option<String>,
}

impl Connection {
    pub fn open(client: &Client) -> anyhow::Result<Self> {
        let user = client.user.clone();
        let is_plain = user.as_ref().is_none_or(|user| user.chars().all(|c| c.is_ascii_graphic()));
        ensure!(is_plain, "--user: only letters, digits and signs without blanks can be sent");
        let Some(store) = &client.store else {
            return Ok(Self { user, ..Self::new(&client.url)? });
        };
        let direct = Direct::open(store)?;
        Ok(Self { agent: agent(), url: "the store".to_owned(), user, store: Some(direct) })
    }

    pub fn new(url: &str) -> anyhow::Result<Self> {
        let url = url.trim_end_matches('/');
        match url.strip_prefix("http://") {
            Some(host) if !host.is_empty() => {}
            _ => bail!("--url: '{url}' is not the address of a node; write http://HOST:PORT"),
        }
        Ok(Self { agent: agent(), url: url.to_owned(), user: None, store: None })
    }

    /// The body of a successful answer.
    pub fn send(&self, request: &Request) -> anyhow::Result<String> {
        if let Some(store) = &self.store {
            return self.send_to_store(store, request);
        }
        let post = |path: &str, kind: &str| {
            let request = self.agent.post(self.at(path)).content_type(kind);
            match &self.user {
                Some(user) => request.header("orloj-user", user),
                None => request,
            }
        };
        let answer = match request {
            Request::Get(path) => self.agent.get(self.at(path)).call(),
            Request::PostJson(path, body) => post(path, "application/json").send(body),
            Request::PostXml(path, body) => post(path, "application/xml").send(&body[..]),
        };
        let mut answer = answer.map_err(|error| self.silent(error))?;
        let body = answer
            .body_mut()
            .with_config()
            .limit(ANSWER_BYTES_MAX)
            .read_to_string()
            .map_err(|error| self.silent(error))?;
        let status = answer.status();
        if status.is_success() { Ok(body) } else { Err(self.refused(status, &body)) }
    }

    fn send_to_store(&self, store: &Direct, request: &Request) -> anyhow::Result<String> {
        let mut builder = ureq::http::Request::builder();
        if let Some(user) = &self.user {
            builder = builder.header("orloj-user", user);
        }
        let (method, path, body) = match request {
            Request::Get(path) => ("GET", path, Vec::new()),
            Request::PostJson(path, body) => ("POST", path, body.clone().into_bytes()),
            Request::PostXml(path, body) => ("POST", path, body.clone()),
        };
        let answer = store.send(builder.method(method).uri(path).body(body)?)?;
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        let status = StatusCode::from_u16(answer.status)?;
        if status.is_success() { Ok(body) } else { Err(self.refused(status, &body)) }
    }

    pub fn not_orloj(&self, error: &serde_json::Error) -> anyhow::Error {
        anyhow!("the answer of {} is not one of an Orloj node: {error}", self.url)
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn silent(&self, error: ureq::Error) -> anyhow::Error {
        let reason = match error {
            ureq::Error::Timeout(_) => {
                return anyhow!("the node at {} did not answer within {ANSWER_MAX:?}", self.url);
            }
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                "connection refused".to_owned()
            }
            other => other.to_string(),
        };
        anyhow!(
            "no node answers at {} ({reason}); start one with 'orloj serve' or 'orloj dev', or \
             name another with --url",
            self.url
        )
    }

    fn refused(&self, status: StatusCode, body: &str) -> anyhow::Error {
        let Ok(refusal) = serde_json::from_str::<Refusal>(body) else {
            return anyhow!("the answer of {} is not one of an Orloj node: {status}", self.url);
        };
        let mut text = refusal.message;
        for detail in refusal.details {
            text.push('\n');
            text.push_str(&detail.text());
        }
        anyhow!(text)
    }
}

fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(ANSWER_MAX))
        // A node is spoken to directly: a proxy cannot reach this machine's own.
        .proxy(None)
        .build()
        .new_agent()
}

impl Detail {
    /// `order.bpmn:12:7: error: the message [the-code]`, which editors understand.
    fn text(&self) -> String {
        let place = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.resource),
            _ => self.resource.clone(),
        };
        let code = self.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
        format!("{place}: {}: {}{code}", self.severity, self.message)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Answers one request with `answer`; gives the URL to ask.
    fn node(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        url
    }

    fn error(url: &str) -> String {
        let request = Request::Get("/api/nodes".to_owned());
        let result = Connection::new(url).and_then(|connection| connection.send(&request));
        result.expect_err("must fail").to_string().replace(url, "URL")
    }

    #[test]
    fn a_missing_node_is_said_together_with_the_way_out() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        insta::assert_snapshot!(error(&url), @"no node answers at URL (connection refused); start one with 'orloj serve' or 'orloj dev', or name another with --url");
    }

    #[test]
    fn refusals_are_shown_with_their_details() {
        let url = node(
            "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n\
             {\"code\":\"invalid-deployment\",\"message\":\"2 problem(s)\",\"details\":[\
             {\"resource\":\"a.bpmn\",\"line\":3,\"column\":9,\"severity\":\"error\",\
             \"code\":\"no-end\",\"message\":\"nothing ends here\"},\
             {\"resource\":\"b.bpmn\",\"severity\":\"error\",\"message\":\"empty\"}]}",
        );
        insta::assert_snapshot!(error(&url), @r"
        2 problem(s)
        a.bpmn:3:9: error: nothing ends here [no-end]
        b.bpmn: error: empty
        ");
    }

    #[test]
    fn another_server_is_recognised() {
        let url = node("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n<html>");
        insta::assert_snapshot!(error(&url), @"the answer of URL is not one of an Orloj node: 404 Not Found");
    }

    #[test]
    fn only_plain_addresses_are_taken() {
        for url in ["https://a", "127.0.0.1:8080", "http://", ""] {
            assert!(Connection::new(url).is_err(), "{url}");
        }
    }
}
