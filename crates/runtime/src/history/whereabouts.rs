//! Where the history of a job is, of which only the key is known.
//!
//! A job that there is names its instance, and the log of chores can be asked by job. Of a job that
//! is gone only the history of its instance tells, which nothing but the instance's key leads to
//! (docs/adr/0004). So the instances that it can be of are looked through, newest first. The job's
//! key says which they are: they began before it, and had not ended when it was made. However many
//! began later, none of them is looked at.

use orloj_store::format::EventKind;
use orloj_store::{ChoreLogFilter, PAGE_ROWS_MAX, Page};
use orloj_types::{InstanceKey, JobKey};

use super::instances::{self, HistoryFilter};
use super::reading::Told;
use crate::api::Error;
use crate::handle::Orloj;
use crate::node::store_error;

/// By how much the clocks of nodes may differ: an instance of one may have a key above that of a
/// job which another makes for it.
const CLOCKS_DIFFER_MS: i64 = 60_000;
/// Histories that are read for one question: some seconds at most.
const HISTORIES_MAX: usize = 5_000;
/// Lists of instances that are read for one question, each of ten thousand at most.
const LISTS_MAX: usize = 100;

/// Where a job is told of.
pub(super) enum Whereabouts {
    /// In the log of jobs of no instance.
    Chores,
    Instance(Box<Told>),
    /// Nowhere; `is_partial`: there are more instances than are looked through.
    Unknown {
        is_partial: bool,
    },
}

pub(super) async fn of_job(engine: &Orloj, job: JobKey) -> Result<Whereabouts, Error> {
    let store = &engine.inner.store;
    if let Some(row) = store.job(job).await.map_err(|e| store_error(&e))? {
        return match row.instance {
            instance if instance.raw() == 0 => Ok(Whereabouts::Chores),
            instance => Ok(match told(engine, instance).await? {
                Some(told) => Whereabouts::Instance(Box::new(told)),
                None => Whereabouts::Unknown { is_partial: false },
            }),
        };
    }
    let of_job = ChoreLogFilter { job: Some(job), ..ChoreLogFilter::default() };
    let chore = store.chore_log(of_job, Page { before: None, limit: 1 }).await;
    if !chore.map_err(|e| store_error(&e))?.is_empty() {
        return Ok(Whereabouts::Chores);
    }
    look_through(engine, job).await
}

/// Those that had ended before come last: a key may be ahead of the clock, so they are possible.
async fn look_through(engine: &Orloj, job: JobKey) -> Result<Whereabouts, Error> {
    let made_at = job.made_at().plus_ms(-CLOCKS_DIFFER_MS);
    let lived = HistoryFilter { not_ended_before: Some(made_at), ..HistoryFilter::default() };
    let ended = HistoryFilter { ended_before: Some(made_at), ..HistoryFilter::default() };
    let (mut histories, mut lists) = (0, 0);
    for filter in [lived, ended] {
        let mut before = Some(job.later_by_ms(CLOCKS_DIFFER_MS));
        while before.is_some() {
            if lists == LISTS_MAX {
                return Ok(Whereabouts::Unknown { is_partial: true });
            }
            lists += 1;
            let page = Page { before, limit: PAGE_ROWS_MAX };
            let listed = instances::list(engine, &filter, page).await?;
            for view in &listed.rows {
                if histories == HISTORIES_MAX {
                    return Ok(Whereabouts::Unknown { is_partial: true });
                }
                histories += 1;
                if let Some(told) = told(engine, view.key).await?.filter(|told| knows(told, job)) {
                    return Ok(Whereabouts::Instance(Box::new(told)));
                }
            }
            before = listed.next;
        }
    }
    Ok(Whereabouts::Unknown { is_partial: false })
}

/// By its beginning, or by an incident where history began later.
fn knows(told: &Told, job: JobKey) -> bool {
    told.events.iter().any(|event| {
        let of = match EventKind::from_number(event.kind) {
            Some(EventKind::JobCreated) => event.key,
            Some(EventKind::IncidentOpened) => event.job,
            _ => 0,
        };
        of != 0 && told.origin.key(of) == job.raw()
    })
}

/// `None`: it has been removed meanwhile.
pub(super) async fn told(engine: &Orloj, instance: InstanceKey) -> Result<Option<Told>, Error> {
    match Told::read(engine, instance).await {
        Ok(told) => Ok(Some(told)),
        Err(Error::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
