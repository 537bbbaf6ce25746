//! `orloj dead-letter`: jobs whose tries are used up.

use clap::{Args, Subcommand};

use crate::bulk::Said;
use crate::job::filter::{JobFilter, Set};
use crate::job::{JobKeys, Revive, Shown};
use crate::plan::Plan;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// Give them new tries
    Revive(Revive),
    /// Run them now, without giving them tries
    Execute(JobKeys),
    /// Remove them; what they would have done is not done
    Delete(JobKeys),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    filter: JobFilter,
    #[command(flatten, next_help_heading = "Options")]
    shown: Shown,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    match verb {
        Verb::List(list) => {
            let filter = JobFilter { set: Some(Set::DeadLetters), ..list.filter };
            list.shown.plan(&filter)
        }
        Verb::Revive(revive) => revive.only_dead_letters().plan(),
        Verb::Execute(jobs) => jobs.plan_only(Set::DeadLetters, "execute", Said::is("executed")),
        Verb::Delete(jobs) => jobs.plan_only(Set::DeadLetters, "delete", Said::is("deleted")),
    }
}
