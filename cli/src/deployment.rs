//! `orloj deployment`

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::{Client, Delete, One, Paging, key};
use crate::call::{Answer, Order, Path, View, ask, order};
use crate::decision::Decision;
use crate::definition::Definition;
use crate::deploy::Asset;
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

const PATH: &str = "/api/deployments";
const NOUN: (&str, &str) = ("deployment", PATH);

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// One with all that came with it
    Show(One),
    /// Remove one and all that came with it
    Delete(Delete),
    /// Give another tenant to one and to all that has its tenant from it
    SetTenant(SetTenant),
    /// Let this node run the jobs of one, if it goes by deployments
    Register(One),
    /// Let this node run no more jobs of one
    Unregister(One),
    /// Those that are registered with this node
    Registered(Registered),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct SetTenant {
    #[arg(value_parser = key())]
    key: i64,
    /// The other tenant
    #[arg(required_unless_present = "none", value_parser = NonEmptyStringValueParser::new())]
    tenant: Option<String>,
    /// No tenant any more
    #[arg(long, conflicts_with = "tenant")]
    none: bool,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Registered {
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new(PATH).page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Deployment>))
        }
        Verb::Show(one) => one.show(PATH, show),
        Verb::Delete(delete) => delete.order(NOUN),
        Verb::SetTenant(set) => {
            let body = serde_json::json!({"tenant": set.tenant}).to_string();
            let is = match &set.tenant {
                Some(tenant) => format!("of tenant {tenant}"),
                None => "of no tenant".to_owned(),
            };
            order(set.client, NOUN, set.key, Order { verb: "set-tenant", body, is: &is })
        }
        Verb::Register(one) => one.order(NOUN, "register", "registered"),
        Verb::Unregister(one) => one.order(NOUN, "unregister", "not registered any more"),
        Verb::Registered(registered) => {
            let path = Path::new(format!("{PATH}/registered"));
            ask(registered.client, path.get(), Answer::Show(show_registered))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deployment {
    key: String,
    deployed_at: String,
    tenant: Option<String>,
    resources: Vec<String>,
}

impl Row for Deployment {
    const COLUMNS: &'static [&'static str] = &["KEY", "DEPLOYED", "TENANT", "RESOURCES"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.deployed_at.clone(),
            or_dash(self.tenant.as_deref()),
            self.resources.join(", "),
        ]
    }
}

fn show(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Parts {
        definitions: Vec<Definition>,
        decisions: Vec<Decision>,
        assets: Vec<Asset>,
    }
    let deployment: Deployment = serde_json::from_str(json)?;
    let parts: Parts = serde_json::from_str(json)?;
    let mut data = table::rows(&[deployment]);
    if !parts.definitions.is_empty() {
        data.push_str(&format!("\n\nDEFINITIONS\n{}", table::rows(&parts.definitions)));
    }
    if !parts.decisions.is_empty() {
        data.push_str(&format!("\n\nDECISIONS\n{}", table::rows(&parts.decisions)));
    }
    if !parts.assets.is_empty() {
        data.push_str(&format!("\n\nFILES\n{}", table::rows(&parts.assets)));
    }
    Ok(View { data, note: None })
}

fn show_registered(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Registered {
        /// Null: the node runs the jobs of all.
        items: Option<Vec<String>>,
    }
    let registered: Registered = serde_json::from_str(json)?;
    Ok(match registered.items {
        None => View {
            data: String::new(),
            note: Some("this node does not go by deployments: it runs the jobs of all".to_owned()),
        },
        Some(items) if items.is_empty() => {
            View { data: String::new(), note: Some("none".to_owned()) }
        }
        Some(items) => View { data: items.join("\n"), note: None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    #[test]
    fn another_tenant_is_named_or_none() {
        let post = |body: &str| {
            Request::PostJson("/api/deployments/7/set-tenant".to_owned(), body.to_owned())
        };
        let requests = |line: &str| typed::requests(plan(typed::verb(line).unwrap()).unwrap());
        assert_eq!(requests("set-tenant 7 acme"), [post(r#"{"tenant":"acme"}"#)]);
        assert_eq!(requests("set-tenant 7 --none"), [post(r#"{"tenant":null}"#)]);
        for line in ["set-tenant 7", "set-tenant 7 acme --none"] {
            assert!(typed::verb::<Verb>(line).is_err(), "{line}");
        }
    }
}
