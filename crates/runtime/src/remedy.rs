//! What can be done so that a job runs.

use std::fmt;
use std::sync::Arc;

use orloj_store::{LimitRow, LimitScope, Rate};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, IncidentKey, InstanceKey, JobDefinitionKey, JobKey,
};

/// What clears a reason. Shown, it is a command line for a shell; only [`Remedy::StartWorker`] is
/// words, since no command of ours can do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    ResumeInstance(InstanceKey),
    ResumeBatch(BatchKey),
    /// Without its instances: its start timers follow it, and what was suspended beside it stays so.
    ResumeDefinition(DefinitionKey),
    /// With its jobs.
    ResumeJobDefinition(JobDefinitionKey),
    ResumeJob(JobKey),
    SetRetries(JobKey),
    SetPriority(JobKey, i64),
    /// By hand nothing matters of what keeps nodes from taking it.
    Execute(JobKey),
    MakeDue(JobKey),
    Unlock(JobKey),
    /// Its turn comes when this one is done, so look at that.
    Explain(JobKey),
    ResolveIncident(IncidentKey),
    /// In place of the one there is.
    SetLimit {
        scope: LimitScope,
        name: Arc<str>,
        max: u32,
        /// Of a second or a minute, which is all that the command can say.
        rate: Option<Rate>,
    },
    DeleteLimit {
        scope: LimitScope,
        name: Arc<str>,
    },
    StartExecutor,
    RegisterDeployment(DeploymentKey),
    CloseBreaker(Arc<str>),
    StartWorker(Arc<str>),
}

const SECOND_MS: u32 = 1_000;
const MINUTE_MS: u32 = 60_000;

impl Remedy {
    /// One more at once. A rate that the command cannot say would be lost, so there is nothing
    /// less than the end of such a limit.
    pub(crate) fn raise(limit: &LimitRow, max: u32) -> Self {
        let (scope, name) = (limit.scope, limit.name.clone());
        match limit.rate {
            Some(rate) if ![SECOND_MS, MINUTE_MS].contains(&rate.interval_ms) => {
                Self::DeleteLimit { scope, name }
            }
            rate => Self::SetLimit { scope, name, max: max.saturating_add(1), rate },
        }
    }

    /// No rate any more; how many at once stays.
    pub(crate) fn without_rate(limit: &LimitRow) -> Self {
        let (scope, name) = (limit.scope, limit.name.clone());
        match limit.max_concurrent {
            Some(max) => Self::SetLimit { scope, name, max, rate: None },
            None => Self::DeleteLimit { scope, name },
        }
    }

    pub fn is_command(&self) -> bool {
        !matches!(self, Self::StartWorker(_))
    }

    /// Whether it acts on the node that is asked alone; what is done to others changes the store,
    /// which all nodes share.
    pub fn is_of_one_node(&self) -> bool {
        matches!(self, Self::StartExecutor | Self::RegisterDeployment(_) | Self::CloseBreaker(_))
    }

    /// One of each, with names as awkward as they can be: for those who promise to understand all.
    pub fn samples() -> Vec<Self> {
        let mut samples = vec![
            Self::ResumeInstance(InstanceKey::new(7)),
            Self::ResumeBatch(BatchKey::new(7)),
            Self::ResumeDefinition(DefinitionKey::new(7)),
            Self::ResumeJobDefinition(JobDefinitionKey::new(7)),
            Self::ResumeJob(JobKey::new(7)),
            Self::SetRetries(JobKey::new(7)),
            Self::SetPriority(JobKey::new(7), 10),
            Self::SetPriority(JobKey::new(7), -10),
            Self::Execute(JobKey::new(7)),
            Self::MakeDue(JobKey::new(7)),
            Self::Unlock(JobKey::new(7)),
            Self::Explain(JobKey::new(7)),
            Self::ResolveIncident(IncidentKey::new(7)),
            Self::StartExecutor,
            Self::RegisterDeployment(DeploymentKey::new(7)),
        ];
        for name in ["pay", "two words", "it's", "-x", "$HOME"] {
            let name: Arc<str> = name.into();
            for scope in [LimitScope::Topic, LimitScope::Tenant, LimitScope::Key] {
                for interval_ms in [None, Some(SECOND_MS), Some(MINUTE_MS)] {
                    let rate = interval_ms.map(|ms| Rate { jobs: 5, interval_ms: ms, burst: 9 });
                    samples.push(Self::SetLimit { scope, name: name.clone(), max: 1, rate });
                }
                samples.push(Self::DeleteLimit { scope, name: name.clone() });
            }
            samples.push(Self::CloseBreaker(name.clone()));
            samples.push(Self::StartWorker(name));
        }
        samples
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ResumeInstance(key) => write!(f, "orloj instance resume {key}"),
            Self::ResumeBatch(key) => write!(f, "orloj batch resume {key}"),
            Self::ResumeDefinition(key) => write!(f, "orloj definition resume {key}"),
            Self::ResumeJobDefinition(key) => {
                write!(f, "orloj job-definition resume {key} --include-jobs")
            }
            Self::ResumeJob(key) => write!(f, "orloj job resume {key}"),
            Self::SetRetries(key) => write!(f, "orloj job retries {key} 1"),
            Self::SetPriority(key, priority) => write!(f, "orloj job priority {key} {priority}"),
            Self::Execute(key) => write!(f, "orloj job execute {key}"),
            Self::MakeDue(key) => write!(f, "orloj job due {key} now"),
            Self::Unlock(key) => write!(f, "orloj job unlock {key}"),
            Self::Explain(key) => write!(f, "orloj job explain {key}"),
            Self::ResolveIncident(key) => write!(f, "orloj incident resolve {key}"),
            Self::SetLimit { scope, name, max, rate } => {
                write!(f, "orloj limit set --max {max}")?;
                if let Some(Rate { jobs, interval_ms, burst }) = rate {
                    let flag = if *interval_ms == SECOND_MS { "second" } else { "minute" };
                    write!(f, " --per-{flag} {jobs} --burst {burst}")?;
                }
                write!(f, " {} {}", scope_word(*scope), Word(name))
            }
            Self::DeleteLimit { scope, name } => {
                write!(f, "orloj limit delete {} {}", scope_word(*scope), Word(name))
            }
            Self::StartExecutor => f.write_str("orloj executor start"),
            Self::RegisterDeployment(key) => write!(f, "orloj deployment register {key}"),
            Self::CloseBreaker(topic) => write!(f, "orloj executor close-breaker {}", Word(topic)),
            Self::StartWorker(job_type) => write!(f, "start a worker for type '{job_type}'"),
        }
    }
}

fn scope_word(scope: LimitScope) -> &'static str {
    match scope {
        LimitScope::Topic => "topic",
        LimitScope::Tenant => "tenant",
        LimitScope::Key => "key",
    }
}

/// The last word of a command line, as a shell reads it. Names come from models.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        if text.starts_with('-') {
            // What looks like a flag is none.
            f.write_str("-- ")?;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
        if !text.is_empty() && text.chars().all(is_plain) {
            return f.write_str(text);
        }
        write!(f, "'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_is_a_sample_of_each() {
        /// A new remedy gets the next number here, and a sample above.
        const COUNT: usize = 18;
        let number = |remedy: &Remedy| match remedy {
            Remedy::ResumeInstance(_) => 0,
            Remedy::ResumeBatch(_) => 1,
            Remedy::ResumeDefinition(_) => 2,
            Remedy::ResumeJobDefinition(_) => 3,
            Remedy::ResumeJob(_) => 4,
            Remedy::SetRetries(_) => 5,
            Remedy::SetPriority(..) => 6,
            Remedy::Execute(_) => 7,
            Remedy::Unlock(_) => 8,
            Remedy::Explain(_) => 9,
            Remedy::ResolveIncident(_) => 10,
            Remedy::SetLimit { .. } => 11,
            Remedy::DeleteLimit { .. } => 12,
            Remedy::StartExecutor => 13,
            Remedy::RegisterDeployment(_) => 14,
            Remedy::CloseBreaker(_) => 15,
            Remedy::StartWorker(_) => 16,
            Remedy::MakeDue(_) => 17,
        };
        let numbers: BTreeSet<usize> = Remedy::samples().iter().map(number).collect();
        assert_eq!(numbers, (0..COUNT).collect());
    }

    #[test]
    fn names_reach_the_command_as_they_are() {
        let closed = |topic: &str| Remedy::CloseBreaker(topic.into()).to_string();
        assert_eq!(closed("test.Work"), "orloj executor close-breaker test.Work");
        assert_eq!(closed("it's $HOME"), r"orloj executor close-breaker 'it'\''s $HOME'");
        assert_eq!(closed("-x"), "orloj executor close-breaker -- -x");
    }
}
