//! `orloj definition`

use clap::{ArgGroup, Args, Subcommand};
use serde::Deserialize;
use serde_json::json;

use crate::args::{Client, One, Paging, key};
use crate::call::{Answer, Path, View, ask};
use crate::job::object;
use crate::moment::moment;
use crate::plan::Plan;
use crate::suspension::{calls, name_process};
use crate::table::{self, Row, or_dash};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// One of them
    Show(One),
    /// The file that one came with
    Xml(One),
    /// Start no instance of theirs until they are resumed
    Suspend(Suspend),
    /// Go on with those that are suspended
    #[command(visible_alias = "activate")]
    Resume(Suspend),
    /// Remove one; instances that run go on
    Delete(One),
}

#[derive(Debug, Args)]
pub struct List {
    /// Only of this process
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only of this deployment
    #[arg(long, value_name = "KEY", value_parser = key())]
    deployment: Option<i64>,
    /// Only those that are suspended, or only those that are not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    suspended: Option<bool>,
    /// Only the latest version of each process
    #[arg(long)]
    latest: bool,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).multiple(false))]
pub struct Suspend {
    #[arg(group = "which", value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    /// Every version of this process
    #[arg(long, group = "which", value_name = "ID")]
    process: Option<String>,
    /// Of the process in this tenant only
    #[arg(long, requires = "process", conflicts_with_all = ["keys"])]
    tenant: Option<String>,
    /// Of the process without a tenant only
    #[arg(long, requires = "process", conflicts_with_all = ["tenant", "keys"])]
    without_tenant: bool,
    /// The instances that run as well
    #[arg(long)]
    include_instances: bool,
    /// Not now but then
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    at: Option<String>,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new("/api/definitions")
                .with("process", list.process)
                .with("tenant", list.tenant)
                .with("deployment", list.deployment)
                .with("suspended", list.suspended)
                .with("latest", list.latest.then_some(true))
                .page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Definition>))
        }
        Verb::Show(one) => one.show("/api/definitions", show),
        Verb::Xml(one) => {
            let path = Path::new(format!("/api/definitions/{}/xml", one.key));
            let file = |text: &str| Ok(View { data: text.to_owned(), note: None });
            ask(one.client, path.get(), Answer::Show(file))
        }
        Verb::Suspend(which) => which.plan("suspend", "suspended"),
        Verb::Resume(which) => which.plan("resume", "resumed"),
        Verb::Delete(delete) => {
            let path = Path::new(format!("/api/definitions/{}/delete", delete.key));
            let said = format!("definition {} is deleted", delete.key);
            ask(delete.client, path.post_json(String::new()), Answer::Done(said))
        }
    })
}

impl Suspend {
    fn plan(self, verb: &str, done: &str) -> Plan {
        let mut body = object(json!({"includeInstances": self.include_instances, "at": self.at}));
        body.retain(|_, value| !value.is_null());
        let each: Vec<(String, String)> = match self.process {
            Some(process) => {
                let what = format!("every version of {process} is");
                name_process(&mut body, process, self.tenant, self.without_tenant);
                vec![(format!("/api/definitions/{verb}"), what)]
            }
            None => {
                let one = |key: &i64| {
                    (format!("/api/definitions/{key}/{verb}"), format!("definition {key} is"))
                };
                self.keys.iter().map(one).collect()
            }
        };
        calls(self.client, each, body, done, self.at.as_deref())
    }
}

fn show(json: &str) -> serde_json::Result<View> {
    let definition: Definition = serde_json::from_str(json)?;
    Ok(View { data: table::rows(&[definition]), note: None })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    key: String,
    process: String,
    version: i32,
    resource: String,
    deployed_at: String,
    #[serde(default)]
    suspended: bool,
    tenant: Option<String>,
}

impl Row for Definition {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "PROCESS", "VERSION", "TENANT", "RESOURCE", "DEPLOYED", "SUSPENDED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.process.clone(),
            self.version.to_string(),
            or_dash(self.tenant.as_deref()),
            self.resource.clone(),
            self.deployed_at.clone(),
            if self.suspended { "yes" } else { "no" }.to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    #[test]
    fn suspending_takes_several_keys_or_a_process() {
        let requests = |line: &str| typed::requests(plan(typed::verb(line).unwrap()).unwrap());
        let post = |path: &str, body: &str| Request::PostJson(path.to_owned(), body.to_owned());
        let plain = r#"{"includeInstances":false}"#;
        assert_eq!(
            requests("suspend 7 8"),
            [post("/api/definitions/7/suspend", plain), post("/api/definitions/8/suspend", plain)]
        );
        assert_eq!(
            requests("resume --process p --without-tenant"),
            [post(
                "/api/definitions/resume",
                r#"{"includeInstances":false,"process":"p","withoutTenant":true}"#
            )]
        );
        for line in [
            "suspend",
            "suspend 7 --process p",
            "suspend 7 --tenant t",
            "suspend 7 --without-tenant",
            "suspend --process p --tenant t --without-tenant",
        ] {
            assert!(typed::verb::<Verb>(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_listing_tells_whose_the_definitions_are() {
        let json = r#"{"items":[
            {"key":"3","process":"p","version":1,"resource":"p.bpmn","deployment":"2",
            "deployedAt":"2030-01-01T00:00:00Z","suspended":true,"tenant":"north"},
            {"key":"1","process":"p","version":1,"resource":"p.bpmn","deployment":"0",
            "deployedAt":"2030-01-01T00:00:00Z","suspended":false,"tenant":null}],"next":null}"#;
        let lines = table::listing::<Definition>(json).unwrap().data;
        let cells: Vec<Vec<&str>> = lines.lines().map(|l| l.split_whitespace().collect()).collect();
        let tenants: Vec<&str> = cells.iter().map(|cells| cells[3]).collect();
        assert_eq!(tenants, ["TENANT", "north", "-"], "{lines}");
    }
}
