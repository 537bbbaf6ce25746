//! What can be seen of an engine from outside: the same at every depth.

use std::fmt;

use orloj_store::JobState;
use orloj_types::{
    Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey,
};

/// All instances of a story, in the order they were started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    pub instances: Vec<SeenInstance>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenInstance {
    /// As the story calls it.
    pub name: String,
    pub key: InstanceKey,
    pub state: SeenState,
    pub tokens: Vec<SeenToken>,
    pub variables: Document,
    pub jobs: Vec<SeenJob>,
    pub incidents: Vec<SeenIncident>,
    pub tasks: Vec<SeenTask>,
    /// Elements entered so far, in order.
    pub went: Vec<String>,
    /// What happened to jobs so far: their key and a word.
    pub job_log: Vec<(JobKey, &'static str)>,
    /// Incidents opened so far.
    pub incidents_ever: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenState {
    Alive,
    Completed,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenToken {
    pub key: ElementInstanceKey,
    pub element: String,
    /// Of its own.
    pub variables: Document,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenJob {
    pub key: JobKey,
    /// Its type, or the element of a job of the engine's own.
    pub name: String,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
    pub locked_by: Option<String>,
    pub locked_until: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenIncident {
    pub key: IncidentKey,
    pub kind: String,
    pub element: String,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenTask {
    pub key: UserTaskKey,
    pub element: String,
}

impl Seen {
    pub fn instance(&self, name: &str) -> Option<&SeenInstance> {
        self.instances.iter().rev().find(|instance| instance.name == name)
    }

    /// The next moment up to `limit` at which something becomes due or a worker's lock has run
    /// out.
    pub fn next_moment(&self, now: Timestamp, limit: Timestamp) -> Option<Timestamp> {
        let jobs = self.instances.iter().flat_map(|instance| &instance.jobs);
        let moments = jobs.filter_map(|job| match job.state {
            JobState::Waiting => job.due_at,
            _ => job.locked_until.map(|until| until.plus_ms(1)),
        });
        moments.filter(|at| *at > now && *at <= limit).min()
    }
}

impl SeenInstance {
    pub fn token(&self, element: &str) -> Option<&SeenToken> {
        self.tokens.iter().find(|token| token.element == element)
    }

    pub fn jobs_named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s SeenJob> {
        self.jobs.iter().filter(move |job| job.name == name)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for instance in &self.instances {
            write!(f, "{instance}")?;
        }
        Ok(())
    }
}

impl fmt::Display for SeenInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            SeenState::Alive => "lives",
            SeenState::Completed => "has ended",
            SeenState::Cancelled => "was cancelled",
        };
        writeln!(f, "{} {state}, variables {}", self.name, self.variables.to_json())?;
        writeln!(f, "  went {}", self.went.join(" "))?;
        for token in &self.tokens {
            write!(f, "  token at {}", token.element)?;
            match token.variables.is_empty() {
                true => writeln!(f)?,
                false => writeln!(f, ", variables {}", token.variables.to_json())?,
            }
        }
        for job in &self.jobs {
            write!(f, "  job {} {:?}", job.name, job.state)?;
            write!(f, ", {} retries, priority {}", job.retries_left, job.priority)?;
            if let Some(due_at) = job.due_at {
                write!(f, ", due at {due_at}")?;
            }
            if let Some(worker) = &job.locked_by {
                write!(f, ", locked by {worker}")?;
            }
            writeln!(f)?;
        }
        for incident in &self.incidents {
            writeln!(
                f,
                "  incident {} at {}: {}",
                incident.kind, incident.element, incident.message
            )?;
        }
        for task in &self.tasks {
            writeln!(f, "  task at {}", task.element)?;
        }
        Ok(())
    }
}
