//! `orloj node`

use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::Client;
use crate::call::{Answer, Path, ask};
use crate::plan::Plan;
use crate::table::{self, Row};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// All that share the store of the one asked, and what each takes
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new("/api/nodes");
            ask(list.client, path.get(), Answer::Show(table::listing::<Node>))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    number: u16,
    name: String,
    seen_at: String,
    is_self: bool,
    executor: bool,
    timers: bool,
    order: String,
    priority_min: Option<i64>,
    priority_max: Option<i64>,
    /// Null: of all.
    deployments: Option<Vec<String>>,
    categories: Option<Vec<String>>,
}

impl Row for Node {
    const COLUMNS: &'static [&'static str] = &[
        "NUMBER",
        "NAME",
        "SEEN",
        "EXECUTOR",
        "ORDER",
        "PRIORITIES",
        "DEPLOYMENTS",
        "CATEGORIES",
        "ANSWERED",
    ];

    fn cells(&self) -> Vec<String> {
        let priorities = match (self.priority_min, self.priority_max) {
            (None, None) => "all".to_owned(),
            (Some(min), None) => format!("{min} and above"),
            (None, Some(max)) => format!("{max} and below"),
            (Some(min), Some(max)) => format!("{min} to {max}"),
        };
        vec![
            self.number.to_string(),
            self.name.clone(),
            self.seen_at.clone(),
            match (self.executor, self.timers) {
                (true, true) => "on",
                (true, false) => "without timers",
                (false, true) => "timers only",
                (false, false) => "off",
            }
            .to_owned(),
            self.order.clone(),
            priorities,
            some(self.deployments.as_deref()),
            some(self.categories.as_deref()),
            if self.is_self { "this one" } else { "" }.to_owned(),
        ]
    }
}

fn some(names: Option<&[String]>) -> String {
    match names {
        None => "all".to_owned(),
        Some([]) => "none".to_owned(),
        Some(names) => names.join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_shown_with_what_it_takes() {
        let json = r#"{"items":[
            {"number":1,"name":"a","session":"7","seenAt":"2030-01-01T00:00:00.000Z",
             "isSelf":true,"executor":true,"timers":true,"order":"created","priorityMin":null,
             "priorityMax":null,"deployments":null,"categories":null},
            {"number":2,"name":"b","session":"8","seenAt":"2030-01-01T00:00:00.000Z",
             "isSelf":false,"executor":false,"timers":false,"order":"priority, due","priorityMin":10,
             "priorityMax":null,"deployments":[],"categories":["mail","fax"]}]}"#;
        insta::assert_snapshot!(table::listing::<Node>(json).unwrap().data);
    }
}
