//! Which jobs are meant. The names of the fields are those of the API.

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use crate::args::key;
use crate::moment::moment;

/// Flags for hints.
pub const FLAGS: &str = "--instance, --process, --state, ...";

#[derive(Clone, Debug, Default, Args, Serialize)]
#[serde(rename_all = "camelCase")]
#[command(next_help_heading = "Which")]
pub struct JobFilter {
    /// Only of this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    pub instance: Option<i64>,
    /// Only of this process, in any version
    #[arg(long, value_name = "ID")]
    pub process: Option<String>,
    /// Only of this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    pub definition: Option<i64>,
    /// Only of this job definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    pub job_definition: Option<i64>,
    /// Only those of no instance
    #[arg(long, conflicts_with = "instance")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_instance: bool,
    /// Only of this tenant
    #[arg(long)]
    pub tenant: Option<String>,
    /// Only those of no tenant
    #[arg(long, conflicts_with = "tenant")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_tenant: bool,
    /// Only of this element
    #[arg(long, value_name = "ID")]
    pub element: Option<String>,
    /// Only those that failed at this element
    #[arg(long, value_name = "ID")]
    pub failed_element: Option<String>,
    /// Only those that go by this name
    #[arg(long, value_enum)]
    #[serde(serialize_with = "one_word", skip_serializing_if = "Option::is_none")]
    pub set: Option<Set>,
    /// Only of these kinds
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(serialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    pub kind: Vec<Kind>,
    /// Only in these states
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(serialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<State>,
    /// Only of this type
    #[arg(long)]
    pub r#type: Option<String>,
    /// Only of what limits and circuit breakers count under this name
    #[arg(long)]
    pub topic: Option<String>,
    /// Only of this category
    #[arg(long)]
    pub category: Option<String>,
    /// Only of this batch
    #[arg(long, value_name = "KEY", value_parser = key())]
    pub batch: Option<i64>,
    /// Only those due before this
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    pub due_before: Option<String>,
    /// Only those due after this
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    pub due_after: Option<String>,
    /// Only those made before this
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    pub created_before: Option<String>,
    /// Only those made after this
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    pub created_after: Option<String>,
    /// Only those that have failed, or only those that have not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    pub with_failure: Option<bool>,
    /// Only those that last failed with this text
    #[arg(long, value_name = "TEXT")]
    pub failure: Option<String>,
    /// Only those with tries left, or only those without
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    pub with_retries: Option<bool>,
    /// Only of this priority or a higher one
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub priority_min: Option<i64>,
    /// Only of this priority or a lower one
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub priority_max: Option<i64>,
    /// Only those that are locked, or only those that are not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    pub locked: Option<bool>,
    /// Only those that this worker holds
    #[arg(long, value_name = "NAME")]
    pub worker: Option<String>,
}

impl JobFilter {
    /// What a node takes an order for a process or a definition to mean, said so that a preview and
    /// a count mean the same.
    pub fn of_process(mut self) -> Self {
        let is_of_process = self.process.is_some() || self.definition.is_some();
        let names_chores =
            !self.kind.is_empty() || self.batch.is_some() || self.set == Some(Set::Chores);
        if is_of_process && !names_chores {
            self.kind = OF_PROCESS.to_vec();
        }
        self
    }
}

const OF_PROCESS: [Kind; 8] = [
    Kind::AsyncBefore,
    Kind::AsyncAfter,
    Kind::Worker,
    Kind::Timer,
    Kind::AsyncComplete,
    Kind::Listener,
    Kind::Signal,
    Kind::StartTimer,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum State {
    /// May run at once
    Ready,
    /// Becomes ready when due
    Waiting,
    /// Behind another one of its instance
    Parked,
    /// Out of tries: a dead letter
    Failed,
    /// Ended with an error that nothing catches
    ErrorThrown,
    Suspended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    AsyncBefore,
    AsyncAfter,
    Worker,
    Timer,
    AsyncComplete,
    Listener,
    Signal,
    StartTimer,
    SuspendDefinition,
    ActivateDefinition,
    SuspendJobDefinition,
    ActivateJobDefinition,
    BatchSeed,
    BatchMonitor,
    BatchPart,
    HistoryCleanup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Set {
    All,
    /// Could run at this moment
    Executable,
    /// Held by a node or a worker
    Acquired,
    Timers,
    /// Of the engine's own that are no timers
    Messages,
    /// Those that workers ask for
    Workers,
    DeadLetters,
    Suspended,
    /// Of no instance
    Chores,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    Newest,
    Oldest,
    EarliestDue,
    LatestDue,
    LowestPriority,
    HighestPriority,
    FewestRetries,
    MostRetries,
}

/// The name by which a value is typed, and sent.
pub fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn words<S: Serializer>(values: &[impl ValueEnum], serializer: S) -> Result<S::Ok, S::Error> {
    let words: Vec<String> = values.iter().map(word).collect();
    serializer.serialize_str(&words.join(","))
}

fn one_word<S: Serializer>(
    value: &Option<impl ValueEnum>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().map(word).serialize(serializer)
}
