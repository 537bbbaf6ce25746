//! `orloj message`

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::args::{Client, key};
use crate::call::{Answer, Path, View, ask};
use crate::instance::json_object;
use crate::plan::Plan;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Give one to all who wait for its name and key, or keep it until somebody does
    Publish(Publish),
    /// Give one to exactly one instance that waits for it, or to the process that it starts
    Correlate(Correlate),
}

#[derive(Debug, Args)]
pub struct Publish {
    /// As in the model
    name: String,
    /// What instances wait for besides the name
    #[arg(long, value_name = "KEY", default_value = "")]
    key: String,
    /// How long it waits for somebody, such as 30s, 10m or PT1H [default: not at all]
    #[arg(long, value_name = "DURATION")]
    ttl: Option<String>,
    /// While it waits, another one with the same id is refused
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// For whom of this tenant it is, instead of those of none
    #[arg(long)]
    tenant: Option<String>,
    /// Variables to set, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Correlate {
    /// As in the model
    name: String,
    /// Only the instance with this business key; one that is started gets it
    #[arg(long, value_name = "KEY")]
    business_key: Option<String>,
    /// Only this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    instance: Option<i64>,
    /// For whom of this tenant it is, instead of those of none
    #[arg(long)]
    tenant: Option<String>,
    /// Variables to set, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::Publish(publish) => {
            let body = publish_body(&publish)?;
            let path = Path::new("/api/messages");
            ask(publish.client, path.post_json(body), Answer::Show(accepted))
        }
        Verb::Correlate(correlate) => {
            let body = correlate_body(&correlate)?;
            let path = Path::new("/api/messages/correlate");
            ask(correlate.client, path.post_json(body), Answer::Show(correlated))
        }
    })
}

fn publish_body(publish: &Publish) -> anyhow::Result<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        name: &'a str,
        correlation_key: &'a str,
        time_to_live: i64,
        message_id: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant: Option<&'a str>,
        variables: &'a RawValue,
    }
    let body = Body {
        name: &publish.name,
        correlation_key: &publish.key,
        time_to_live: publish.ttl.as_deref().map(milliseconds).transpose()?.unwrap_or_default(),
        message_id: publish.id.as_deref(),
        tenant: publish.tenant.as_deref(),
        variables: json_object(&publish.variables)?,
    };
    Ok(serde_json::to_string(&body)?)
}

fn milliseconds(text: &str) -> anyhow::Result<i64> {
    let duration: jiff::SignedDuration =
        text.parse().with_context(|| format!("--ttl: '{text}' is no duration"))?;
    anyhow::ensure!(!duration.is_negative(), "--ttl: '{text}' is less than nothing");
    i64::try_from(duration.as_millis()).with_context(|| format!("--ttl: '{text}' is too long"))
}

fn correlate_body(correlate: &Correlate) -> anyhow::Result<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        name: &'a str,
        business_key: Option<&'a str>,
        instance: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant: Option<&'a str>,
        variables: &'a RawValue,
    }
    let body = Body {
        name: &correlate.name,
        business_key: correlate.business_key.as_deref(),
        instance: correlate.instance,
        tenant: correlate.tenant.as_deref(),
        variables: json_object(&correlate.variables)?,
    };
    Ok(serde_json::to_string(&body)?)
}

/// The key of what was taken.
pub fn accepted(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Accepted {
        key: String,
    }
    let accepted: Accepted = serde_json::from_str(json)?;
    Ok(View { data: accepted.key, note: None })
}

fn correlated(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Receiver {
        instance: String,
        started: bool,
    }
    let receiver: Receiver = serde_json::from_str(json)?;
    let note = if receiver.started { "it was started" } else { "it waited for the message" };
    Ok(View { data: receiver.instance, note: Some(note.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    fn request(line: &str) -> anyhow::Result<Request> {
        Ok(typed::requests(plan(typed::verb(line).unwrap())?).remove(0))
    }

    #[test]
    fn each_verb_sends_what_was_given() {
        let post = |path: &str, body: &str| Request::PostJson(path.to_owned(), body.to_owned());
        let bare =
            r#"{"name":"paid","correlationKey":"","timeToLive":0,"messageId":null,"variables":{}}"#;
        assert_eq!(request("publish paid").unwrap(), post("/api/messages", bare));
        let full = r#"{"name":"paid","correlationKey":"o-7","timeToLive":600000,"messageId":"m","variables":{"a":1}}"#;
        for ttl in ["10m", "PT10M", "600s"] {
            let line = format!("publish paid --key o-7 --ttl {ttl} --id m --vars {{\"a\":1}}");
            assert_eq!(request(&line).unwrap(), post("/api/messages", full));
        }
        let one = r#"{"name":"paid","businessKey":"b","instance":7,"variables":{}}"#;
        assert_eq!(
            request("correlate paid --business-key b --instance 7").unwrap(),
            post("/api/messages/correlate", one)
        );
        let theirs = r#"{"name":"paid","correlationKey":"","timeToLive":0,"messageId":null,"tenant":"acme","variables":{}}"#;
        assert_eq!(request("publish paid --tenant acme").unwrap(), post("/api/messages", theirs));
        let theirs =
            r#"{"name":"paid","businessKey":null,"instance":null,"tenant":"acme","variables":{}}"#;
        assert_eq!(
            request("correlate paid --tenant acme").unwrap(),
            post("/api/messages/correlate", theirs)
        );
    }

    #[test]
    fn a_time_to_live_is_a_duration_that_lies_ahead() {
        for (ttl, said) in
            [("soon", "--ttl: 'soon' is no duration"), ("-1s", "--ttl: '-1s' is less than nothing")]
        {
            let error = request(&format!("publish paid --ttl={ttl}")).unwrap_err();
            assert_eq!(error.to_string(), said);
        }
    }
}
