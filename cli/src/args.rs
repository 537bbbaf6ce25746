//! The command line as it is typed.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::call::{Answer, Order, Path, View, ask, order};
use crate::plan::Plan;
use crate::{
    batch, config, dead_letter, decision, definition, deploy, deployment, dev, executor, feel,
    history, incident, instance, job, job_definition, limit, lint, message, meter, node,
    script_host, serve, signal, timer, trace, uel, user_task, variable,
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
    /// What was deployed together
    #[command(subcommand)]
    Deployment(deployment::Verb),
    /// Deployed versions of processes
    #[command(subcommand)]
    Definition(definition::Verb),
    /// Runs of processes
    #[command(subcommand)]
    Instance(instance::Verb),
    /// What instances know
    #[command(subcommand)]
    Variable(variable::Verb),
    /// Messages for those who wait for them
    #[command(subcommand)]
    Message(message::Verb),
    /// Signals for all who wait for them
    #[command(subcommand)]
    Signal(signal::Verb),
    /// Durable work: tasks for workers, asynchronous steps, timers
    #[command(subcommand)]
    Job(job::Verb),
    /// What the jobs of one element have in common
    #[command(subcommand)]
    JobDefinition(job_definition::Verb),
    /// Jobs whose tries are used up
    #[command(subcommand)]
    DeadLetter(dead_letter::Verb),
    /// Timers that wait, and when a text fires
    Timer(timer::Arguments),
    /// Problems that wait for a person
    #[command(subcommand)]
    Incident(incident::Verb),
    /// Tasks for people
    #[command(subcommand)]
    UserTask(user_task::Verb),
    /// Large work that is done in parts
    #[command(subcommand)]
    Batch(batch::Verb),
    /// How many jobs may run at once, and how many may begin in a time
    #[command(subcommand)]
    Limit(limit::Verb),
    /// What has happened, and what people did
    #[command(subcommand)]
    History(history::Verb),
    /// What nodes have counted
    #[command(subcommand)]
    Meter(meter::Verb),
    /// Nodes that share the store
    #[command(subcommand)]
    Node(node::Verb),
    /// What runs asynchronous steps and timers on one node
    #[command(subcommand)]
    Executor(executor::Verb),
    /// Configuration files, and those of Camunda 7 and Flowable
    #[command(subcommand)]
    Config(config::Verb),
    /// Every problem of BPMN files, with its place, and advice
    Lint(lint::Arguments),
    /// Rehearse a model in memory and show what happens step by step
    Trace(trace::Arguments),
    /// Evaluate an expression in FEEL
    Feel(feel::Arguments),
    /// Evaluate a text with ${...} or #{...}
    Uel(uel::Arguments),
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
    /// Open this store instead, while no node holds it: sqlite:PATH or postgres://...
    #[arg(long, value_name = "STORE")]
    pub store: Option<String>,
    /// Whose name to write into the log of operations
    #[arg(long, value_name = "NAME", env = "ORLOJ_USER", hide_env_values = true)]
    pub user: Option<String>,
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

/// Whose models are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Vendor {
    Camunda7,
    Flowable,
    Zeebe,
}

impl Vendor {
    pub fn word(self) -> &'static str {
        match self {
            Self::Camunda7 => "camunda7",
            Self::Flowable => "flowable",
            Self::Zeebe => "zeebe",
        }
    }

    pub fn dialect(self) -> orloj_model::Dialect {
        match self {
            Self::Camunda7 => orloj_model::Dialect::Camunda7,
            Self::Flowable => orloj_model::Dialect::Flowable,
            Self::Zeebe => orloj_model::Dialect::Zeebe,
        }
    }
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

/// Those under way, or those that are over.
#[derive(Debug, Args)]
pub struct Ended<F: Args> {
    #[command(flatten)]
    pub filter: F,
    /// Those that have ended instead
    #[arg(long)]
    ended: bool,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

impl<F: Args> Ended<F> {
    /// `path`: with the filter.
    pub fn list(self, path: Path, view: fn(&str) -> serde_json::Result<View>) -> Plan {
        let path = path.with("ended", self.ended.then_some(true)).page(&self.paging);
        ask(self.client, path.get(), Answer::Show(view))
    }
}

/// One thing to delete.
#[derive(Debug, Args)]
pub struct Delete {
    #[arg(value_parser = key())]
    key: i64,
    /// What belongs to it as well: the history of a batch, the instances of a deployment, which
    /// stays otherwise while it has some
    #[arg(long)]
    cascade: bool,
    #[command(flatten)]
    client: Client,
}

impl Delete {
    pub fn order(self, noun: (&str, &str)) -> Plan {
        let body = serde_json::json!({"cascade": self.cascade}).to_string();
        order(self.client, noun, self.key, Order { verb: "delete", body, is: "deleted" })
    }
}

/// One thing, by its key.
#[derive(Debug, Args)]
pub struct One {
    #[arg(value_parser = key())]
    pub key: i64,
    #[command(flatten)]
    pub client: Client,
}

impl One {
    /// `path`: where things of its kind are.
    pub fn show(self, path: &str, view: fn(&str) -> serde_json::Result<View>) -> Plan {
        let path = Path::new(format!("{path}/{}", self.key));
        ask(self.client, path.get(), Answer::Show(view))
    }

    /// A command that needs nothing else.
    pub fn order(self, noun: (&str, &str), verb: &str, is: &str) -> Plan {
        order(self.client, noun, self.key, Order { verb, body: String::new(), is })
    }
}

/// Keys are positive.
pub fn key() -> clap::builder::RangedI64ValueParser<i64> {
    clap::value_parser!(i64).range(1..)
}

/// Values that a user would only leave empty by mistake: a variable of the shell that is not set.
const NEVER_EMPTY: [&str; 3] = ["ID", "KIND", "NAME"];

/// What holds for every argument of every command: a number below zero is a value, to be refused
/// by the name of its argument and not as an unknown flag; a name is not empty.
fn strict(command: Command) -> Command {
    let is_name = |arg: &Arg| {
        let named = arg.get_value_names().unwrap_or_default();
        let is_text = arg.get_value_parser().type_id() == std::any::TypeId::of::<String>();
        // A variable of the environment that is empty counts as not set elsewhere too.
        is_text
            && arg.get_env().is_none()
            && named.iter().any(|name| NEVER_EMPTY.contains(&name.as_str()))
    };
    let command = command.mut_args(|arg| match arg.get_action().takes_values() {
        true if is_name(&arg) => {
            arg.allow_negative_numbers(true).value_parser(NonEmptyStringValueParser::new())
        }
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(strict)
}

impl Cli {
    /// As it was typed. Ends the program with help or with a mistake.
    pub fn read() -> Self {
        let matches = strict(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Whether a plan is made of the words alone, so that it is their fault if there is none. The
    /// others read files, or are asked about a text that may be wrong.
    pub fn is_all_on_the_line(&self) -> bool {
        !matches!(
            self.noun,
            Noun::Dev(_)
                | Noun::Serve(_)
                | Noun::Deploy(_)
                | Noun::Config(_)
                | Noun::Lint(_)
                | Noun::Trace(_)
                | Noun::Feel(_)
                | Noun::Uel(_)
                | Noun::Timer(_)
                | Noun::Decision(_)
                | Noun::ScriptHost(_)
        )
    }

    pub fn plan(self) -> anyhow::Result<Plan> {
        match self.noun {
            Noun::Dev(arguments) => dev::plan(arguments),
            Noun::Serve(arguments) => serve::plan(arguments),
            Noun::Deploy(arguments) => deploy::plan(arguments),
            Noun::Deployment(verb) => deployment::plan(verb),
            Noun::Definition(verb) => definition::plan(verb),
            Noun::Instance(verb) => instance::plan(verb),
            Noun::Variable(verb) => variable::plan(verb),
            Noun::Message(verb) => message::plan(verb),
            Noun::Signal(verb) => signal::plan(verb),
            Noun::Job(verb) => job::plan(verb),
            Noun::JobDefinition(verb) => job_definition::plan(verb),
            Noun::DeadLetter(verb) => dead_letter::plan(verb),
            Noun::Incident(verb) => incident::plan(verb),
            Noun::UserTask(verb) => user_task::plan(verb),
            Noun::Batch(verb) => batch::plan(verb),
            Noun::Limit(verb) => limit::plan(verb),
            Noun::History(verb) => history::plan(verb),
            Noun::Meter(verb) => meter::plan(verb),
            Noun::Node(verb) => node::plan(verb),
            Noun::Executor(verb) => executor::plan(verb),
            Noun::Config(verb) => config::plan(verb),
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
    use super::*;

    /// What the documentation of operations says of commands is so. Rows name a verb, then others
    /// of the same noun, or flags of the last one.
    #[test]
    fn every_command_of_the_documentation_is_one() {
        let text = include_str!("../../docs/compat/operations.md");
        let mut root = Cli::command();
        root.build();
        let mut known = 0;
        for row in text.lines().filter(|line| line.starts_with("| ")) {
            let said = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
            if row.split('|').count() != 6 || row.split('|').nth(4).is_some_and(str::is_empty) {
                continue;
            }
            let (mut noun, mut at) = (&root, &root);
            for words in said.split('`').skip(1).step_by(2) {
                let mut from = Some(&root);
                for word in words.split(' ') {
                    if let Some(flag) = word.strip_prefix("--") {
                        let is_it = |arg: &clap::Arg| arg.get_long() == Some(flag);
                        assert!(at.get_arguments().any(is_it), "{words}: {row}");
                        continue;
                    }
                    let within = from.take().filter(|c| c.find_subcommand(word).is_some());
                    let within = within.unwrap_or(match at.has_subcommands() {
                        true => at,
                        false => noun,
                    });
                    let found = within.find_subcommand(word);
                    at = found.unwrap_or_else(|| panic!("{word} of {words}: {row}"));
                    noun = within;
                }
                known += 1;
            }
        }
        assert!(known > 30, "{known}");
    }

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
        strict(Cli::command()).debug_assert();
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let told = |words: &str| {
            let words = words.split(' ').map(|word| if word == "''" { "" } else { word });
            let told = strict(Cli::command()).try_get_matches_from(words);
            told.expect_err("a mistake").to_string().lines().next().unwrap_or_default().to_owned()
        };
        for (words, expected) in [
            ("orloj job list --limit -1", "'--limit <ROWS>': -1 is not in 1..=1000"),
            ("orloj timer list --offset -3", "'--offset <ROWS>': -3 is not in"),
            ("orloj job show -5", "'<KEY>': -5 is not in 1.."),
            ("orloj instance start p --version -1", "'--version <VERSION>'"),
            ("orloj job list --process ''", "'--process <ID>'"),
            ("orloj incident list --kind ''", "'--kind <KIND>'"),
            ("orloj batch create retries -1 --all", "'<COUNT>': -1 is not in"),
        ] {
            let told = told(words);
            assert!(told.contains(expected), "{words}: {told}");
        }
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
    fn help_of_models() {
        insta::assert_snapshot!(help(&["deploy"]));
        insta::assert_snapshot!(help(&["lint"]));
        insta::assert_snapshot!(help(&["trace"]));
        insta::assert_snapshot!(help(&["definition"]));
    }

    #[test]
    fn help_of_events() {
        insta::assert_snapshot!(help(&["message", "publish"]));
        insta::assert_snapshot!(help(&["message", "correlate"]));
        insta::assert_snapshot!(help(&["signal", "broadcast"]));
    }

    #[test]
    fn help_of_jobs() {
        insta::assert_snapshot!(help(&["job"]));
        insta::assert_snapshot!(help(&["job", "list"]));
        insta::assert_snapshot!(help(&["job", "retries"]));
        insta::assert_snapshot!(help(&["job-definition"]));
        insta::assert_snapshot!(help(&["job-definition", "suspend"]));
        insta::assert_snapshot!(help(&["dead-letter"]));
        insta::assert_snapshot!(help(&["batch"]));
        insta::assert_snapshot!(help(&["batch", "create"]));
    }

    #[test]
    fn help_of_what_operators_look_at() {
        insta::assert_snapshot!(help(&["deployment"]));
        insta::assert_snapshot!(help(&["incident"]));
        insta::assert_snapshot!(help(&["limit", "set"]));
        insta::assert_snapshot!(help(&["history"]));
        insta::assert_snapshot!(help(&["meter", "list"]));
        insta::assert_snapshot!(help(&["executor"]));
    }

    #[test]
    fn help_of_a_noun_and_its_verbs() {
        insta::assert_snapshot!(help(&["instance"]));
        insta::assert_snapshot!(help(&["instance", "list"]));
        insta::assert_snapshot!(help(&["instance", "start"]));
        insta::assert_snapshot!(help(&["instance", "modify"]));
        insta::assert_snapshot!(help(&["instance", "migrate"]));
        insta::assert_snapshot!(help(&["instance", "set-variables"]));
        insta::assert_snapshot!(help(&["variable"]));
    }
}
