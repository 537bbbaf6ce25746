//! Requests to a node, as data.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::args::{Client, Format, Paging};
use crate::client::Connection;
use crate::output;
use crate::plan::Plan;

/// Requests made one after the other; the first that fails ends it.
#[derive(Debug)]
pub struct Calls {
    pub client: Client,
    pub calls: Vec<Call>,
}

#[derive(Debug)]
pub struct Call {
    pub request: Request,
    pub answer: Answer,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// A path with its query.
    Get(String),
    PostJson(String, String),
    PostXml(String, Vec<u8>),
}

/// What to do with an answer.
#[derive(Debug)]
pub enum Answer {
    /// Show it; the function makes a table of it.
    Show(fn(&str) -> serde_json::Result<View>),
    /// Nothing comes back; say that it is done.
    Done(String),
}

/// An answer made for people.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct View {
    /// For stdout.
    pub data: String,
    /// For stderr, such as where to go on.
    pub note: Option<String>,
}

impl Calls {
    pub fn act(self) -> anyhow::Result<()> {
        let connection = Connection::open(&self.client)?;
        for call in self.calls {
            let body = connection.send(&call.request)?;
            match (call.answer, self.client.output) {
                (Answer::Done(said), _) => output::talk(&said),
                (Answer::Show(_), Format::Json) => output::data(&body)?,
                (Answer::Show(view), Format::Table) => {
                    let view = view(&body).map_err(|error| connection.not_orloj(&error))?;
                    output::data(&view.data)?;
                    view.note.iter().for_each(|note| output::talk(note));
                }
            }
        }
        Ok(())
    }
}

/// A command for one thing that answers nothing: `is` tells what has become of it.
pub fn order(client: Client, (noun, path): (&str, &str), key: i64, order: Order<'_>) -> Plan {
    let Order { verb, body, is } = order;
    let path = Path::new(format!("{path}/{key}/{verb}"));
    ask(client, path.post_json(body), Answer::Done(format!("{noun} {key} is {is}")))
}

pub struct Order<'a> {
    pub verb: &'a str,
    pub body: String,
    pub is: &'a str,
}

/// One request.
pub fn ask(client: Client, request: Request, answer: Answer) -> Plan {
    Plan::Ask(Calls { client, calls: vec![Call { request, answer }] })
}

/// Builds a path with a query. Absent values are left out.
pub struct Path {
    text: String,
    separator: char,
}

impl Path {
    pub fn new(path: impl Into<String>) -> Self {
        Self { text: path.into(), separator: '?' }
    }

    pub fn with(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.text.push(self.separator);
            self.text.push_str(name);
            self.text.push('=');
            percent_encode(&value.to_string(), &mut self.text);
            self.separator = '&';
        }
        self
    }

    /// The fields of a filter.
    pub fn with_all(self, filter: &Map<String, Value>) -> Self {
        filter.iter().fold(self, |path, (name, value)| match value {
            Value::Null => path,
            Value::String(text) => path.with(name, Some(text)),
            other => path.with(name, Some(other)),
        })
    }

    pub fn page(self, paging: &Paging) -> Self {
        self.with("before", paging.before).with("limit", Some(paging.limit))
    }

    pub fn get(self) -> Request {
        Request::Get(self.text)
    }

    pub fn post_json(self, body: String) -> Request {
        Request::PostJson(self.text, body)
    }

    pub fn post_xml(self, body: Vec<u8>) -> Request {
        Request::PostXml(self.text, body)
    }
}

fn percent_encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_carries_its_query_safely() {
        let path = Path::new("/api/jobs")
            .with("type", Some("a b&c=ä"))
            .with("state", None::<&str>)
            .with("limit", Some(7));
        assert_eq!(
            path.get(),
            Request::Get("/api/jobs?type=a%20b%26c%3D%C3%A4&limit=7".to_owned())
        );
    }
}
