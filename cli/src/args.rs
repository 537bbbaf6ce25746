//! The command line as it is typed.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::plan::Plan;
use crate::{
    decision, definition, deploy, dev, feel, incident, instance, job, lint, node, script_host,
    serve, timer, trace, uel, user_task,
};

/// Durable BPMN processes and jobs: one engine for Camunda 7, Flowable and Zeebe models.
#[derive(Debug, Parser)]
#[command(name = "orloj", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    noun: Noun,
}

#[derive(Debug, Subcommand)]
enum Noun {
    /// Start a node with a demo process, to try things out
    Dev(dev::Arguments),
    /// Start a node
    Serve(serve::Arguments),
    /// Deploy models
    Deploy(deploy::Arguments),
    /// Deployed versions of processes
    #[command(subcommand)]
    Definition(definition::Verb),
    /// Runs of processes
    #[command(subcommand)]
    Instance(instance::Verb),
    /// Durable work: tasks for workers, asynchronous steps, timers
    #[command(subcommand)]
    Job(job::Verb),
    /// Problems that wait for a person
    #[command(subcommand)]
    Incident(incident::Verb),
    /// Tasks for people
    #[command(subcommand)]
    UserTask(user_task::Verb),
    /// Nodes that share the store
    #[command(subcommand)]
    Node(node::Verb),
    /// Every problem of BPMN files, with its place, and advice
    Lint(lint::Arguments),
    /// Rehearse a model in memory and show what happens step by step
    Trace(trace::Arguments),
    /// Evaluate an expression in FEEL
    Feel(feel::Arguments),
    /// Evaluate a text with ${...} or #{...}
    Uel(uel::Arguments),
    /// When a timer fires
    Timer(timer::Arguments),
    /// DMN models
    #[command(subcommand)]
    Decision(decision::Verb),
    /// Run scripts for the process that started this one
    #[command(hide = true)]
    ScriptHost(script_host::Arguments),
}

/// Which node to talk to, and how to show what it says.
#[derive(Clone, Debug, Args)]
pub struct Client {
    /// A running node
    #[arg(
        long,
        env = "ORLOJ_URL",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080"
    )]
    pub url: String,
    /// How to show the answer
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub output: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    /// As the node says it
    Json,
}

/// How a command that needs no node shows what it found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// For people
    #[default]
    Table,
    /// For programs
    Json,
}

/// How a single value is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// As it is written in an expression
    #[default]
    Feel,
    Json,
}

/// Which part of a listing.
#[derive(Clone, Debug, Args)]
pub struct Paging {
    /// At most so many rows
    #[arg(long, value_name = "ROWS", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Only older rows than this key
    #[arg(long, value_name = "KEY", value_parser = key())]
    pub before: Option<i64>,
}

/// Keys are positive.
pub fn key() -> clap::builder::RangedI64ValueParser<i64> {
    clap::value_parser!(i64).range(1..)
}

impl Cli {
    pub fn plan(self) -> anyhow::Result<Plan> {
        match self.noun {
            Noun::Dev(arguments) => dev::plan(arguments),
            Noun::Serve(arguments) => serve::plan(arguments),
            Noun::Deploy(arguments) => deploy::plan(arguments),
            Noun::Definition(verb) => definition::plan(verb),
            Noun::Instance(verb) => instance::plan(verb),
            Noun::Job(verb) => job::plan(verb),
            Noun::Incident(verb) => incident::plan(verb),
            Noun::UserTask(verb) => user_task::plan(verb),
            Noun::Node(verb) => node::plan(verb),
            Noun::Lint(arguments) => lint::plan(arguments),
            Noun::Trace(arguments) => trace::plan(arguments),
            Noun::Feel(arguments) => feel::plan(arguments),
            Noun::Uel(arguments) => uel::plan(arguments),
            Noun::Timer(arguments) => timer::plan(arguments),
            Noun::Decision(verb) => decision::plan(verb),
            Noun::ScriptHost(arguments) => Ok(script_host::plan(arguments)),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn help(path: &[&str]) -> String {
        let mut root = Cli::command().term_width(100);
        root.build();
        let mut command = &mut root;
        for name in path {
            command = command.find_subcommand_mut(name).expect("a command of that name");
        }
        command.render_long_help().to_string()
    }

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_of_the_program() {
        insta::assert_snapshot!(help(&[]));
    }

    #[test]
    fn help_of_serve() {
        insta::assert_snapshot!(help(&["serve"]));
    }

    #[test]
    fn help_of_dev() {
        insta::assert_snapshot!(help(&["dev"]));
    }

    #[test]
    fn help_of_the_languages() {
        insta::assert_snapshot!(help(&["feel"]));
        insta::assert_snapshot!(help(&["uel"]));
        insta::assert_snapshot!(help(&["timer"]));
        insta::assert_snapshot!(help(&["decision"]));
        insta::assert_snapshot!(help(&["decision", "evaluate"]));
        insta::assert_snapshot!(help(&["decision", "lint"]));
    }

    #[test]
    fn help_of_a_noun_and_its_verbs() {
        insta::assert_snapshot!(help(&["instance"]));
        insta::assert_snapshot!(help(&["instance", "list"]));
        insta::assert_snapshot!(help(&["instance", "start"]));
    }
}
