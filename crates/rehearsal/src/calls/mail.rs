//! Mail: checked as the systems check it, and then sent to nobody.

use std::sync::Arc;

use orloj_types::{Document, Value};

use crate::run::Engine;

/// Fields that name recipients.
const RECIPIENTS: [&str; 3] = ["to", "cc", "bcc"];
/// Fields that hold what is said, and those that name a variable which does.
const CONTENTS: [&str; 2] = ["text", "html"];
const CONTENTS_BY_NAME: [&str; 2] = ["textVar", "htmlVar"];

/// Why the mail could not be sent.
pub(super) fn check(
    engine: Engine,
    fields: &[(Arc<str>, Value)],
    variables: &Document,
) -> Result<(), &'static str> {
    let field = |name: &str| {
        let found = fields.iter().find(|(known, _)| **known == *name);
        found.and_then(|(_, value)| text_of(value)).filter(|text| !text.trim().is_empty())
    };
    let recipients: Vec<String> = RECIPIENTS.iter().filter_map(|name| field(name)).collect();
    if recipients.is_empty() {
        return Err("a mail needs somebody to go to");
    }
    let is_said = CONTENTS.iter().any(|name| field(name).is_some())
        || CONTENTS_BY_NAME.iter().any(|name| {
            let value = field(name).and_then(|name| variables.get(&name).map(Value::from));
            value.is_some_and(|value| !value.is_null())
        });
    if !is_said {
        return Err("a mail needs a text");
    }
    match engine {
        // It looks at addresses before it sends anything.
        Engine::Camunda7 => {
            let mut addresses = recipients
                .iter()
                .flat_map(|list| list.split(','))
                .map(str::to_owned)
                .chain(field("from"));
            match addresses.all(|address| is_address(address.trim())) {
                true => Ok(()),
                false => Err("a mail address has a name, an @ and a domain"),
            }
        }
        Engine::Flowable | Engine::Zeebe => match field("headers") {
            Some(headers) if !headers.lines().all(|line| line.contains(':')) => {
                Err("a header of a mail has a name, a colon and a value")
            }
            _ => Ok(()),
        },
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Text(text) => Some(text.to_string()),
        other => Some(other.to_json()),
    }
}

/// `name@domain`, or the same in brackets behind a name.
fn is_address(text: &str) -> bool {
    let inner = text.split_once('<').map_or(text, |(_, rest)| rest.trim_end_matches('>'));
    inner.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty() && !domain.is_empty() && !inner.contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(engine: Engine, fields: &[(&str, &str)]) -> bool {
        let fields: Vec<(Arc<str>, Value)> =
            fields.iter().map(|(name, text)| ((*name).into(), Value::text(*text))).collect();
        let variables = Document::new().with("letter", "hello");
        check(engine, &fields, &variables).is_ok()
    }

    #[test]
    fn a_mail_goes_to_somebody_and_says_something() {
        for engine in [Engine::Camunda7, Engine::Flowable] {
            assert!(checked(engine, &[("to", "a@b.c"), ("text", "x")]));
            assert!(checked(engine, &[("bcc", "A <a@b.c>, d@e"), ("html", "x")]));
            assert!(!checked(engine, &[("to", " "), ("text", "x")]));
            assert!(!checked(engine, &[("to", "a@b.c")]));
            assert!(checked(engine, &[("to", "a@b.c"), ("htmlVar", "letter")]));
            assert!(!checked(engine, &[("to", "a@b.c"), ("htmlVar", "nothing")]));
        }
    }

    #[test]
    fn camunda_looks_at_addresses_and_flowable_at_headers() {
        let mail = [("to", "a"), ("text", "x")];
        assert!(!checked(Engine::Camunda7, &mail));
        assert!(checked(Engine::Flowable, &mail));
        let mail = [("to", "a@b.c"), ("text", "x"), ("headers", "none")];
        assert!(checked(Engine::Camunda7, &mail));
        assert!(!checked(Engine::Flowable, &mail));
    }
}
