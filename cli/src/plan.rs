//! What to do, once every argument has been checked.

use crate::batch::Watch;
use crate::bulk::Bulk;
use crate::call::{Answer, Calls, View};
use crate::{config, decision, dev, feel, lint, script_host, serve, timer, trace, uel};

pub enum Plan {
    Serve(Box<serve::Plan>),
    Dev(Box<dev::Plan>),
    Ask(Calls),
    Bulk(Box<Bulk>),
    Watch(Watch),
    Config(Box<config::Plan>),
    Feel(feel::Plan),
    Uel(uel::Plan),
    Timer(Box<timer::Plan>),
    LintModel(lint::Plan),
    Trace(trace::Plan),
    Evaluate(decision::Evaluate),
    Lint(decision::Lint),
    ScriptHost(script_host::Plan),
}

impl Plan {
    /// What single calls answer is shown in this way; a bulk tells its own report.
    pub fn showing(mut self, show: fn(&str) -> serde_json::Result<View>) -> Self {
        if let Self::Ask(calls) = &mut self {
            calls.calls.iter_mut().for_each(|call| call.answer = Answer::Show(show));
        }
        self
    }

    pub fn act(self) -> anyhow::Result<()> {
        match self {
            Self::Serve(plan) => serve::act(&plan),
            Self::Dev(plan) => dev::act(&plan),
            Self::Ask(calls) => calls.act(),
            Self::Bulk(bulk) => bulk.act(),
            Self::Watch(watch) => watch.act(),
            Self::Config(plan) => plan.act(),
            Self::Feel(plan) => plan.act(),
            Self::Uel(plan) => plan.act(),
            Self::Timer(plan) => plan.act(),
            Self::LintModel(plan) => plan.act(),
            Self::Trace(plan) => plan.act(),
            Self::Evaluate(plan) => plan.act(),
            Self::Lint(plan) => plan.act(),
            Self::ScriptHost(plan) => plan.act(),
        }
    }
}
