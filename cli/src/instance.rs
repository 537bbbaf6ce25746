//! `orloj instance`

use std::collections::BTreeMap;

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::args::{Client, Ended, One};
use crate::bulk::fields;
use crate::call::{Answer, Path, View, ask};
use crate::incident::Incident;
use crate::instance_changes::{self, AskConditions, Migrate, Modify, SetVariables};
use crate::instance_choice::{Count, Filter, Instances, Restart};
use crate::job::Job;
use crate::plan::Plan;
use crate::table::{self, Row, or_dash, plain};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Those that run, newest first
    List(Ended<Filter>),
    /// One with its tokens, variables, jobs, incidents and history
    Show(One),
    /// Start one
    Start(Start),
    /// How many run
    Count(Count),
    /// Variables of one
    Variables(One),
    /// End those that run
    Cancel(Instances),
    /// Work on nothing of them until they are resumed
    Suspend(Instances),
    /// Go on with those that are suspended
    #[command(visible_alias = "activate")]
    Resume(Instances),
    /// As cancel, but no listener is called
    Delete(Instances),
    /// Start anew what has ended
    Restart(Restart),
    /// Move tokens of one by hand
    Modify(Modify),
    /// Let one go on as another version, or as another process
    Migrate(Migrate),
    /// Set variables of one
    SetVariables(SetVariables),
    /// Ask conditional events of one that hear nothing by themselves, as Flowable's
    AskConditions(AskConditions),
}

#[derive(Debug, Args)]
pub struct Start {
    /// The id of the process, as in its model
    process: String,
    /// A certain version instead of the latest
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    version: Option<i32>,
    /// Variables to start with, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    variables: String,
    /// Your own name for it
    #[arg(long)]
    business_key: Option<String>,
    /// Whose process, where several tenants share an engine
    #[arg(long)]
    tenant: Option<String>,
    /// Begin before this element instead of at the start event; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    before: Vec<String>,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new("/api/instances").with_all(&fields(&list.filter)?);
            list.list(path, table::listing::<Instance>)
        }
        Verb::Show(one) => one.show("/api/instances", show),
        Verb::Start(start) => {
            let body = start_body(&start)?;
            let path = Path::new("/api/instances");
            ask(start.client, path.post_json(body), Answer::Show(started))
        }
        Verb::Count(count) => count.plan()?,
        Verb::Variables(one) => {
            let path = Path::new(format!("/api/instances/{}/variables", one.key));
            ask(one.client, path.get(), Answer::Show(show_variables))
        }
        Verb::Cancel(choice) => choice.order("cancel", "cancelled")?,
        Verb::Suspend(choice) => choice.order("suspend", "suspended")?,
        Verb::Resume(choice) => choice.order("resume", "resumed")?,
        Verb::Delete(choice) => choice.order("delete", "deleted")?,
        Verb::Restart(restart) => restart.plan()?,
        Verb::Modify(modify) => instance_changes::modify(modify)?,
        Verb::Migrate(migrate) => instance_changes::migrate(migrate)?,
        Verb::SetVariables(set) => instance_changes::set_variables(set)?,
        Verb::AskConditions(asking) => instance_changes::ask_conditions(asking)?,
    })
}

fn start_body(start: &Start) -> anyhow::Result<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        process: &'a str,
        version: Option<i32>,
        variables: &'a RawValue,
        business_key: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant: Option<&'a str>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        before: &'a [String],
    }
    let body = Body {
        process: &start.process,
        version: start.version,
        variables: json_object(&start.variables)?,
        business_key: start.business_key.as_deref(),
        tenant: start.tenant.as_deref(),
        before: &start.before,
    };
    Ok(serde_json::to_string(&body)?)
}

/// The text itself: numbers keep all their digits.
pub fn json_object(text: &str) -> anyhow::Result<&RawValue> {
    let raw: &RawValue = serde_json::from_str(text).context("--variables is not JSON")?;
    anyhow::ensure!(raw.get().starts_with('{'), "--variables is not a JSON object");
    Ok(raw)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    key: String,
    process: String,
    version: i32,
    business_key: Option<String>,
    state: String,
    suspended: bool,
    started_at: String,
    ended_at: Option<String>,
}

impl Row for Instance {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "PROCESS", "VERSION", "STATE", "STARTED", "ENDED", "BUSINESS KEY"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.process.clone(),
            self.version.to_string(),
            if self.suspended { "suspended".to_owned() } else { self.state.clone() },
            self.started_at.clone(),
            or_dash(self.ended_at.as_deref()),
            or_dash(self.business_key.as_deref()),
        ]
    }
}

/// What belongs to an instance, beside its own fields.
#[derive(Deserialize)]
struct Parts {
    variables: BTreeMap<String, Box<RawValue>>,
    elements: Vec<Element>,
    jobs: Vec<Job>,
    incidents: Vec<Incident>,
    history: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Element {
    key: String,
    element: String,
    state: String,
    entered_at: String,
}

impl Row for Element {
    const COLUMNS: &'static [&'static str] = &["KEY", "ELEMENT", "STATE", "ENTERED"];

    fn cells(&self) -> Vec<String> {
        vec![self.key.clone(), self.element.clone(), self.state.clone(), self.entered_at.clone()]
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    at: String,
    what: String,
    key: String,
    name: String,
    message: String,
    retries_left: Option<i64>,
}

impl Row for Event {
    const COLUMNS: &'static [&'static str] = &["AT", "WHAT", "NAME", "RETRIES", "MESSAGE"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.at.clone(),
            self.what.clone(),
            self.name.clone(),
            self.retries_left.map(|left| left.to_string()).unwrap_or_default(),
            self.message.clone(),
        ]
    }
}

fn show(json: &str) -> serde_json::Result<View> {
    let instance: Instance = serde_json::from_str(json)?;
    let mut parts: Parts = serde_json::from_str(json)?;
    repeat_names(&mut parts.history);
    let mut data = table::rows(&[instance]);
    let mut section = |title: &str, text: String| {
        data.push_str(&format!("\n\n{title}\n{text}"));
    };
    if !parts.elements.is_empty() {
        section("TOKENS", table::rows(&parts.elements));
    }
    if !parts.variables.is_empty() {
        section("VARIABLES", variables(&parts.variables));
    }
    if !parts.jobs.is_empty() {
        section("JOBS", table::rows(&parts.jobs));
    }
    if !parts.incidents.is_empty() {
        section("INCIDENTS", table::rows(&parts.incidents));
    }
    if !parts.history.is_empty() {
        section("HISTORY", table::rows(&parts.history));
    }
    Ok(View { data, note: None })
}

/// The node names a thing when it first appears; people should not have to look up its key.
fn repeat_names(history: &mut [Event]) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for event in history {
        // Workers come and go, and their activations carry the key of the job.
        let names_the_thing = !event.name.is_empty() && event.what != "job-activated";
        if names_the_thing {
            names.entry(event.key.clone()).or_insert_with(|| event.name.clone());
        } else if event.name.is_empty() {
            event.name = names.get(&event.key).cloned().unwrap_or_default();
        }
    }
}

pub fn show_variables(json: &str) -> serde_json::Result<View> {
    let found: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json)?;
    let note = found.is_empty().then(|| "none".to_owned());
    Ok(View { data: variables(&found), note })
}

fn variables(variables: &BTreeMap<String, Box<RawValue>>) -> String {
    let lines = variables.iter().map(|(name, value)| plain(&format!("{name} = {value}")));
    lines.collect::<Vec<_>>().join("\n")
}

fn started(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Started {
        key: String,
        process: String,
        version: i32,
    }
    let started: Started = serde_json::from_str(json)?;
    let note = format!("started {}, version {}", plain(&started.process), started.version);
    Ok(View { data: started.key, note: Some(note) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    fn request(line: &str) -> Request {
        typed::requests(plan(typed::verb(line).unwrap()).unwrap()).remove(0)
    }

    #[test]
    fn each_verb_asks_for_its_path() {
        assert_eq!(request("list"), Request::Get("/api/instances?limit=50".to_owned()));
        assert_eq!(
            request("list --process order --ended --before 9 --limit 2"),
            Request::Get("/api/instances?process=order&ended=true&before=9&limit=2".to_owned())
        );
        assert_eq!(request("show 7"), Request::Get("/api/instances/7".to_owned()));
        assert_eq!(
            request("start order --version 2 --variables {\"n\":12345678901234567890123}"),
            Request::PostJson(
                "/api/instances".to_owned(),
                r#"{"process":"order","version":2,"variables":{"n":12345678901234567890123},"businessKey":null}"#
                    .to_owned()
            )
        );
        assert_eq!(
            request("cancel 7"),
            Request::PostJson("/api/instances/7/cancel".to_owned(), "{}".to_owned())
        );
        for verb in ["suspend", "resume", "delete"] {
            let path = format!("/api/instances/7/{verb}");
            assert_eq!(request(&format!("{verb} 7")), Request::PostJson(path, "{}".to_owned()));
        }
    }

    #[test]
    fn changes_by_hand_are_sent_as_they_were_given() {
        let post = |path: &str, body: &str| Request::PostJson(path.to_owned(), body.to_owned());
        assert_eq!(
            request("modify 7 --activate pay --activate sub@9 --terminate 8 --terminate-all a@b"),
            post(
                "/api/instances/7/modify",
                r#"{"activate":[{"element":"pay","ancestor":null,"variables":{}},{"element":"sub","ancestor":9,"variables":{}}],"activateAfter":[],"activateFlow":[],"moves":[],"terminate":[8],"terminateAll":["a@b"]}"#
            )
        );
        assert_eq!(
            request("modify 7 --activate-after pay --activate-flow f2@9 --move a=b --move 8=c@9"),
            post(
                "/api/instances/7/modify",
                r#"{"activate":[],"activateAfter":[{"element":"pay","ancestor":null,"variables":{}}],"activateFlow":[{"element":"f2","ancestor":9,"variables":{}}],"moves":[{"from":"a","to":{"element":"b","ancestor":null,"variables":{}}},{"fromInstance":8,"to":{"element":"c","ancestor":9,"variables":{}}}],"terminate":[],"terminateAll":[]}"#
            )
        );
        assert_eq!(
            request("migrate 7 --process order --tenant acme"),
            post("/api/instances/7/migrate", r#"{"process":"order","tenant":"acme","plan":{}}"#)
        );
        assert_eq!(
            request("migrate 7 --to-definition 5 --map a=b"),
            post("/api/instances/7/migrate", r#"{"definition":5,"plan":{"a":"b"}}"#)
        );
        assert_eq!(
            request("migrate 7 --process order --version 2 --map a=b --map c=d"),
            post(
                "/api/instances/7/migrate",
                r#"{"process":"order","version":2,"plan":{"a":"b","c":"d"}}"#
            )
        );
        assert_eq!(
            request("set-variables 7 --vars {\"a\":1} --local"),
            post("/api/element-instances/7/variables", r#"{"variables":{"a":1},"local":true}"#)
        );
    }

    #[test]
    fn variables_are_checked_before_anything_is_sent() {
        for (text, said) in
            [("[1]", "--variables is not a JSON object"), ("{a", "--variables is not JSON")]
        {
            assert_eq!(json_object(text).unwrap_err().to_string(), said);
        }
    }

    const INSTANCE: &str = r#""key":"4503599627370497","process":"order","version":2,
        "definition":"4503599627370496","businessKey":"order-7","tenant":null,"state":"active",
        "suspended":false,"startedAt":"2030-01-01T00:00:00Z","endedAt":null"#;

    #[test]
    fn a_listing_is_a_table() {
        let json = format!(r#"{{"items":[{{{INSTANCE}}}],"next":"4503599627370497"}}"#);
        let view = table::listing::<Instance>(&json).unwrap();
        insta::assert_snapshot!(view.data);
        insta::assert_snapshot!(view.note.unwrap(), @"older ones: --before 4503599627370497");
    }

    #[test]
    fn a_suspended_one_says_so() {
        let json = format!("{{{INSTANCE}}}").replace("\"suspended\":false", "\"suspended\":true");
        let instance: Instance = serde_json::from_str(&json).unwrap();
        assert_eq!(instance.cells()[3], "suspended");
    }

    #[test]
    fn one_instance_is_shown_with_all_that_belongs_to_it() {
        let json = format!(
            r#"{{{INSTANCE},"variables":{{"total":123456789012345678901,"customer":"Anna"}},
            "elements":[{{"key":"5","element":"charge","scope":"1","state":"active",
                "enteredAt":"2030-01-01T00:00:01Z","variables":{{}}}}],
            "jobs":[{{"key":"6","instance":"1","process":"order","definition":"0",
                "element":"charge","elementInstance":"5","kind":"async-before","type":"",
                "state":"failed","retriesLeft":0,"priority":0,"exclusive":true,"dueAt":null,
                "lockedBy":null,"lockedUntil":null,"attempt":3,"failure":"no answer",
                "tenant":null}}],
            "incidents":[{{"key":"8","instance":"1","process":"order","definition":"0",
                "element":"charge","elementInstance":"5","job":"6","kind":"failedJob",
                "message":"no answer","createdAt":"2030-01-01T00:00:02Z","tenant":null}}],
            "history":[
                {{"at":"2030-01-01T00:00:01Z","what":"job-created","key":"6","name":"pay",
                "message":"","retriesLeft":1}},
                {{"at":"2030-01-01T00:00:01Z","what":"job-activated","key":"6","name":"anna",
                "message":"","retriesLeft":null}},
                {{"at":"2030-01-01T00:00:02Z","what":"job-failed","key":"6","name":"",
                "message":"no answer","retriesLeft":0}}]}}"#
        );
        insta::assert_snapshot!(show(&json).unwrap().data);
    }
}
