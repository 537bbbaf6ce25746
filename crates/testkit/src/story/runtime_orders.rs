//! What operators do to the whole engine, by the methods that applications have.

use orloj::types::{DeploymentKey, JobDefinitionKey};
use orloj::{
    DefinitionFilter, JobAction, JobDefinitionScope, JobFilter, Orloj, Page, SuspendDefinition,
    SuspendJobs, WhichDefinitions,
};
use orloj_interpreter::JobOrder;
use orloj_store::JobDefinitionFilter;

use super::depth::Refusal;
use super::order::{ElementName, Order};
use super::runtime::Runtime;

impl Runtime {
    pub(super) fn ordered(&self, order: Order) -> Result<(), Refusal> {
        let now = self.orloj.now();
        match order {
            Order::Job { job, what } => self.act(job, &action(what)),
            Order::SuspendJob(job) => self.act(job, &JobAction::Suspend),
            Order::ResumeJob(job) => self.act(job, &JobAction::Resume),
            Order::ExecuteJob(job) => self.act(job, &JobAction::Execute),
            Order::Override { of, priority, with_jobs } => {
                for key in self.job_definitions(&of)? {
                    let definitions = self.orloj.job_definitions();
                    self.settled(async {
                        match priority {
                            None => definitions.clear_priority(key).await,
                            Some(priority) => {
                                definitions.set_priority(key, priority, with_jobs).await.map(drop)
                            }
                        }
                    })?;
                }
                Ok(())
            }
            Order::JobsOf { of, suspend, with_jobs, in_ms } => {
                let how =
                    SuspendJobs { include_jobs: with_jobs, at: in_ms.map(|ms| now.plus_ms(ms)) };
                for key in self.job_definitions(&of)? {
                    let definitions = self.orloj.job_definitions();
                    let scope = JobDefinitionScope::Key(key);
                    self.settled(async {
                        match suspend {
                            true => definitions.suspend(&scope, how).await,
                            false => definitions.activate(&scope, how).await,
                        }
                    })?;
                }
                Ok(())
            }
            Order::Process { process, suspend, with_instances, in_ms } => {
                let how = SuspendDefinition {
                    include_instances: with_instances,
                    at: in_ms.map(|ms| now.plus_ms(ms)),
                };
                let which = WhichDefinitions::Process(process.as_str().into(), None);
                let definitions = self.orloj.definitions();
                let done = self.settled(async {
                    match suspend {
                        true => definitions.suspend(&which, how).await,
                        false => definitions.activate(&which, how).await,
                    }
                });
                done.map(drop)
            }
            Order::RetriesOf { of, retries } => {
                for key in self.job_definitions(&of)? {
                    let definitions = self.orloj.job_definitions();
                    self.settled(definitions.set_retries(key, retries, None))?;
                }
                Ok(())
            }
            Order::DeadLetters { revive } => {
                let (jobs, all) = (self.orloj.jobs(), JobFilter::default());
                let bulk = match revive {
                    Some(retries) => jobs.move_dead_letters(all, retries),
                    None => jobs.delete_dead_letters(all),
                };
                self.settled(bulk.run()).map(drop)
            }
            Order::Registration { process, version, node, is_registered } => {
                let (_, key) = self.version(&process, version)?;
                let node = self.node(node.as_deref())?;
                let deployments = node.deployments();
                self.settled(async {
                    match is_registered {
                        true => deployments.register(key).await,
                        false => deployments.unregister(key).await,
                    }
                })
            }
            Order::Executor { node, on } => {
                let executor = self.node(node.as_deref())?.executor();
                self.settled(async {
                    match on {
                        true => executor.start().await,
                        false => executor.stop().await,
                    }
                })
            }
        }
    }

    fn act(&self, job: orloj::types::JobKey, action: &JobAction) -> Result<(), Refusal> {
        let jobs = self.orloj.jobs();
        self.settled(jobs.act(job, action)).map(drop)
    }

    /// The first one unless another is named.
    fn node(&self, name: Option<&str>) -> Result<&Orloj, Refusal> {
        let Some(name) = name else { return Ok(&self.orloj) };
        let found = self.others.iter().find(|(known, _)| known == name);
        found.map(|(_, node)| node).ok_or_else(|| Refusal(format!("no node {name}")))
    }

    /// Those of the latest version; a multi-instance and what it does for each are both meant.
    fn job_definitions(&self, of: &ElementName) -> Result<Vec<JobDefinitionKey>, Refusal> {
        let process = of.process.as_deref().unwrap_or(&self.first_process);
        let (definition, _) = self.version(process, None)?;
        let filter =
            JobDefinitionFilter { definition: Some(definition), ..JobDefinitionFilter::default() };
        let page = Page { before: None, limit: 1_000 };
        let found = self.settled(self.orloj.job_definitions().list(filter, page))?;
        let body = format!("{}#multiInstanceBody", of.element);
        let meant = found.into_iter().filter(|row| {
            let element = row.element.as_str();
            element == of.element || element == body
        });
        let keys: Vec<_> = meant.map(|row| row.key).collect();
        match keys.is_empty() {
            true => Err(Refusal("no such job definition".into())),
            false => Ok(keys),
        }
    }

    /// The latest unless it is named.
    fn version(
        &self,
        process: &str,
        version: Option<usize>,
    ) -> Result<(orloj::types::DefinitionKey, DeploymentKey), Refusal> {
        let query = DefinitionFilter {
            process_id: Some(process.into()),
            version: version.map(|number| i32::try_from(number).expect("a small number")),
            only_latest: version.is_none(),
            ..DefinitionFilter::default()
        };
        let found = self.tokio.block_on(self.orloj.definitions().query(&query));
        let found = found.map_err(Refusal::from)?;
        let latest = found.first().ok_or_else(|| Refusal("no such process".into()))?;
        Ok((latest.key, latest.deployment))
    }
}

fn action(order: JobOrder) -> JobAction {
    match order {
        JobOrder::SetRetries { retries, due } => JobAction::SetRetries { retries, due },
        JobOrder::SetDueDate { due, cascade } => JobAction::SetDueDate { due, cascade },
        JobOrder::RecalculateDueDate { from_creation } => {
            JobAction::RecalculateDueDate { from_creation }
        }
        JobOrder::SetPriority(priority) => JobAction::SetPriority(priority),
        JobOrder::Delete => JobAction::Delete,
        JobOrder::MoveToDeadLetters => JobAction::MoveToDeadLetters,
        JobOrder::MoveToExecutable { retries } => JobAction::MoveToExecutable { retries },
        JobOrder::MoveTimerToExecutable => JobAction::MoveTimerToExecutable,
        JobOrder::Reschedule { .. } => unreachable!("stories do not reschedule"),
    }
}
