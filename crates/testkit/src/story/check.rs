//! Plays a story and compares what is seen with what is told.

use std::collections::BTreeMap;

use orloj_interpreter::JobOrder;
use orloj_store::JobState;
use orloj_types::{InstanceKey, JobKey, Timestamp};

use super::ast::{Action, Expectation, InstanceIs, JobIs, JobName, Step, Story, What};
use super::depth::{Depth, Lock, Refusal, Taken};
use super::mismatch::Mismatch;
use super::order::{DueDate, JobVerb, Managing, Order};
use super::seen::{Seen, SeenInstance, SeenJob, SeenState};

/// How often a depth may be asked to settle again before what was told is given up.
const LATE_MAX: usize = 50;

/// Plays `story` on a fresh `depth`. The error shows the story with the line that differs.
pub fn check(story: &Story, depth: &mut dyn Depth) -> Result<(), Box<Mismatch>> {
    let mut player = Player {
        depth,
        instances: Vec::new(),
        taken: BTreeMap::new(),
        jobs_seen: Vec::new(),
        got: None,
        seen: Seen::default(),
        known: Vec::new(),
    };
    for decision in &story.decisions {
        if let Err(message) = player.depth.deploy_decision(decision) {
            return Err(Box::new(Mismatch::new(story, 0, message, Seen::default())));
        }
    }
    for sketch in &story.processes {
        if let Err(message) = player.depth.deploy(sketch) {
            return Err(Box::new(Mismatch::new(story, 0, message, Seen::default())));
        }
    }
    for step in &story.steps {
        if let Err(message) = player.play(step) {
            return Err(Box::new(Mismatch::new(story, step.line, message, player.seen)));
        }
    }
    Ok(())
}

struct Player<'d> {
    depth: &'d mut dyn Depth,
    instances: Vec<(String, InstanceKey)>,
    /// The job each worker took last, by worker and job.
    taken: BTreeMap<(String, String), JobKey>,
    /// Every job there ever was, with its instance, so that latecomers can name one that is gone.
    jobs_seen: Vec<(String, String, JobKey)>,
    got: Option<Taken>,
    seen: Seen,
    /// All instances with their processes.
    known: Vec<(String, InstanceKey)>,
}

impl Player<'_> {
    fn play(&mut self, step: &Step) -> Result<(), String> {
        let before = self.seen.clone();
        self.got = None;
        let refusal = self.act(&step.action)?.err();
        self.look();
        let expects_refusal =
            step.expectations.iter().any(|expected| matches!(expected.what, What::Rejected(_)));
        if let (Some(refusal), false) = (&refusal, expects_refusal) {
            return Err(format!("it was rejected: {}", refusal.0));
        }
        let mut judged = self.all_hold(step, &before, refusal.as_ref());
        for _ in 0..LATE_MAX {
            if judged.is_ok() || !self.depth.settle_again() {
                break;
            }
            self.look();
            judged = self.all_hold(step, &before, refusal.as_ref());
        }
        judged
    }

    fn all_hold(
        &self,
        step: &Step,
        before: &Seen,
        refusal: Option<&Refusal>,
    ) -> Result<(), String> {
        for expected in &step.expectations {
            let held = self.holds(expected, before, refusal);
            held.map_err(|seen| format!("expected: {}\nbut {seen}", expected.text))?;
        }
        Ok(())
    }

    /// The outer error is a mistake of the story, the inner one the engine's answer.
    fn act(&mut self, action: &Action) -> Result<Result<(), Refusal>, String> {
        Ok(match action.clone() {
            Action::Start { process, version, name, variables } => {
                let started = self.depth.start(&process, version, variables);
                started.map(|key| self.instances.push((name, key)))
            }
            Action::Pass { ms } => {
                self.pass(ms);
                Ok(())
            }
            Action::Jump { ms } => {
                self.depth.advance(ms);
                Ok(())
            }
            Action::Take { worker, job_type, lock_ms } => {
                let lock = Lock { worker: worker.clone(), job_type, ms: lock_ms };
                self.depth.take(&lock).map(|taken| {
                    if let Some(taken) = &taken {
                        self.taken.insert((worker, taken.job_type.clone()), taken.job);
                    }
                    self.got = taken;
                })
            }
            Action::Complete { job, variables } => {
                let job = self.find_job(&job)?;
                self.depth.complete(job, variables)
            }
            Action::Fail { job, retries, back_off_ms, message, variables } => {
                let job = self.find_job(&job)?;
                let message = message.into();
                let details = None;
                let fail =
                    orloj::FailJob { job, retries, message, details, back_off_ms, variables };
                self.depth.fail(fail)
            }
            Action::Throw { job, code, message, variables } => {
                let job = self.find_job(&job)?;
                let (code, message) = (code.into(), message.into());
                self.depth.throw(orloj::ThrowError { job, code, message, variables })
            }
            Action::Extend { job, ms } => {
                let job = self.find_job(&job)?;
                self.depth.extend(job, ms)
            }
            Action::CompleteTask { element, of, variables } => {
                let instance = self.find_instance(of.as_deref())?;
                let task = instance.tasks.iter().find(|task| task.element == element);
                let task = task.ok_or_else(|| format!("no task at {element}"))?.key;
                self.depth.complete_task(task, variables)
            }
            Action::Set { variables, local, at, of } => {
                let instance = self.find_instance(of.as_deref())?;
                let scope = match at {
                    None => instance.key.root_scope(),
                    Some(element) => {
                        let token = instance.token(&element);
                        token.ok_or_else(|| format!("no token at {element}"))?.key
                    }
                };
                self.depth.set_variables(scope, variables, local)
            }
            Action::Retries { job, retries } => {
                let job = self.find_job(&job)?;
                self.depth.update_retries(job, retries)
            }
            Action::Resolve { element, of } => {
                let instance = self.find_instance(of.as_deref())?;
                let incident = instance.incidents.iter().find(|i| i.element == element);
                let incident = incident.ok_or_else(|| format!("no incident at {element}"))?.key;
                self.depth.resolve(incident)
            }
            Action::Publish { name, key, ttl_ms, id, variables } => {
                self.depth.publish(orloj::PublishMessage {
                    name: name.into(),
                    correlation_key: key.into(),
                    time_to_live_ms: ttl_ms,
                    message_id: id.map(Into::into),
                    variables,
                    ..orloj::PublishMessage::default()
                })
            }
            Action::Correlate { name, variables } => self.depth.correlate(orloj::Correlate {
                name: name.into(),
                variables,
                ..orloj::Correlate::default()
            }),
            Action::Signal { name, variables } => self.depth.signal(orloj::BroadcastSignal {
                name: name.into(),
                variables,
                ..orloj::BroadcastSignal::default()
            }),
            Action::AskConditions { of, variables } => {
                let instance = self.find_instance(of.as_deref())?.key;
                self.depth.ask_conditions(instance, variables)
            }
            Action::Suspend { of } => {
                let instance = self.find_instance(of.as_deref())?.key;
                self.depth.suspend(instance)
            }
            Action::Resume { of } => {
                let instance = self.find_instance(of.as_deref())?.key;
                self.depth.resume(instance)
            }
            Action::Migrate { process, of, plan } => {
                let instance = self.find_instance(of.as_deref())?.key;
                self.depth.migrate(instance, &process, &plan)
            }
            Action::Cancel { of } => {
                let instance = self.find_instance(of.as_deref())?.key;
                self.depth.cancel(instance)
            }
            Action::Delegate { name, script } => {
                self.depth.script(&name, &script);
                Ok(())
            }
            Action::Manage(Managing::Other(order)) => self.depth.order(order),
            Action::Manage(Managing::Job { job, verb }) => {
                let order = self.order_about(self.find_job(&job)?, verb);
                self.depth.order(order)
            }
            Action::Restart(settings) => {
                self.depth.restart(settings.map(|settings| *settings));
                Ok(())
            }
            Action::Look => Ok(()),
        })
    }

    fn order_about(&self, job: JobKey, verb: JobVerb) -> Order {
        let now = self.depth.now();
        let date = |due: DueDate| match due {
            DueDate::In(ms) => Some(now.plus_ms(ms)),
            DueDate::Never => None,
        };
        let what = match verb {
            JobVerb::Suspend => return Order::SuspendJob(job),
            JobVerb::Resume => return Order::ResumeJob(job),
            JobVerb::Execute => return Order::ExecuteJob(job),
            JobVerb::Prioritise(priority) => JobOrder::SetPriority(priority),
            JobVerb::Delete => JobOrder::Delete,
            JobVerb::Bury => JobOrder::MoveToDeadLetters,
            JobVerb::Revive { retries } => JobOrder::MoveToExecutable { retries },
            JobVerb::Due { due, cascade } => JobOrder::SetDueDate { due: date(due), cascade },
            JobVerb::Recalculate { from_creation } => {
                JobOrder::RecalculateDueDate { from_creation }
            }
            JobVerb::Retries { retries, due } => {
                JobOrder::SetRetries { retries, due: due.map(date) }
            }
            JobVerb::Fire => JobOrder::MoveTimerToExecutable,
        };
        Order::Job { job, what }
    }

    /// Time goes by from one moment at which something happens to the next.
    fn pass(&mut self, ms: i64) {
        let end = self.depth.now().plus_ms(ms);
        loop {
            self.look();
            let now = self.depth.now();
            let next = self.seen.next_moment(now, end).unwrap_or(end);
            self.depth.advance(next.ms_since(now));
            if next == end {
                break;
            }
        }
    }

    fn look(&mut self) {
        self.known = self.depth.instances();
        // Those that nobody started by a step are called as their process.
        let is_told = |key| self.instances.iter().any(|(_, told)| *told == key);
        let others = self.known.iter().filter(|(_, key)| !is_told(*key));
        let instances = others.chain(&self.instances);
        let seen = instances.map(|(name, key)| self.depth.observe(name, *key)).collect();
        self.seen = Seen { instances: seen };
        for instance in &self.seen.instances {
            for job in &instance.jobs {
                let entry = (job.name.clone(), instance.name.clone(), job.key);
                if !self.jobs_seen.contains(&entry) {
                    self.jobs_seen.push(entry);
                }
            }
        }
    }

    fn find_instance(&self, name: Option<&str>) -> Result<&SeenInstance, String> {
        let found = match name {
            Some(name) => self.seen.instance(name),
            None => self.seen.instances.last(),
        };
        found.ok_or_else(|| format!("no instance '{}'", name.unwrap_or("")))
    }

    /// The job this worker took, else the oldest there is, else the last there was.
    fn find_job(&self, job: &JobName) -> Result<JobKey, String> {
        let is_meant = |instance: &str| job.of.as_deref().is_none_or(|of| of == instance);
        if let Some(key) = self.taken.get(&(job.worker.clone(), job.name.clone())) {
            return Ok(*key);
        }
        let instances = self.seen.instances.iter().filter(|instance| is_meant(&instance.name));
        let jobs = instances.flat_map(|instance| instance.jobs_named(&job.name));
        if let Some(key) = jobs.map(|job| job.key).min() {
            return Ok(key);
        }
        let mut past = self.jobs_seen.iter().rev();
        let past = past.find(|(name, instance, _)| *name == job.name && is_meant(instance));
        past.map(|(_, _, key)| *key).ok_or_else(|| format!("there never was a job {}", job.name))
    }

    /// The error tells what is seen instead.
    fn holds(
        &self,
        expected: &Expectation,
        before: &Seen,
        refusal: Option<&Refusal>,
    ) -> Result<(), String> {
        match &expected.what {
            What::Nothing => match *before == self.seen {
                true => Ok(()),
                false => Err(format!("something has changed; before it was:\n{before}")),
            },
            What::Rejected(words) => match (words, refusal) {
                (_, None) => Err("it was not rejected".into()),
                (Some(words), Some(refusal)) if !refusal.0.contains(words.as_str()) => {
                    Err(format!("it was rejected: {}", refusal.0))
                }
                _ => Ok(()),
            },
            What::Called { delegate, times } => {
                let calls = self.depth.calls().iter().filter(|name| *name == delegate).count();
                is_equal("called", &calls, times)
            }
            What::Instances { count, process } => {
                let found = self.known.iter().filter(|(known, _)| known == process).count();
                is_equal("instances:", &found, count)
            }
            What::Ran { node, delegates } => {
                is_equal(&format!("{node} ran"), &self.depth.calls_on(node), delegates)
            }
            What::JobLog { name, words } => self.holds_log(expected.of.as_deref(), name, words),
            What::Calls(names) => is_equal("calls were", &self.depth.calls(), names),
            What::Got { job, variables } => self.holds_got(job.as_deref(), variables.as_ref()),
            what => holds_of(what, self.find_instance(expected.of.as_deref())?, self.depth.now()),
        }
    }

    /// Jobs that are gone are known by the name they were last seen with.
    fn holds_log(&self, of: Option<&str>, name: &str, words: &[String]) -> Result<(), String> {
        let instance = self.find_instance(of)?;
        let is_meant = |key: JobKey| {
            self.jobs_seen.iter().any(|(seen, _, known)| seen == name && *known == key)
        };
        let log = instance.job_log.iter().filter(|(key, _)| is_meant(*key));
        let log: Vec<String> = log.map(|(_, word)| (*word).to_owned()).collect();
        is_equal("the log is", &log.as_slice(), &words)
    }

    fn holds_got(
        &self,
        job: Option<&str>,
        variables: Option<&orloj_types::Document>,
    ) -> Result<(), String> {
        let got = self.got.as_ref();
        if got.map(|taken| taken.job_type.as_str()) != job {
            let got = got.map_or("nothing", |taken| &taken.job_type);
            return Err(format!("it got {got}"));
        }
        match (got, variables) {
            (Some(taken), Some(variables)) => {
                is_equal("it got", &taken.variables.to_json(), &variables.to_json())
            }
            _ => Ok(()),
        }
    }
}

/// What is told about one instance.
fn holds_of(what: &What, instance: &SeenInstance, now: Timestamp) -> Result<(), String> {
    let variables_at = |at: &Option<String>| match at {
        None => Ok(instance.variables.clone()),
        Some(element) => match instance.token(element) {
            Some(token) => Ok(token.variables.clone()),
            None => Err(format!("no token is at {element}")),
        },
    };
    match what {
        What::Tokens { count, element } => {
            let tokens = instance.tokens.iter().filter(|token| token.element == *element).count();
            is_equal(&format!("tokens at {element}:"), &tokens, count)
        }
        What::Job { name, is } => holds_of_job(instance, name, is, now),
        What::Instance(is) => holds_of_state(instance, is),
        What::Variables { variables, at } => {
            is_equal("variables are", &variables_at(at)?.to_json(), &variables.to_json())
        }
        What::Variable { name, value, at } => {
            let found = variables_at(at)?.get(name).map(|value| value.to_json());
            is_equal(&format!("{name} is"), &found.as_deref(), &Some(value.as_str()))
        }
        What::NoVariable { name, at } => match variables_at(at)?.get(name) {
            None => Ok(()),
            Some(value) => Err(format!("{name} is {}", value.to_json())),
        },
        What::Incident { kind, element, says } => {
            let found = instance.incidents.iter().any(|incident| {
                incident.element == *element
                    && kind.as_ref().is_none_or(|kind| incident.kind == *kind)
                    && says.as_ref().is_none_or(|says| incident.message.contains(says.as_str()))
            });
            if found { Ok(()) } else { Err("there is no such incident".into()) }
        }
        What::NoIncident => match instance.incidents.is_empty() {
            true => Ok(()),
            false => Err("there is one".into()),
        },
        What::Task { element, is_there } => {
            let found = instance.tasks.iter().any(|task| task.element == *element);
            is_equal(&format!("a task at {element}:"), &found, is_there)
        }
        What::IncidentsEver(count) => {
            is_equal("incidents so far:", &instance.incidents_ever, count)
        }
        What::Went(elements) => is_equal("it went", &instance.went, elements),
        What::Nothing
        | What::Rejected(_)
        | What::Called { .. }
        | What::Calls(_)
        | What::Ran { .. }
        | What::JobLog { .. }
        | What::Instances { .. }
        | What::Got { .. } => unreachable!("not about an instance"),
    }
}

fn holds_of_state(instance: &SeenInstance, is: &InstanceIs) -> Result<(), String> {
    let expected = match is {
        InstanceIs::Alive => SeenState::Alive,
        InstanceIs::Ended | InstanceIs::EndedAt(_) => SeenState::Completed,
        InstanceIs::Cancelled => SeenState::Cancelled,
    };
    is_equal("the instance is", &instance.state, &expected)?;
    match is {
        InstanceIs::EndedAt(element) => {
            is_equal("it ended at", &instance.went.last(), &Some(element))
        }
        _ => Ok(()),
    }
}

fn holds_of_job(
    instance: &SeenInstance,
    name: &str,
    is: &JobIs,
    now: Timestamp,
) -> Result<(), String> {
    let jobs: Vec<_> = instance.jobs_named(name).collect();
    match is {
        JobIs::Gone => return is_equal(&format!("jobs {name}:"), &jobs.len(), &0),
        JobIs::Count(count) => return is_equal(&format!("jobs {name}:"), &jobs.len(), count),
        _ => {}
    }
    match (is, &jobs[..]) {
        (JobIs::Each(is), [_, ..]) => jobs.iter().try_for_each(|job| holds_of_one(job, is, now)),
        (is, [job]) => holds_of_one(job, is, now),
        (_, jobs) => Err(format!("there are {} jobs {name}", jobs.len())),
    }
}

fn holds_of_one(job: &SeenJob, is: &JobIs, now: Timestamp) -> Result<(), String> {
    match is {
        JobIs::Waiting => {
            is_equal("the job is", &job.state, &JobState::Ready)?;
            is_equal("it is locked by", &job.locked_by, &None)
        }
        JobIs::LockedBy(worker) => {
            is_equal("it is locked by", &job.locked_by.as_ref(), &Some(worker))
        }
        JobIs::Parked => is_equal("the job is", &job.state, &JobState::Parked),
        JobIs::Suspended => is_equal("the job is", &job.state, &JobState::Suspended),
        JobIs::HasDueDate => match job.due_at {
            Some(_) => Ok(()),
            None => Err("it has none".into()),
        },
        JobIs::NeverDue => is_equal("it is due at", &job.due_at, &None),
        JobIs::Failed => is_equal("the job is", &job.state, &JobState::Failed),
        JobIs::Threw => is_equal("the job is", &job.state, &JobState::ErrorThrown),
        JobIs::DueIn(ms) => {
            is_equal("the job is", &job.state, &JobState::Waiting)?;
            let due_in = job.due_at.map(|at| crate::duration::show(at.ms_since(now)));
            is_equal("it is due in", &due_in, &Some(crate::duration::show(*ms)))
        }
        JobIs::DueAt(date) => {
            is_equal("the job is", &job.state, &JobState::Waiting)?;
            let told: jiff::Timestamp =
                date.parse().map_err(|error| format!("'{date}' is no date: {error}"))?;
            let told = Timestamp::from_ms(told.as_millisecond());
            is_equal("it is due at", &job.due_at, &Some(told))
        }
        JobIs::Retries(retries) => is_equal("its retries are", &job.retries_left, retries),
        JobIs::Priority(priority) => is_equal("its priority is", &job.priority, priority),
        JobIs::Gone | JobIs::Count(_) | JobIs::Each(_) => Ok(()),
    }
}

fn is_equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    seen: &T,
    expected: &T,
) -> Result<(), String> {
    match seen == expected {
        true => Ok(()),
        false => Err(format!("{what} {seen:?}")),
    }
}
