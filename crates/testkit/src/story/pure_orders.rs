//! What operators do to the interpreter alone, and which of its jobs are run.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj::settings::Settings;
use orloj_interpreter::{
    Command, DefinitionSettings, JobKind, JobOrder, JobSettings, JobState, Rejection,
};
use orloj_model::{JobDefinition, RetryCycle};
use orloj_types::{DefinitionKey, InstanceKey, JobKey, Timestamp};

use super::depth::Refusal;
use super::order::{ElementName, Order};
use super::pure::{Job, Pure};

/// What an executor takes, and in which order: said once more, as simply as it can be.
pub(super) struct Taking {
    pub(super) is_on: bool,
    settings: Settings,
    /// Versions whose deployments are not registered.
    unregistered: BTreeSet<DefinitionKey>,
}

/// Something that is done later.
pub(super) struct Later {
    pub(super) at: Timestamp,
    pub(super) order: Order,
}

impl Taking {
    pub(super) fn new(settings: Option<&Settings>) -> Self {
        let settings = settings.cloned().unwrap_or_default();
        let is_on = settings.executor.active.unwrap_or(true);
        Self { is_on, settings, unregistered: BTreeSet::new() }
    }

    pub(super) fn takes(&self, definition: DefinitionKey, job: &Job) -> bool {
        let job = &job.row.job;
        self.takes_such(definition, job.priority, job.category.as_deref())
            && (job.due_at.is_some() || !self.settings.jobs.due_never_null)
    }

    /// A job with a due date, of an instance or of none.
    pub(super) fn takes_such(
        &self,
        definition: DefinitionKey,
        priority: i64,
        category: Option<&str>,
    ) -> bool {
        let executor = &self.settings.executor;
        let has_category = match &executor.categories {
            None => true,
            Some(known) if known.is_empty() => true,
            Some(known) => category.is_some_and(|category| known.iter().any(|k| **k == *category)),
        };
        self.is_on
            && (executor.priority_min..=executor.priority_max).contains(&priority)
            && self.knows(definition)
            && has_category
    }

    fn knows(&self, definition: DefinitionKey) -> bool {
        !(self.settings.executor.deployment_aware && self.unregistered.contains(&definition))
    }

    /// The least goes first.
    pub(super) fn place(&self, job: &Job) -> (i64, bool, i64, JobKey) {
        let (executor, job) = (&self.settings.executor, &job.row.job);
        let run_at = job.due_at.unwrap_or(job.key.made_at()).as_ms();
        if let Some(step) = executor.aging_step_ms {
            let step = i64::try_from(step).expect("checked when it was read");
            return (run_at - job.priority * step, false, 0, job.key);
        }
        let is_timer = matches!(job.kind, JobKind::Timer { .. });
        (
            if executor.by_priority { job.priority.saturating_neg() } else { 0 },
            executor.timers_first && !is_timer,
            if executor.by_due { run_at } else { 0 },
            job.key,
        )
    }

    fn order(&self) -> orloj_types::Order {
        let executor = &self.settings.executor;
        match executor.aging_step_ms {
            Some(step) => orloj_types::Order::Aging {
                step_ms: i64::try_from(step).expect("checked when it was read"),
            },
            None => orloj_types::Order::Flags {
                priority: executor.by_priority,
                timers_first: executor.timers_first,
                due: executor.by_due,
            },
        }
    }

    /// What the interpreter is told of them.
    pub(super) fn job_settings(&self) -> JobSettings {
        let Settings { jobs, executor, model, .. } = &self.settings;
        let wait = |ms: Option<u64>| ms.and_then(|ms| i64::try_from(ms).ok());
        let default = Settings::default();
        JobSettings {
            retries: (jobs.retries != default.jobs.retries)
                .then(|| i32::try_from(jobs.retries).expect("checked when it was read")),
            retry_cycle: jobs
                .retry_cycle
                .as_deref()
                .map(|text| RetryCycle::parse(text).expect("checked when it was read")),
            retry_wait_ms: wait(jobs.async_failed_wait_ms),
            timer_retry_wait_ms: wait(jobs.failed_wait_ms),
            due_dates_always: jobs.due_never_null || executor.by_due,
            ignores_priorities: !jobs.prioritized,
            exclusive_over_hierarchies: executor.exclusive_over_hierarchies,
            exclusive_order: Some(self.order()),
            tries_at_first_failure: jobs.retries_at_first_failure,
            without_incidents: !jobs.incidents,
            reevaluates_cycles: jobs.reevaluate_time_cycle,
            uncaught_errors_fail: model.unhandled_error_fails,
            loops_without_checks: !model.parallel_multi_instance_async_leave,
            joins_never_hang: true,
            ..JobSettings::default()
        }
    }
}

impl Pure {
    fn manage(&self, job: JobKey, what: JobOrder) -> Command {
        let row = self.jobs.get(&job).map(|job| &job.row);
        let failure = row.and_then(|row| row.failure.as_ref()).map(|failed| failed.message.clone());
        Command::ManageJob { job, what, failure }
    }

    pub(super) fn ordered(&mut self, order: Order) -> Result<(), Refusal> {
        match order {
            Order::Job { job, what } => {
                let instance = self.instance_of(job)?;
                let command = self.manage(job, what);
                return self.command(instance, command);
            }
            Order::SuspendJob(job) => {
                let instance = self.instance_of(job)?;
                return self.command(instance, Command::SuspendJobs { jobs: vec![job] });
            }
            Order::ResumeJob(job) => {
                let instance = self.instance_of(job)?;
                return self.command(instance, Command::ResumeJobs { jobs: vec![job] });
            }
            Order::ExecuteJob(job) => return self.execute(job),
            Order::Override { of, priority, with_jobs } => {
                self.for_job_definitions(&of, |settings, definition| {
                    settings.jobs.entry(definition).or_default().priority = priority;
                })?;
                if let (Some(priority), true) = (priority, with_jobs) {
                    for (instance, job) in self.jobs_at(&of) {
                        let what = JobOrder::SetPriority(priority);
                        let command = self.manage(job, what);
                        let _ = self.interpret(instance, command);
                    }
                }
            }
            Order::JobsOf { in_ms: Some(ms), of, suspend, with_jobs } => {
                let order = Order::JobsOf { of, suspend, with_jobs, in_ms: None };
                self.later.push(Later { at: self.now.plus_ms(ms), order });
            }
            Order::JobsOf { of, suspend, with_jobs, in_ms: None } => {
                self.for_job_definitions(&of, |settings, definition| {
                    settings.jobs.entry(definition).or_default().is_suspended = suspend;
                })?;
                if with_jobs {
                    for (instance, job) in self.jobs_at(&of) {
                        let jobs = vec![job];
                        let command = match suspend {
                            true => Command::SuspendJobs { jobs },
                            false => Command::ResumeJobs { jobs },
                        };
                        let _ = self.interpret(instance, command);
                    }
                }
            }
            Order::Process { process, suspend, with_instances, in_ms: Some(ms) } => {
                let order = Order::Process { process, suspend, with_instances, in_ms: None };
                self.later.push(Later { at: self.now.plus_ms(ms), order });
            }
            Order::Process { process, suspend, with_instances, in_ms: None } => {
                self.suspend_process(&process, suspend, with_instances)?;
            }
            Order::RetriesOf { retries, .. } if retries < 0 => {
                return Err((&Rejection::RetriesNegative(retries)).into());
            }
            Order::RetriesOf { of, retries } => {
                for (instance, job) in self.jobs_at(&of) {
                    if self.jobs[&job].row.job.retries_left == 0 {
                        let what = JobOrder::SetRetries { retries, due: None };
                        let command = self.manage(job, what);
                        let _ = self.interpret(instance, command);
                    }
                }
            }
            Order::DeadLetters { revive } => {
                let what = match revive {
                    Some(retries) => JobOrder::MoveToExecutable { retries },
                    None => JobOrder::Delete,
                };
                let dead = self.jobs.values().filter(|job| job.row.job.state == JobState::Failed);
                let dead: Vec<_> = dead.map(|job| (job.instance, job.row.job.key)).collect();
                for (instance, job) in dead {
                    let what = what.clone();
                    let command = self.manage(job, what);
                    let _ = self.interpret(instance, command);
                }
            }
            Order::Registration { process, version, is_registered, .. } => {
                let (definition, _) = self.version_of(&process, version)?;
                match is_registered {
                    true => self.taking.unregistered.remove(&definition),
                    false => self.taking.unregistered.insert(definition),
                };
            }
            Order::Executor { on, .. } => self.taking.is_on = on,
        }
        self.settle();
        Ok(())
    }

    /// What was registered is forgotten, what was set about definitions is not.
    pub(super) fn start_again(&mut self, settings: Option<Settings>) {
        let told = settings.unwrap_or_else(|| self.taking.settings.clone());
        self.taking = Taking::new(Some(&told));
        let versions = self.processes.values().flatten();
        self.taking.unregistered = versions.map(|(definition, _)| *definition).collect();
        let definitions = self.job_settings.definitions.clone();
        self.job_settings = Arc::new(JobSettings { definitions, ..self.taking.job_settings() });
        self.settle();
    }

    /// What was to be done by now; true: there was something.
    pub(super) fn do_later(&mut self) -> bool {
        let is_taken = |later: &Later| {
            let process = match &later.order {
                Order::Process { process, .. } => Some(process),
                Order::JobsOf { of, .. } => of.process.as_ref().or(Some(&self.first_process)),
                _ => None,
            };
            let latest = process.and_then(|process| self.processes.get(process)?.last());
            latest.is_none_or(|(definition, _)| self.taking.takes_such(*definition, 0, None))
        };
        let due = |later: &Later| later.at <= self.now && self.taking.is_on && is_taken(later);
        let Some(at) = self.later.iter().position(due) else {
            return false;
        };
        let later = self.later.remove(at);
        self.ordered(later.order).expect("it was possible when it was asked for");
        true
    }

    fn execute(&mut self, job: JobKey) -> Result<(), Refusal> {
        let instance = self.instance_of(job)?;
        let executed = self.command(instance, Command::ExecuteJob { job });
        match (executed, self.failed.take()) {
            (Err(refusal), _) => Err(refusal),
            (Ok(()), Some(message)) => Err(Refusal(message)),
            (Ok(()), None) => Ok(()),
        }
    }

    fn suspend_process(
        &mut self,
        process: &str,
        suspend: bool,
        with_instances: bool,
    ) -> Result<(), Refusal> {
        let versions = self.processes.get(process);
        let versions = versions.ok_or_else(|| Refusal("no such process".into()))?.clone();
        for (key, model) in versions {
            self.suspend_version(process, key, &model, suspend);
        }
        if with_instances {
            let of_process = self.instances.iter().filter(|(_, i)| i.process_id == process);
            let keys: Vec<InstanceKey> = of_process.map(|(key, _)| *key).collect();
            for key in keys {
                let command = if suspend { Command::Suspend } else { Command::Resume };
                // One that has ended, or is as it shall be, stays so.
                let _ = self.interpret(key, command);
            }
        }
        Ok(())
    }

    fn suspend_version(
        &mut self,
        process: &str,
        key: DefinitionKey,
        model: &orloj_model::Process,
        suspend: bool,
    ) {
        // Flowable sets a flag that only starts ask for.
        let is_flag = self.flowable.contains(process);
        let settings = self.settings_of(key);
        settings.is_suspended = suspend;
        let definitions = if is_flag { Vec::new() } else { model.job_definitions() };
        for definition in definitions {
            settings.jobs.entry(definition).or_default().is_suspended = suspend;
        }
    }

    /// The version that was just deployed. Stories suspend no other one meanwhile.
    pub(super) fn activate_later(&mut self, process: &str, ms: i64) {
        let (key, model) = self.version_of(process, None).expect("it was deployed");
        self.suspend_version(process, key, &model, true);
        let (process, suspend, with_instances, in_ms) = (process.to_owned(), false, false, None);
        let order = Order::Process { process, suspend, with_instances, in_ms };
        self.later.push(Later { at: self.now.plus_ms(ms), order });
    }

    pub(super) fn is_suspended(&self, process: &str) -> bool {
        let latest = self.processes.get(process).and_then(|versions| versions.last());
        latest.is_some_and(|(key, _)| self.job_settings.is_suspended(*key))
    }

    fn settings_of(&mut self, key: DefinitionKey) -> &mut DefinitionSettings {
        Arc::make_mut(&mut self.job_settings).definitions.entry(key).or_default()
    }

    fn for_job_definitions(
        &mut self,
        of: &ElementName,
        mut set: impl FnMut(&mut DefinitionSettings, JobDefinition),
    ) -> Result<(), Refusal> {
        let (key, process) = self.latest(of)?;
        let meant = |definition: &JobDefinition| {
            let element = &*definition.element;
            element == of.element || element == format!("{}#multiInstanceBody", of.element)
        };
        let definitions: Vec<_> = process.job_definitions().into_iter().filter(meant).collect();
        if definitions.is_empty() {
            return Err(Refusal("no such job definition".into()));
        }
        for definition in definitions {
            set(self.settings_of(key), definition);
        }
        Ok(())
    }

    fn latest(
        &self,
        of: &ElementName,
    ) -> Result<(DefinitionKey, Arc<orloj_model::Process>), Refusal> {
        let versions = match &of.process {
            Some(process) => self.processes.get(process),
            None => self.processes.get(&self.first_process),
        };
        let latest = versions.and_then(|versions| versions.last()).cloned();
        latest.ok_or_else(|| Refusal("no such process".into()))
    }

    fn jobs_at(&self, of: &ElementName) -> Vec<(InstanceKey, JobKey)> {
        let Ok((_, latest)) = self.latest(of) else { return Vec::new() };
        let jobs = self.jobs.values().filter(|job| {
            let process = &self.instances[&job.instance].process;
            *job.row.element == *of.element && Arc::ptr_eq(process, &latest)
        });
        jobs.filter(|job| !job.row.job.kind.is_for_clients())
            .map(|job| (job.instance, job.row.job.key))
            .collect()
    }

    /// What is run next: first what is due becomes ready, or is done, then the first of the ready.
    pub(super) fn next_job(&self) -> Option<(InstanceKey, Command)> {
        let due = self.jobs.values().filter(|job| {
            job.row.job.state == JobState::Waiting
                && job.row.job.due_at.is_some_and(|at| at <= self.now)
                && (job.row.job.kind.is_for_clients() || self.taking.is_on)
        });
        let ready = self.jobs.values().filter(|job| {
            job.row.job.state == JobState::Ready
                && !job.row.job.kind.is_for_clients()
                && self.is_taken(job)
        });
        let ready = ready.min_by_key(|job| self.taking.place(job));
        if let Some(job) = due.min_by_key(|job| (job.row.job.due_at, job.row.job.key)) {
            let place = self.taking.place(job);
            let is_next = ready.is_none_or(|ready| place < self.taking.place(ready));
            let at_once = self.is_taken(job) && is_next;
            return Some((job.instance, Command::JobDue { job: job.row.job.key, at_once }));
        }
        let Some(ready) = ready else { return self.overtaking() };
        Some((ready.instance, Command::RunJob { job: ready.row.job.key }))
    }

    /// Nothing is locked here: where nobody takes the job whose turn it is, one that somebody takes
    /// goes before it.
    fn overtaking(&self) -> Option<(InstanceKey, Command)> {
        let queues = self.instances.iter().filter_map(|(key, instance)| {
            let queue = &instance.record.as_ref()?.exclusive;
            let holder = queue.holder?;
            let parked = queue.parked().filter_map(|key| self.jobs.get(&key));
            let taken = parked.filter(|job| self.is_taken(job));
            let first = taken.min_by_key(|job| self.taking.place(job))?;
            let command = Command::Overtake { holder, by: first.row.job.key };
            // One of an instance that has ended is still in a queue of its former hierarchy.
            let holds = self.jobs.get(&holder).is_some_and(|holder| self.is_taken(holder));
            (!holds).then_some((*key, command))
        });
        queues.into_iter().next()
    }

    fn is_taken(&self, job: &Job) -> bool {
        let process = &self.instances[&job.instance].process;
        let mut versions = self.processes.values().flatten();
        let is_it = |(_, version): &&(DefinitionKey, Arc<orloj_model::Process>)| {
            Arc::ptr_eq(version, process)
        };
        let (definition, _) = versions.find(is_it).expect("its version was deployed");
        self.taking.takes(*definition, job)
    }
}
