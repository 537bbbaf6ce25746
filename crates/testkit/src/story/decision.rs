//! Decisions of a story.
//!
//! ```text
//! decision fee, zeebe: if total > 100 then 0 else 5
//! table rate, camunda, collect: total => rate, text; > 100 => 10, "big"; - => 0, "any"
//! ```
//! A decision is one FEEL expression. A table has one input, its outputs after the first arrow,
//! and then its rules; the hit policy is `unique` unless it is named. `tag TEXT` gives a version
//! tag. Decisions of the same id are versions, in the order they are told.

use std::fmt::Write;

use orloj_model::Dialect;

#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub id: String,
    pub dialect: Dialect,
    pub tag: Option<String>,
    logic: Logic,
}

#[derive(Clone, Debug, PartialEq)]
enum Logic {
    Expression(String),
    Table { policy: String, input: String, outputs: Vec<String>, rules: Vec<(String, Vec<String>)> },
}

impl Decision {
    /// Reads a line that begins with `decision` or `table`.
    pub fn parse(line: &str) -> Result<Self, String> {
        let (head, body) = line.split_once(':').ok_or("a decision has a colon")?;
        let (kind, head) = head.trim().split_once(' ').ok_or("a decision has an id")?;
        let mut parts = head.split(',').map(str::trim);
        let id = parts.next().unwrap_or_default().to_owned();
        let (mut dialect, mut policy, mut tag) = (Dialect::Zeebe, "unique".to_owned(), None);
        for part in parts {
            match part.split_once(' ') {
                Some(("tag", text)) => tag = Some(text.trim().to_owned()),
                _ => match part {
                    "zeebe" => dialect = Dialect::Zeebe,
                    "camunda" => dialect = Dialect::Camunda7,
                    "flowable" => dialect = Dialect::Flowable,
                    other => other.clone_into(&mut policy),
                },
            }
        }
        let logic = match kind {
            "decision" => Logic::Expression(body.trim().to_owned()),
            _ => table(policy, body)?,
        };
        Ok(Self { id, dialect, tag, logic })
    }

    pub fn to_xml(&self) -> String {
        let id = escape(&self.id);
        let mut out = format!(
            concat!(
                r#"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/""#,
                r#" xmlns:camunda="http://camunda.org/schema/1.0/dmn""#,
                r#" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0""#,
                r#" id="file_{0}" name="{0}" namespace="story"><decision id="{0}" name="{0}""#,
            ),
            id
        );
        let tag = self.tag.as_deref().map(escape);
        match (&tag, self.dialect) {
            (None, _) => out.push('>'),
            (Some(tag), Dialect::Zeebe) => {
                let _ = write!(
                    out,
                    r#"><extensionElements><zeebe:versionTag value="{tag}"/></extensionElements>"#
                );
            }
            (Some(tag), _) => {
                let _ = write!(out, r#" camunda:versionTag="{tag}">"#);
            }
        }
        match &self.logic {
            Logic::Expression(text) => {
                let text = escape(text);
                let _ = write!(
                    out,
                    r#"<variable name="{id}"/><literalExpression><text>{text}</text></literalExpression>"#
                );
            }
            Logic::Table { policy, input, outputs, rules } => {
                write_table(&mut out, policy, input, outputs, rules);
            }
        }
        out + "</decision></definitions>"
    }
}

fn table(policy: String, body: &str) -> Result<Logic, String> {
    let mut rows = body.split(';').map(|row| {
        let (left, right) = row.split_once("=>").ok_or("a row of a table has an arrow =>")?;
        let right = right.split(',').map(|cell| cell.trim().to_owned()).collect();
        Ok::<(String, Vec<String>), String>((left.trim().to_owned(), right))
    });
    let (input, outputs) = rows.next().ok_or("a table has a head")??;
    let rules = rows.collect::<Result<Vec<_>, _>>()?;
    Ok(Logic::Table { policy, input, outputs, rules })
}

fn write_table(
    out: &mut String,
    policy: &str,
    input: &str,
    outputs: &[String],
    rules: &[(String, Vec<String>)],
) {
    let policy = policy.to_uppercase();
    let input = escape(input);
    let _ = write!(
        out,
        r#"<decisionTable hitPolicy="{policy}"><input><inputExpression><text>{input}</text></inputExpression></input>"#
    );
    for output in outputs {
        let _ = write!(out, r#"<output name="{}"/>"#, escape(output));
    }
    for (test, values) in rules {
        let test = escape(test);
        let _ = write!(out, "<rule><inputEntry><text>{test}</text></inputEntry>");
        for value in values {
            let _ = write!(out, "<outputEntry><text>{}</text></outputEntry>", escape(value));
        }
        out.push_str("</rule>");
    }
    out.push_str("</decisionTable>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
