//! `orloj variable`: what instances know.

use clap::{Args, Subcommand};

use crate::args::One;
use crate::call::{Answer, Path, ask};
use crate::instance::show_variables;
use crate::instance_changes::{self, SetVariables};
use crate::plan::Plan;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Those of an instance itself
    List(One),
    /// One of its own
    Get(Get),
    /// Set some, of an instance or of an element instance
    Set(SetVariables),
}

#[derive(Debug, Args)]
pub struct Get {
    #[command(flatten)]
    of: One,
    name: String,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    match verb {
        Verb::List(of) => Ok(look(of, None)),
        Verb::Get(get) => Ok(look(get.of, Some(get.name))),
        Verb::Set(set) => instance_changes::set_variables(set),
    }
}

fn look(of: One, name: Option<String>) -> Plan {
    let path = Path::new(format!("/api/instances/{}/variables", of.key)).with("name", name);
    ask(of.client, path.get(), Answer::Show(show_variables))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    #[test]
    fn verbs_are_those_of_the_instance() {
        let request =
            |line: &str| typed::requests(plan(typed::verb(line).unwrap()).unwrap()).remove(0);
        let path = "/api/instances/7/variables";
        assert_eq!(request("list 7"), Request::Get(path.to_owned()));
        assert_eq!(request("get 7 total"), Request::Get(format!("{path}?name=total")));
        let path = "/api/element-instances/7/variables";
        let body = r#"{"variables":{"x":1},"local":true}"#;
        let set = request("set 7 --local --variables {\"x\":1}");
        assert_eq!(set, Request::PostJson(path.to_owned(), body.to_owned()));
    }
}
