//! Why a job is not running.

use orloj_store::{IncidentFilter, JobKind, JobState, Page};
use orloj_types::JobKey;

use crate::api::{Error, Explanation, JobView, Missing, Reason};
use crate::handle::Orloj;
use crate::node::store_error;

impl Orloj {
    pub async fn explain(&self, job: JobKey) -> Result<Explanation, Error> {
        let row = self.inner.store.job(job).await.map_err(|e| store_error(&e))?;
        let row = row.ok_or(Error::Missing(Missing::Job(job.raw())))?;
        let instance = row.instance;
        let job = self.job_view(row).await?;
        // In the order in which to clear them: without retries no incident is resolved.
        let holder = self.exclusive_holder(&job).await?;
        let mut reasons: Vec<Reason> =
            reason_of_state(&job, holder, self.now()).into_iter().collect();
        let filter = IncidentFilter { instance: Some(instance) };
        let page = Page { before: None, limit: 1_000 };
        for incident in self.incidents(filter, page).await? {
            if incident.job == Some(job.key) {
                reasons.push(Reason {
                    code: "incident",
                    text: format!(
                        "incident {} ({}) is open: {}",
                        incident.key, incident.kind, incident.message
                    ),
                    remedy: Some(format!("orloj incident resolve {}", incident.key)),
                });
            }
        }
        Ok(Explanation { job, reasons })
    }

    async fn exclusive_holder(&self, job: &JobView) -> Result<Option<JobKey>, Error> {
        if job.state != JobState::Parked {
            return Ok(None);
        }
        let loaded = self.inner.store.load(vec![job.instance]).await;
        let loaded = loaded.map_err(|e| store_error(&e))?;
        let record = loaded.first().map(crate::codec::decode).transpose();
        Ok(record.map_err(|e| store_error(&e))?.and_then(|record| record.exclusive.holder))
    }
}

fn reason_of_state(
    job: &JobView,
    holder: Option<JobKey>,
    now: orloj_types::Timestamp,
) -> Option<Reason> {
    let reason = |code, text: String, remedy: Option<String>| Some(Reason { code, text, remedy });
    match job.state {
        JobState::Failed => reason(
            "no-retries",
            format!(
                "no retries are left; the last failure was: {}",
                job.failure.as_deref().unwrap_or("unknown")
            ),
            Some(format!("orloj job retries {} 1", job.key)),
        ),
        JobState::ErrorThrown => reason(
            "error-not-caught",
            "its error found no catch event".into(),
            Some("resolve its incident to let a worker try again".into()),
        ),
        JobState::Suspended => reason("suspended", "the job is suspended".into(), None),
        JobState::Waiting => {
            let due = job.due_at.map_or_else(|| "later".to_owned(), |at| at.to_string());
            let is_due = job.due_at.is_some_and(|at| at <= now);
            if is_due {
                reason(
                    "due",
                    format!("it was due at {due} and waits for a node that runs jobs"),
                    Some("start a node with its executor on".into()),
                )
            } else {
                reason("not-due", format!("it is due at {due}"), None)
            }
        }
        JobState::Parked => reason(
            "exclusive",
            format!(
                "it is exclusive and waits for job {} of the same instance",
                holder.map_or_else(|| "another".to_owned(), |key| key.to_string())
            ),
            holder.map(|key| format!("orloj job explain {key}")),
        ),
        JobState::Ready => reason_of_lock(job, now),
    }
}

fn reason_of_lock(job: &JobView, now: orloj_types::Timestamp) -> Option<Reason> {
    let reason = |code, text, remedy: Option<String>| Some(Reason { code, text, remedy });
    match (&job.locked_by, job.locked_until) {
        (Some(worker), Some(until)) if until >= now => {
            reason("locked", format!("worker '{worker}' holds it until {until}"), None)
        }
        (Some(node), None) => {
            reason("running", format!("node '{node}' has it queued or is running it"), None)
        }
        _ if job.kind == JobKind::Worker => reason(
            "no-worker",
            format!("it waits for a worker of type '{}' to ask for it", job.job_type),
            Some(format!("start a worker for type '{}'", job.job_type)),
        ),
        _ => reason(
            "no-executor",
            "it waits for a node that runs jobs".into(),
            Some("start a node with its executor on".into()),
        ),
    }
}
