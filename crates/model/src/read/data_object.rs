//! Data objects: drawings, except that Flowable begins scopes with their values.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::{Document, Temporal, Value};

use crate::graph::DataObject;
use crate::options::Dialect;
use crate::read::context::{Context, Subject, Written};
use crate::read::expression::text;
use crate::read::extension::extension_elements;

impl<'a> Context<'a> {
    pub fn data_object(&mut self, subject: &Subject<'a>) -> Option<DataObject> {
        if self.dialect != Dialect::Flowable {
            return None;
        }
        let kind = self.attribute(subject.node, "itemSubjectRef");
        // Without a prefix it is taken for text, whatever it says.
        let kind =
            kind.and_then(|kind| kind.text.split_once(':').map(|(_, local)| local.to_owned()));
        let kind = kind.unwrap_or_else(|| "string".to_owned());
        // Only objects of these types become variables.
        if !matches!(
            &*kind,
            "string"
                | "boolean"
                | "int"
                | "integer"
                | "long"
                | "double"
                | "float"
                | "datetime"
                | "json"
        ) {
            return None;
        }
        let name = self.attribute(subject.node, "name").filter(|name| !name.text.is_empty());
        let Some(name) = name else {
            let message = format!("{} has no name", subject.title());
            self.error(subject, "data-object-name-missing", message);
            return None;
        };
        let value = extension_elements(subject.node)
            .find(|element| element.tag_name().name() == "value")
            .map(|element| self.content(element));
        let value = value.filter(|value| !value.text.is_empty());
        let typed = value.as_ref().map(|value| typed(&kind, value));
        if let (Some(value), Some(None)) = (&value, &typed)
            && matches!(&*kind, "int" | "long" | "double" | "json")
        {
            let message = format!("the value of {} is no {kind}", subject.title());
            self.error_at(subject, value.offset, "data-object-value-invalid", message);
        }
        let value = typed.flatten();
        Some(DataObject { name: Arc::from(&*name.text), value })
    }
}

fn typed(kind: &str, written: &Written<'_>) -> Option<Expression> {
    let words = written.text.trim();
    let value = match kind {
        "boolean" => Value::Bool(words.eq_ignore_ascii_case("true")),
        "int" | "integer" | "long" => Value::Int(words.parse().ok()?),
        "double" | "float" => Value::Double(words.parse().ok()?),
        "json" => json(words)?,
        // Written without a zone, and meant in the engine's own.
        "datetime" => match Temporal::parse(&format!("{words}Z")) {
            Some(moment) => Value::temporal(moment),
            None => return Some(text(&written.text)),
        },
        _ => return Some(text(&written.text)),
    };
    Some(Expression::constant(value))
}

/// Documents are objects, so the value is read as a member of one.
fn json(words: &str) -> Option<Value> {
    let document = Document::parse(&format!(r#"{{"value":{words}}}"#)).ok()?;
    document.get("value").map(Value::from)
}
