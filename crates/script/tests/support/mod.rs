//! A process for scripts to run in, and a pool of real children.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orloj_script::{
    Dialect, Effect, Host, Outcome, PoolOptions, RunOptions, Script, ScriptHost, ScriptLanguage,
    Scripts, SecureScripting, VariableScope, facts,
};
use orloj_types::{Timestamp, Value};

#[derive(Default)]
pub struct Process {
    pub variables: BTreeMap<Arc<str>, Value>,
    pub locals: BTreeMap<Arc<str>, Value>,
    pub task: bool,
}

impl Process {
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }
}

impl Host for Process {
    fn variable(&self, scope: &VariableScope, name: &str) -> Option<Value> {
        match scope {
            VariableScope::Local => self.locals.get(name).cloned(),
            VariableScope::Nearest => {
                self.locals.get(name).or_else(|| self.variables.get(name)).cloned()
            }
            _ => self.variables.get(name).cloned(),
        }
    }

    fn names(&self, scope: &VariableScope) -> Vec<Arc<str>> {
        match scope {
            VariableScope::Local => self.locals.keys().cloned().collect(),
            _ => self.variables.keys().cloned().collect(),
        }
    }

    fn fact(&self, name: &str) -> Option<Value> {
        match name {
            facts::CURRENT_ACTIVITY_ID => Some(Value::text("task1")),
            facts::BUSINESS_KEY => Some(Value::text("order-1")),
            "task.assignee" => Some(Value::text("anna")),
            _ => None,
        }
    }

    fn has_task(&self) -> bool {
        self.task
    }
}

/// The example `script_host`, built beside the tests.
pub fn program() -> PathBuf {
    let mut path = std::env::current_exe().expect("a test has a path");
    path.pop();
    path.pop();
    path.join("examples").join("script_host")
}

pub fn scripts(config: SecureScripting) -> Scripts {
    let host = ScriptHost::new(program(), [] as [&str; 0]);
    Scripts::new(host.with_options(PoolOptions { children_max: 1 }), config)
}

pub async fn run(scripts: &Scripts, source: &str, process: &Process) -> Outcome {
    let script = Script::parse(ScriptLanguage::JavaScript, source).expect("taken as it is");
    let now = Timestamp::from_ms(1_893_456_000_000);
    scripts.run(&script, process, RunOptions::new(Dialect::Flowable, now)).await
}

pub fn shown(outcome: &Outcome) -> Vec<String> {
    let show = |effect: &Effect| match effect {
        Effect::Set { scope, name, value } => format!("{scope:?} {name} = {}", value.to_json()),
        Effect::Remove { scope, name } => format!("{scope:?} {name} removed"),
        Effect::Changed { name, value } => format!("{name} became {}", value.to_json()),
        Effect::SetFact { name, value } => format!("fact {name} = {}", value.to_json()),
    };
    outcome.effects.iter().map(show).collect()
}
