//! Why a job is not running: every reason, in the order in which things would have to change, each
//! with the command that would clear it.

use orloj_executor::{NotTaken, not_taken_by};
use orloj_interpreter::Record;
use orloj_store::{
    IncidentFilter, JobDefinitionFilter, JobKind, JobRow, JobState, NodeProfile, NodeRow, Page,
};
use orloj_types::{DeploymentKey, InstanceKey, JobKey, Timestamp};

use crate::api::{Error, Explanation, Missing, Reason};
use crate::handle::Orloj;
use crate::manage::{definition_of, holders_of, is_of};
use crate::node::{BreakerReport, ExecutorReport, SetAside, store_error};
use crate::remedy::Remedy;

/// Rows read for one answer; more would tell nothing new.
const LOOK: Page = Page { before: None, limit: 1_000 };
/// Holders of a limit that are named.
const HOLDERS_MAX: u32 = 5;

impl Orloj {
    /// Empty reasons: nothing stands in its way, or it runs.
    pub async fn explain(&self, job: JobKey) -> Result<Explanation, Error> {
        let row = self.inner.store.job(job).await.map_err(|e| store_error(&e))?;
        let row = row.ok_or(Error::Missing(Missing::Job(job.raw())))?;
        let nodes = self.inner.store.nodes().await.map_err(|e| store_error(&e))?;
        let report = self.executor().report().await?;
        let now = self.now();
        let mut reasons = self.why_suspended(&row).await?;
        // One that was given new tries may still be stopped by its incident.
        let is_stopped = matches!(row.state, JobState::Failed | JobState::Suspended);
        if is_stopped && row.retries_left <= 0 {
            reasons.push(no_retries(&row));
        }
        if row.state == JobState::ErrorThrown {
            let text = "its error found no catch event".to_owned();
            reasons.push(reason("error-not-caught", text, None));
        }
        reasons.extend(self.incidents_of(&row).await?);
        if !self.resuming_ends_wait(&row).await {
            reasons.extend(not_due(&row, now));
        }
        if row.state == JobState::Parked {
            reasons.push(self.why_parked(&row).await?);
        }
        reasons.extend(self.why_beside(&row).await?);
        if row.is_locked() {
            reasons.push(self.why_locked(&row, &nodes, &report, now));
        } else {
            // Whatever else has to change first: who clears that should not meet these afterwards.
            reasons.extend(self.why_limited(&row, now).await?);
            let aside = report.set_aside.iter().find(|aside| aside.job == row.key);
            reasons.extend(aside.map(set_aside));
            if !row.kind.is_for_workers() {
                let deployment = self.deployment_of(&row).await?;
                reasons.extend(self.why_untaken(&row, &nodes, &report, deployment));
                if reasons.is_empty() && row.state == JobState::Ready {
                    // What passes by itself.
                    reasons.extend(self.why_not_yet(&row, &nodes, &report, deployment));
                }
                reasons.extend(hung(&report, &row));
            } else if aside.is_none() && is_open(&row, now) {
                let spared = breakers_open(&report, &row);
                match spared.is_empty() {
                    true => reasons.push(no_worker(&row)),
                    false => reasons.extend(spared),
                }
            }
        }
        name_nodes(&mut reasons, &nodes, self.session());
        let job = self.job_view(row).await?;
        Ok(Explanation { job, reasons })
    }

    /// Whose suspension keeps it. An instance or a batch that is resumed takes its jobs along,
    /// whatever is suspended beside it; that of a definition keeps only new instances and the jobs
    /// that start them.
    async fn why_suspended(&self, row: &JobRow) -> Result<Vec<Reason>, Error> {
        let store = &self.inner.store;
        let mut reasons = Vec::new();
        let record = self.record(row.instance).await?;
        if record.is_some_and(|record| record.is_suspended) {
            let key = row.instance;
            reasons.push(reason(
                "instance-suspended",
                format!("its instance {key} is suspended"),
                Some(Remedy::ResumeInstance(key)),
            ));
        }
        if let Some(key) = row.batch {
            let batch = store.batch(key).await.map_err(|e| store_error(&e))?;
            if batch.is_some_and(|batch| batch.suspended) {
                reasons.push(reason(
                    "batch-suspended",
                    format!("its batch {key} is suspended"),
                    Some(Remedy::ResumeBatch(key)),
                ));
            }
        }
        if row.state != JobState::Suspended || !reasons.is_empty() {
            return Ok(reasons);
        }
        if row.kind == JobKind::StartTimer {
            let definition = store.definition(row.definition).await.map_err(|e| store_error(&e))?;
            if let Some(definition) = definition.filter(|definition| definition.suspended) {
                let key = row.definition;
                let until = self.activated_at(&definition).await?;
                let until = until.map(|at| format!(" until {at}")).unwrap_or_default();
                reasons.push(reason(
                    "definition-suspended",
                    format!("its definition {key} is suspended{until}"),
                    Some(Remedy::ResumeDefinition(key)),
                ));
            }
        }
        if reasons.is_empty() {
            let remedy = Some(Remedy::ResumeJob(row.key));
            reasons.push(reason("suspended", "the job is suspended".into(), remedy));
        }
        if row.batch.is_some() || row.definition.raw() != 0 {
            reasons.extend(self.suspended_job_definitions(row).await?);
        }
        Ok(reasons)
    }

    async fn suspended_job_definitions(&self, row: &JobRow) -> Result<Vec<Reason>, Error> {
        let store = &self.inner.store;
        let mut reasons = Vec::new();
        let filter = JobDefinitionFilter {
            definition: Some(definition_of(row)),
            configuration: row.batch.map(|batch| batch.to_string().into()),
            suspended: Some(true),
            ..JobDefinitionFilter::default()
        };
        let found = store.job_definitions(filter, LOOK).await.map_err(|e| store_error(&e))?;
        for definition in found.iter().filter(|definition| is_of(definition, row)) {
            let key = definition.key;
            reasons.push(reason(
                "job-definition-suspended",
                format!("its job definition {key} is suspended"),
                Some(Remedy::ResumeJobDefinition(key)),
            ));
        }
        Ok(reasons)
    }

    /// Its own instance has the queue, or the outermost one of the hierarchy.
    async fn why_parked(&self, row: &JobRow) -> Result<Reason, Error> {
        let queues = self.queues_of(row).await?;
        let has_it = |record: &&Record| record.exclusive.ticket(row.key).is_some();
        let holder = queues.iter().find(has_it).and_then(|record| record.exclusive.holder);
        let text = match holder {
            Some(key) => match self.inner.store.job(key).await.map_err(|e| store_error(&e))? {
                Some(holder) if holder.instance != row.instance => {
                    let instance = holder.instance;
                    format!("it is exclusive and waits for job {key} of instance {instance}")
                }
                _ => format!("it is exclusive and waits for job {key} of the same instance"),
            },
            // It was let go while this was read.
            None => "it is exclusive and its turn is about to come".to_owned(),
        };
        Ok(reason("exclusive", text, holder.map(Remedy::Explain)))
    }

    /// An exclusive job that was stopped while it ran keeps the others out until that run is over.
    async fn why_beside(&self, row: &JobRow) -> Result<Option<Reason>, Error> {
        let is_free = row.state == JobState::Ready && !row.is_locked();
        if !is_free || !row.exclusive || row.kind.is_for_workers() {
            return Ok(None);
        }
        for record in self.queues_of(row).await? {
            for &key in record.still_held.iter().filter(|key| **key != row.key) {
                let held = self.inner.store.job(key).await.map_err(|e| store_error(&e))?;
                if held.is_some_and(|held| held.is_locked() && held.state != JobState::Ready) {
                    let text = format!(
                        "it is exclusive, and job {key} beside it, which was stopped, still runs"
                    );
                    return Ok(Some(reason("exclusive", text, Some(Remedy::Explain(key)))));
                }
            }
        }
        Ok(None)
    }

    /// Who may have the queue of the job: its own instance, and the outermost one of the hierarchy.
    async fn queues_of(&self, row: &JobRow) -> Result<Vec<Record>, Error> {
        let Some(own) = self.record(row.instance).await? else { return Ok(Vec::new()) };
        let root = match own.caller {
            Some(caller) => self.record(caller.root).await?,
            None => None,
        };
        Ok(std::iter::once(own).chain(root).collect())
    }

    async fn record(&self, instance: InstanceKey) -> Result<Option<Record>, Error> {
        if instance.raw() == 0 {
            return Ok(None);
        }
        let loaded = self.inner.store.load(vec![instance]).await.map_err(|e| store_error(&e))?;
        let record = loaded.first().map(crate::codec::decode).transpose();
        record.map_err(|e| store_error(&e))
    }

    /// Whether giving a job new tries resolves its incident.
    async fn retries_resolve(&self, row: &JobRow) -> bool {
        if row.kind.is_chore() {
            return true;
        }
        let definition = self.inner.definitions.get(row.definition).await;
        definition.is_ok_and(|definition| definition.process.semantics.jobs.retries_resolve)
    }

    /// Whether a suspended job is tried at once when it is resumed, so that its date means nothing.
    /// Timers and chores keep theirs.
    async fn resuming_ends_wait(&self, row: &JobRow) -> bool {
        let keeps_date = row.kind == JobKind::Timer || row.kind.is_chore();
        if row.state != JobState::Suspended || keeps_date {
            return false;
        }
        let definition = self.inner.definitions.get(row.definition).await;
        definition.is_ok_and(|definition| definition.process.semantics.jobs.resumed_tries_at_once)
    }

    async fn incidents_of(&self, row: &JobRow) -> Result<Vec<Reason>, Error> {
        // By its instance they are found without reading all of them.
        let (instance, job) = (Some(row.instance), Some(row.key));
        let filter = IncidentFilter { instance, job, ..IncidentFilter::default() };
        let found = self.inner.store.incidents(filter, LOOK).await.map_err(|e| store_error(&e))?;
        // Where new tries resolve it, nobody can do that before.
        let needs_tries = row.retries_left <= 0 && self.retries_resolve(row).await;
        let reasons = found.into_iter().map(|incident| {
            let remedy = match needs_tries {
                true => Remedy::SetRetries(row.key),
                false => Remedy::ResolveIncident(incident.key),
            };
            reason(
                "incident",
                format!(
                    "incident {} ({}) is open: {}",
                    incident.key, incident.kind, incident.message
                ),
                Some(remedy),
            )
        });
        Ok(reasons.collect())
    }

    fn why_locked(
        &self,
        row: &JobRow,
        nodes: &[NodeRow],
        report: &ExecutorReport,
        now: Timestamp,
    ) -> Reason {
        if let (Some(worker), Some(until)) = (&row.lock_worker, row.lock_until) {
            let text = match until >= now {
                true => format!("worker '{worker}' holds it until {until}"),
                false => format!("the lock of worker '{worker}' ended at {until} and is cleared"),
            };
            return reason("locked", text, Some(Remedy::Unlock(row.key)));
        }
        let session = row.lock_session.unwrap_or_default();
        let Some(node) = nodes.iter().find(|node| node.session == session) else {
            let text =
                format!("session {session} held it and is gone; its locks are being cleared");
            return reason("node-gone", text, None);
        };
        let name = &node.name;
        if session != self.session() {
            let text = format!("node '{name}' holds it: queued, running or set aside there");
            return reason("running", text, None);
        }
        if let Some(aside) = report.set_aside.iter().find(|aside| aside.job == row.key) {
            return set_aside(aside);
        }
        let text = match report.running.iter().find(|running| running.job == row.key) {
            Some(running) => format!("node '{name}' runs it since {}", running.since),
            None => format!("node '{name}' has it queued or is running it"),
        };
        reason("running", text, None)
    }

    fn session(&self) -> i64 {
        self.inner.session.load(std::sync::atomic::Ordering::SeqCst)
    }

    async fn why_limited(&self, row: &JobRow, now: Timestamp) -> Result<Vec<Reason>, Error> {
        let limits = self.inner.store.limits().await.map_err(|e| store_error(&e))?;
        let mut reasons = Vec::new();
        for limit in limits.iter().filter(|limit| limit.matches(row)) {
            if let Some(at) = limit.next_at(now) {
                reasons.push(reason(
                    "rate-reached",
                    format!("the rate of '{}' lets the next job begin at {at}", limit.name),
                    Some(Remedy::without_rate(limit)),
                ));
            }
            let Some(max) = limit.max_concurrent else { continue };
            let holders = holders_of(limit);
            let locked = self.inner.store.count_jobs(holders.clone()).await;
            let locked = locked.map_err(|e| store_error(&e))?;
            if locked < u64::from(max) {
                continue;
            }
            let page = Page { before: None, limit: HOLDERS_MAX };
            let named = self.inner.store.jobs(holders, page).await.map_err(|e| store_error(&e))?;
            let named: Vec<String> = named.iter().map(|row| row.key.to_string()).collect();
            let text = match named.is_empty() {
                true => format!("the limit of '{}' lets none run", limit.name),
                false => format!(
                    "the limit of '{}' is {max} at once, and {locked} run: {}",
                    limit.name,
                    named.join(", ")
                ),
            };
            reasons.push(reason("limit-reached", text, Some(Remedy::raise(limit, max))));
        }
        Ok(reasons)
    }

    /// The one that brought its definition.
    async fn deployment_of(&self, row: &JobRow) -> Result<Option<DeploymentKey>, Error> {
        if row.definition.raw() == 0 {
            return Ok(None);
        }
        let found = self.inner.store.definition(row.definition).await;
        Ok(found.map_err(|e| store_error(&e))?.map(|definition| definition.deployment))
    }

    /// Why no live node takes it, node by node; nothing if one would.
    fn why_untaken(
        &self,
        row: &JobRow,
        nodes: &[NodeRow],
        report: &ExecutorReport,
        deployment: Option<DeploymentKey>,
    ) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let own = self.session();
        let is_none_active = nodes.iter().all(|node| !node.profile.is_active);
        let is_off = is_none_active && !report.is_active;
        // Of one that is off, what it would say if it were on.
        let refusals = |node: &NodeRow| {
            let mut why = not_taken_by(&node.profile, row, deployment);
            why.retain(|why| *why != NotTaken::Inactive);
            why
        };
        let asked = nodes.iter().filter(|node| is_none_active || node.profile.is_active);
        let by_node: Vec<_> = asked.map(|node| (node, refusals(node))).collect();
        if is_off {
            let text = "the executor is off on all nodes".to_owned();
            let off = reason("no-executor", text, Some(Remedy::StartExecutor));
            // One that would leave the job alone is not worth starting.
            let takers = || by_node.iter().filter(|(_, why)| why.is_empty()).map(|(node, _)| node);
            let taker = takers().find(|node| node.session == own).or_else(|| takers().next());
            reasons.push(Reason { on_node: taker.map(|node| (*node.name).into()), ..off });
        }
        if by_node.iter().all(|(_, why)| !why.is_empty()) {
            for (node, why) in by_node {
                for why in why {
                    let text = format!("node '{}' does not take it: {}", node.name, why.words());
                    let remedy = remedy_of(why, row, &node.profile, deployment);
                    let untaken = reason(code_of(why), text, Some(remedy));
                    reasons.push(Reason { on_node: Some((*node.name).into()), ..untaken });
                }
            }
            let is_off = |node: &&NodeRow| !is_none_active && !node.profile.is_active;
            for node in nodes.iter().filter(is_off).filter(|node| refusals(node).is_empty()) {
                let text = format!("the executor of node '{}' is off; it would take it", node.name);
                let off = reason("no-executor", text, Some(Remedy::StartExecutor));
                reasons.push(Reason { on_node: Some((*node.name).into()), ..off });
            }
        }
        let by_hand = || Some(Remedy::Execute(row.key));
        let fires = |node: &NodeRow| match node.session == own {
            true => report.is_active && report.fires_timers,
            false => node.profile.fires_timers,
        };
        if row.state == JobState::Waiting && !is_off && !nodes.iter().any(fires) {
            let who = if nodes.len() > 1 { "no node looks" } else { "this node does not look" };
            let text = format!("{who} for timers (executor.take_timers)");
            reasons.push(reason("timers-off", text, by_hand()));
        }
        let is_alone = |node: &NodeRow| node.session == own || !node.profile.is_active;
        if report.is_active && !report.takes_jobs && nodes.iter().all(is_alone) {
            let text = "this node does not acquire jobs (executor.take_async)".to_owned();
            reasons.push(reason("acquisition-off", text, by_hand()));
        }
        reasons.extend(breakers_open(report, row));
        reasons
    }

    /// What keeps this node from taking a job for the moment that it will take.
    fn why_not_yet(
        &self,
        row: &JobRow,
        nodes: &[NodeRow],
        report: &ExecutorReport,
        deployment: Option<DeploymentKey>,
    ) -> Option<Reason> {
        let own = nodes.iter().find(|node| node.session == self.session())?;
        if !not_taken_by(&own.profile, row, deployment).is_empty() {
            return None;
        }
        let (name, remedy) = (&own.name, Some(Remedy::Execute(row.key)));
        let ExecutorReport { queued, calls, calls_max, .. } = report;
        if report.is_full {
            let text = format!(
                "node '{name}' is busy: {queued} jobs are queued, {calls} of at most {calls_max} \
                 run"
            );
            return Some(reason("busy", text, remedy));
        }
        let at = report.acquires_at?;
        let text = format!("node '{name}' acquires jobs again at {at}");
        Some(reason("acquisition-waits", text, remedy))
    }
}

fn reason(code: &'static str, text: String, remedy: Option<Remedy>) -> Reason {
    Reason { code, text, remedy, on_node: None }
}

/// Where a node is alone, or what is advised changes the store, whoever is asked will do. What is
/// said of no node in particular is said of the one that answers.
fn name_nodes(reasons: &mut [Reason], nodes: &[NodeRow], own: i64) {
    let own = nodes.iter().find(|node| node.session == own);
    for reason in reasons {
        let is_of_one = reason.remedy.as_ref().is_some_and(Remedy::is_of_one_node);
        reason.on_node = match reason.on_node.take() {
            _ if !is_of_one || nodes.len() < 2 => None,
            None => own.map(|node| (*node.name).into()),
            named => named,
        };
    }
}

fn set_aside(aside: &SetAside) -> Reason {
    let SetAside { job, at, error } = aside;
    let text = format!("this node has set it aside at {at}, until it starts anew: {error}");
    reason("set-aside", text, Some(Remedy::Execute(*job)))
}

fn hung(report: &ExecutorReport, row: &JobRow) -> Option<Reason> {
    let hung = report.given_up.iter().rev().find(|hung| hung.job == row.key)?;
    let text = format!(
        "it ran from {} to {}, longer than a job may, and was given up",
        hung.since, hung.at
    );
    Some(reason("hung", text, None))
}

fn no_retries(row: &JobRow) -> Reason {
    let text = match &row.failure {
        Some(failure) => format!("no retries are left; the last failure was: {failure}"),
        None => "no retries are left".to_owned(),
    };
    reason("no-retries", text, Some(Remedy::SetRetries(row.key)))
}

fn not_due(row: &JobRow, now: Timestamp) -> Option<Reason> {
    let due = row.due_at.filter(|due| *due > now && row.state != JobState::Ready)?;
    // No node could run what is for workers.
    let remedy = match row.kind.is_for_workers() {
        true => Remedy::MakeDue(row.key),
        false => Remedy::Execute(row.key),
    };
    Some(reason("not-due", format!("it is due at {due}"), Some(remedy)))
}

fn no_worker(row: &JobRow) -> Reason {
    reason(
        "no-worker",
        format!("it waits for a worker of type '{}' to ask for it", row.job_type),
        Some(Remedy::StartWorker(row.job_type.clone())),
    )
}

/// The breakers of this node that keep it; those of workers go by their type.
fn breakers_open(report: &ExecutorReport, row: &JobRow) -> Vec<Reason> {
    let topic = if row.kind.is_for_workers() { &row.job_type } else { &row.topic };
    let is_it = |breaker: &&BreakerReport| !topic.is_empty() && breaker.topic == *topic;
    let named = report.breakers.iter().filter(is_it).map(|breaker| {
        let until = match breaker.open_until {
            Some(until) => format!("until {until}"),
            None => "until a trial succeeds".to_owned(),
        };
        reason(
            "breaker-open",
            format!("'{topic}' fails too often; this node leaves it alone {until}"),
            Some(Remedy::CloseBreaker(topic.clone())),
        )
    });
    named.collect()
}

/// Whether a worker that asks would get it.
fn is_open(row: &JobRow, now: Timestamp) -> bool {
    match row.state {
        JobState::Ready => true,
        JobState::Waiting => row.due_at.is_none_or(|due| due <= now),
        _ => false,
    }
}

/// What a node takes is a matter of its configuration; what can be done to the job is a command.
fn remedy_of(
    why: NotTaken,
    row: &JobRow,
    node: &NodeProfile,
    deployment: Option<DeploymentKey>,
) -> Remedy {
    match (why, deployment) {
        (NotTaken::Inactive, _) => Remedy::StartExecutor,
        (NotTaken::Definition, Some(deployment)) => Remedy::RegisterDeployment(deployment),
        (NotTaken::Priority, _) => {
            let (low, high) = (*node.priorities.start(), *node.priorities.end());
            Remedy::SetPriority(row.key, row.priority.clamp(low, high))
        }
        (NotTaken::Topic, _) => Remedy::CloseBreaker(row.topic.clone()),
        (NotTaken::DueDate, _) => Remedy::MakeDue(row.key),
        (NotTaken::Definition | NotTaken::Category | NotTaken::Tenant | NotTaken::Cleanup, _) => {
            Remedy::Execute(row.key)
        }
    }
}

fn code_of(why: NotTaken) -> &'static str {
    match why {
        NotTaken::Inactive => "no-executor",
        NotTaken::Definition => "deployment-not-registered",
        NotTaken::Priority => "priority-outside",
        NotTaken::Category => "category-not-enabled",
        NotTaken::Tenant => "other-tenant",
        NotTaken::Topic => "breaker-open",
        NotTaken::Cleanup => "cleanup-elsewhere",
        NotTaken::DueDate => "no-due-date",
    }
}

#[cfg(test)]
mod tests {
    use orloj_types::NodeNumber;

    use super::*;

    #[test]
    fn a_remedy_for_one_node_names_it_where_there_are_several() {
        let node = |name: &str, session| NodeRow {
            node: NodeNumber::default(),
            session,
            name: name.to_owned(),
            beat: 0,
            seen_at: Timestamp::ZERO,
            settings_seen: 0,
            profile: NodeProfile::default(),
        };
        let nodes = [node("a", 1), node("b", 2)];
        let advised = |remedy, on_node: Option<&str>| Reason {
            on_node: on_node.map(Into::into),
            ..reason("code", String::new(), Some(remedy))
        };
        let reasons = || {
            [
                advised(Remedy::RegisterDeployment(DeploymentKey::new(7)), Some("b")),
                advised(Remedy::CloseBreaker("pay".into()), None),
                advised(Remedy::SetPriority(JobKey::new(7), 1), Some("b")),
            ]
        };
        let named = |nodes: &[NodeRow]| {
            let mut reasons = reasons();
            name_nodes(&mut reasons, nodes, 1);
            reasons.map(|reason| reason.on_node.map(|name| name.to_string()))
        };
        assert_eq!(named(&nodes), [Some("b".to_owned()), Some("a".to_owned()), None]);
        assert_eq!(named(&nodes[..1]), [None, None, None]);
    }
}
