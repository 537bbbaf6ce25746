//! `new JsonSlurper().parseText(text)`

use orloj_types::{Document, Value};

use crate::run::{Machine, Thrown};
use crate::value::Val;

pub(super) fn parse(m: &mut Machine<'_>, text: &str, at: u32) -> Thrown<Val> {
    m.bytes(text.len(), at)?;
    // A document is an object; anything else becomes one by wrapping.
    match Document::parse(&format!("{{\"value\":{text}}}")) {
        Ok(document) => match document.get("value") {
            Some(stored) => m.import_value(&Value::from(stored), at),
            None => Ok(Val::Null),
        },
        Err(error) => Err(m.throw("java.lang.IllegalArgumentException", error.to_string(), at)),
    }
}
