//! Why a job is not running: every reason, in the order in which things would have to change, each
//! with the command that would clear it.

use orloj_executor::{NotTaken, not_taken_by};
use orloj_store::{
    IncidentFilter, JobDefinitionFilter, JobFilter, JobRow, JobState, LimitRow, NodeRow, Page,
};
use orloj_types::{JobKey, Timestamp};

use crate::api::{Error, Explanation, Missing, Reason};
use crate::handle::Orloj;
use crate::manage::{holders_of, is_of};
use crate::node::store_error;

/// Rows read for one answer; more would tell nothing new.
const LOOK: Page = Page { before: None, limit: 1_000 };
/// Holders of a limit that are named.
const HOLDERS_MAX: usize = 5;

impl Orloj {
    /// Empty reasons: nothing stands in its way, or it runs.
    pub async fn explain(&self, job: JobKey) -> Result<Explanation, Error> {
        let row = self.inner.store.job(job).await.map_err(|e| store_error(&e))?;
        let row = row.ok_or(Error::Missing(Missing::Job(job.raw())))?;
        let nodes = self.inner.store.nodes().await.map_err(|e| store_error(&e))?;
        let now = self.now();
        let mut reasons = Vec::new();
        match row.state {
            JobState::Suspended => reasons.extend(self.why_suspended(&row).await?),
            JobState::Failed => reasons.push(no_retries(&row)),
            JobState::ErrorThrown => reasons.push(reason(
                "error-not-caught",
                "its error found no catch event".into(),
                None,
            )),
            JobState::Parked => reasons.push(self.why_parked(&row).await?),
            JobState::Ready | JobState::Waiting => {}
        }
        if row.state == JobState::Suspended && row.retries_left == 0 {
            reasons.push(no_retries(&row));
        }
        reasons.extend(self.incidents_of(&row).await?);
        if !matches!(row.state, JobState::Failed | JobState::ErrorThrown) {
            reasons.extend(not_due(&row, now));
        }
        if row.is_locked() {
            reasons.extend(self.why_locked(&row, &nodes, now).await?);
        } else if matches!(row.state, JobState::Ready | JobState::Waiting) {
            let is_due = row.due_at.is_none_or(|due| due <= now) || row.state == JobState::Ready;
            reasons.extend(self.why_limited(&row, now).await?);
            if row.kind.is_for_workers() && is_due {
                reasons.push(no_worker(&row));
            } else if !row.kind.is_for_workers() {
                reasons.extend(self.why_untaken(&row, &nodes).await?);
            }
        }
        let job = self.job_view(row).await?;
        Ok(Explanation { job, reasons })
    }

    async fn why_suspended(&self, row: &JobRow) -> Result<Vec<Reason>, Error> {
        let store = &self.inner.store;
        let mut reasons = Vec::new();
        if row.instance.raw() != 0 {
            let loaded = store.load(vec![row.instance]).await.map_err(|e| store_error(&e))?;
            let record = loaded.first().map(crate::codec::decode).transpose();
            if record.map_err(|e| store_error(&e))?.is_some_and(|record| record.is_suspended) {
                let key = row.instance;
                reasons.push(reason(
                    "instance-suspended",
                    format!("its instance {key} is suspended"),
                    Some(format!("orloj instance resume {key}")),
                ));
            }
        }
        if let Some(key) = row.batch {
            let batch = store.batch(key).await.map_err(|e| store_error(&e))?;
            if batch.is_some_and(|batch| batch.suspended) {
                reasons.push(reason(
                    "batch-suspended",
                    format!("its batch {key} is suspended"),
                    Some(format!("orloj batch resume {key}")),
                ));
            }
        }
        if row.definition.raw() != 0 {
            let definition = store.definition(row.definition).await.map_err(|e| store_error(&e))?;
            if definition.is_some_and(|definition| definition.suspended) {
                let key = row.definition;
                reasons.push(reason(
                    "definition-suspended",
                    format!("its definition {key} is suspended"),
                    Some(format!("orloj definition resume {key} --instances")),
                ));
            }
            let filter = JobDefinitionFilter {
                definition: Some(row.definition),
                suspended: Some(true),
                ..JobDefinitionFilter::default()
            };
            let found = store.job_definitions(filter, LOOK).await.map_err(|e| store_error(&e))?;
            for definition in found.iter().filter(|definition| is_of(definition, row)) {
                let key = definition.key;
                reasons.push(reason(
                    "job-definition-suspended",
                    format!("its job definition {key} is suspended"),
                    Some(format!("orloj job-definition resume {key} --jobs")),
                ));
            }
        }
        if reasons.is_empty() {
            reasons.push(reason(
                "suspended",
                "the job is suspended".into(),
                Some(format!("orloj job resume {}", row.key)),
            ));
        }
        Ok(reasons)
    }

    async fn why_parked(&self, row: &JobRow) -> Result<Reason, Error> {
        let loaded = self.inner.store.load(vec![row.instance]).await;
        let loaded = loaded.map_err(|e| store_error(&e))?;
        let record = loaded.first().map(crate::codec::decode).transpose();
        let record = record.map_err(|e| store_error(&e))?;
        let holder = record.and_then(|record| record.exclusive.holder);
        let text = match holder {
            Some(key) => format!("it is exclusive and waits for job {key} of the same instance"),
            None => "it is exclusive and waits for a job of the same hierarchy".to_owned(),
        };
        Ok(reason("exclusive", text, holder.map(|key| format!("orloj job explain {key}"))))
    }

    async fn incidents_of(&self, row: &JobRow) -> Result<Vec<Reason>, Error> {
        let filter = IncidentFilter { job: Some(row.key), ..IncidentFilter::default() };
        let found = self.inner.store.incidents(filter, LOOK).await.map_err(|e| store_error(&e))?;
        let reasons = found.into_iter().map(|incident| {
            reason(
                "incident",
                format!(
                    "incident {} ({}) is open: {}",
                    incident.key, incident.kind, incident.message
                ),
                Some(format!("orloj incident resolve {}", incident.key)),
            )
        });
        Ok(reasons.collect())
    }

    async fn why_locked(
        &self,
        row: &JobRow,
        nodes: &[NodeRow],
        now: Timestamp,
    ) -> Result<Vec<Reason>, Error> {
        let unlock = Some(format!("orloj job unlock {}", row.key));
        if let (Some(worker), Some(until)) = (&row.lock_worker, row.lock_until) {
            let text = match until >= now {
                true => format!("worker '{worker}' holds it until {until}"),
                false => format!("the lock of worker '{worker}' ended at {until} and is cleared"),
            };
            return Ok(vec![reason("locked", text, unlock)]);
        }
        let session = row.lock_session.unwrap_or_default();
        let Some(node) = nodes.iter().find(|node| node.session == session) else {
            let text =
                format!("session {session} held it and is gone; its locks are being cleared");
            return Ok(vec![reason("node-gone", text, None)]);
        };
        let name = &node.name;
        let mut reasons =
            vec![reason("running", format!("node '{name}' has it queued or is running it"), None)];
        let own = self.inner.session.load(std::sync::atomic::Ordering::SeqCst);
        if session == own {
            let report = self.executor().report().await?;
            if let Some(running) = report.running.iter().find(|running| running.job == row.key) {
                reasons[0].text = format!("node '{name}' runs it since {}", running.since);
            }
        }
        Ok(reasons)
    }

    async fn why_limited(&self, row: &JobRow, now: Timestamp) -> Result<Vec<Reason>, Error> {
        let limits = self.inner.store.limits().await.map_err(|e| store_error(&e))?;
        let mut reasons = Vec::new();
        for limit in limits.iter().filter(|limit| limit.matches(row)) {
            if let Some(at) = limit.next_at(now) {
                reasons.push(reason(
                    "rate-reached",
                    format!("the rate of '{}' lets the next job begin at {at}", limit.name),
                    Some(format!("orloj limit delete {} {}", scope(limit), limit.name)),
                ));
            }
            let Some(max) = limit.max_concurrent else { continue };
            let holders = self.holders(limit).await?;
            if holders.len() < usize::try_from(max).unwrap_or(usize::MAX) {
                continue;
            }
            let named: Vec<String> =
                holders.iter().take(HOLDERS_MAX).map(ToString::to_string).collect();
            let text = match named.is_empty() {
                true => format!("the limit of '{}' lets none run", limit.name),
                false => format!(
                    "the limit of '{}' is {max} at once, and {} run: {}",
                    limit.name,
                    holders.len(),
                    named.join(", ")
                ),
            };
            let remedy =
                format!("orloj limit set {} {} --max {}", scope(limit), limit.name, max + 1);
            reasons.push(reason("limit-reached", text, Some(remedy)));
        }
        Ok(reasons)
    }

    /// The locked jobs that count for a limit, as far as one page tells.
    async fn holders(&self, limit: &LimitRow) -> Result<Vec<JobKey>, Error> {
        let locked = JobFilter { is_locked: Some(true), ..JobFilter::default() };
        let filter = holders_of(limit).unwrap_or(locked);
        let rows = self.inner.store.jobs(filter, LOOK).await.map_err(|e| store_error(&e))?;
        Ok(rows.iter().filter(|row| limit.matches(row)).map(|row| row.key).collect())
    }

    /// Why no live node takes it, node by node; nothing if one would.
    async fn why_untaken(&self, row: &JobRow, nodes: &[NodeRow]) -> Result<Vec<Reason>, Error> {
        let mut reasons = Vec::new();
        if nodes.iter().all(|node| !node.profile.is_active) {
            reasons.push(reason(
                "no-executor",
                "the executor is off on all nodes".into(),
                Some("orloj executor start".into()),
            ));
        }
        let deployment = match row.definition.raw() {
            0 => None,
            _ => {
                let found = self.inner.store.definition(row.definition).await;
                found.map_err(|e| store_error(&e))?.map(|definition| definition.deployment)
            }
        };
        let by_node: Vec<(&NodeRow, Vec<NotTaken>)> = nodes
            .iter()
            .filter(|node| node.profile.is_active)
            .map(|node| (node, not_taken_by(&node.profile, row, deployment)))
            .collect();
        if by_node.iter().all(|(_, why)| !why.is_empty()) {
            for (node, why) in by_node {
                for why in why {
                    let text = format!("node '{}' does not take it: {}", node.name, why.words());
                    let remedy = match (why, deployment) {
                        (NotTaken::Definition, Some(deployment)) => {
                            Some(format!("orloj deployment register {deployment}"))
                        }
                        (NotTaken::Priority, _) => {
                            let range = &node.profile.priorities;
                            let near = row.priority.clamp(*range.start(), *range.end());
                            Some(format!("orloj job priority {} {near}", row.key))
                        }
                        _ => None,
                    };
                    reasons.push(reason(code_of(why), text, remedy));
                }
            }
        }
        let options = &self.inner.settings.executor;
        if row.state == JobState::Waiting && !options.take_timers {
            let text = "this node does not look for timers".to_owned();
            reasons.push(reason("timers-off", text, None));
        }
        if row.state == JobState::Ready && !options.take_async {
            let text = "this node does not acquire jobs".to_owned();
            reasons.push(reason("acquisition-off", text, None));
        }
        let report = self.executor().report().await?;
        let is_it = |topic: &str| !topic.is_empty() && topic == &*row.topic;
        for breaker in report.breakers.iter().filter(|breaker| is_it(&breaker.topic)) {
            let until = match breaker.open_until {
                Some(until) => format!("until {until}"),
                None => "until a trial succeeds".to_owned(),
            };
            reasons.push(reason(
                "breaker-open",
                format!("'{}' fails too often; this node leaves it alone {until}", row.topic),
                Some(format!("orloj executor close-breaker {}", row.topic)),
            ));
        }
        if let Some(hung) = report.given_up.iter().rev().find(|hung| hung.job == row.key) {
            reasons.push(reason(
                "hung",
                format!(
                    "it ran from {} to {}, longer than a job may, and was given up",
                    hung.since, hung.at
                ),
                None,
            ));
        }
        Ok(reasons)
    }
}

fn reason(code: &'static str, text: String, remedy: Option<String>) -> Reason {
    Reason { code, text, remedy }
}

fn no_retries(row: &JobRow) -> Reason {
    let failure = row.failure.as_deref().unwrap_or("unknown");
    reason(
        "no-retries",
        format!("no retries are left; the last failure was: {failure}"),
        Some(format!("orloj job retries {} 1", row.key)),
    )
}

fn not_due(row: &JobRow, now: Timestamp) -> Option<Reason> {
    let due = row.due_at.filter(|due| *due > now && row.state != JobState::Ready)?;
    let remedy = Some(format!("orloj job execute {}", row.key));
    Some(reason("not-due", format!("it is due at {due}"), remedy))
}

fn no_worker(row: &JobRow) -> Reason {
    reason(
        "no-worker",
        format!("it waits for a worker of type '{}' to ask for it", row.job_type),
        Some(format!("start a worker for type '{}'", row.job_type)),
    )
}

fn scope(limit: &LimitRow) -> &'static str {
    match limit.scope {
        orloj_store::LimitScope::Topic => "topic",
        orloj_store::LimitScope::Tenant => "tenant",
        orloj_store::LimitScope::Key => "key",
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
    }
}
