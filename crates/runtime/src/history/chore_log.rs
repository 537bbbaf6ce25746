//! What happened to jobs of no instance, as the log of chores tells it.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::JobDefinition;
use orloj_settings::{HistoryLevel, Settings};
use orloj_store::{
    BatchFilter, ChoreEvent, ChoreLogFilter, ChoreLogRow, JobKind, PAGE_ROWS_MAX, Page,
};
use orloj_types::{BatchKey, ElementInstanceKey, IncidentKey, InstanceKey, JobKey};

use super::handle::Found;
use super::incidents::{IncidentHistory, IncidentState};
use super::job_log::{JobLogEntry, JobLogFilter, JobLogState};
use crate::api::Error;
use crate::handle::Orloj;
use crate::node::store_error;

/// Only the highest level of history keeps it, as it does the jobs of instances.
pub(crate) fn is_chore_logged(settings: &Settings) -> bool {
    settings.history.level == HistoryLevel::Full
}

/// Rows looked at for one answer; what fits few of them is found among these.
const SCANNED_ROWS_MAX: usize = 10_000;

/// Newest first.
pub(super) async fn job_log(
    engine: &Orloj,
    filter: &JobLogFilter,
    limit: usize,
) -> Result<Found<JobLogEntry>, Error> {
    let wanted = |state: &JobLogState| match state {
        JobLogState::Created => Some(ChoreEvent::Created),
        JobLogState::Failed => Some(ChoreEvent::Failed),
        JobLogState::Successful => Some(ChoreEvent::Successful),
        JobLogState::Deleted => Some(ChoreEvent::Deleted),
        // Nothing in a chore throws.
        JobLogState::Threw => None,
    };
    let all =
        [JobLogState::Created, JobLogState::Failed, JobLogState::Successful, JobLogState::Deleted];
    let states = if filter.states.is_empty() { &all[..] } else { &filter.states[..] };
    let events: Vec<ChoreEvent> = states.iter().filter_map(wanted).collect();
    if events.is_empty() {
        return Ok(Found { rows: Vec::new(), is_partial: false });
    }
    let asked = ChoreLogFilter {
        job: filter.job,
        events,
        definition: filter.definition,
        message: filter.message.clone(),
        ..ChoreLogFilter::default()
    };
    let mut batches = BTreeMap::new();
    let mut found = Found { rows: Vec::new(), is_partial: false };
    let (mut before, mut scanned) = (None, 0);
    let mut page_rows = u32::try_from(limit).unwrap_or(u32::MAX).clamp(1, PAGE_ROWS_MAX);
    loop {
        let page = Page { before, limit: page_rows };
        let rows = engine.inner.store.chore_log(asked.clone(), page).await;
        let rows = rows.map_err(|e| store_error(&e))?;
        let is_last = rows.len() < page_rows as usize;
        // Few of them match, so many are needed.
        page_rows = PAGE_ROWS_MAX;
        before = rows.last().map(|row| row.number);
        scanned += rows.len();
        for row in rows {
            let entry = entry(engine, row, &mut batches).await?;
            if filter.matches(&entry) {
                found.rows.push(entry);
            }
        }
        found.is_partial = !is_last && found.rows.len() < limit;
        if is_last || found.rows.len() >= limit || scanned >= SCANNED_ROWS_MAX {
            found.rows.truncate(limit);
            return Ok(found);
        }
    }
}

async fn entry(
    engine: &Orloj,
    row: ChoreLogRow,
    batches: &mut BTreeMap<BatchKey, Option<Arc<str>>>,
) -> Result<JobLogEntry, Error> {
    let kind = match row.batch.filter(|_| row.kind == JobKind::BatchPart) {
        None => word(row.kind).map(Arc::from),
        Some(batch) => batch_kind(engine, batch, batches).await?,
    };
    let configuration = configuration(engine, &row).await?;
    Ok(JobLogEntry {
        job: row.job,
        instance: InstanceKey::new(0),
        definition: row.definition,
        process_id: engine.process_id(row.definition).await?,
        tenant: row.tenant,
        element: row.element,
        element_instance: ElementInstanceKey::new(0),
        sequence: row.number,
        at: row.at,
        state: match row.event {
            ChoreEvent::Created => JobLogState::Created,
            ChoreEvent::Failed => JobLogState::Failed,
            ChoreEvent::Successful => JobLogState::Successful,
            _ => JobLogState::Deleted,
        },
        retries: row.retries.into(),
        priority: row.priority,
        due_at: row.due_at,
        job_type: "".into(),
        definition_type: kind,
        definition_configuration: configuration,
        message: row.message,
        failed_element: row.failed_element,
        details: row.details,
        run_by: row.run_by,
    })
}

/// Newest first. Of one whose beginning is dropped by age nothing is told.
pub(super) async fn incidents(
    engine: &Orloj,
    job: Option<JobKey>,
    limit: usize,
) -> Result<Vec<IncidentHistory>, Error> {
    let events =
        vec![ChoreEvent::IncidentOpened, ChoreEvent::IncidentResolved, ChoreEvent::IncidentDeleted];
    let filter = ChoreLogFilter { job, events, ..ChoreLogFilter::default() };
    // Each has two rows at most.
    let rows = read(engine, filter, limit.saturating_mul(2)).await?;
    let mut incidents: Vec<IncidentHistory> = Vec::new();
    let mut open: BTreeMap<JobKey, usize> = BTreeMap::new();
    for row in rows.into_iter().rev() {
        match (row.event, open.get(&row.job)) {
            (ChoreEvent::IncidentOpened, None) => {
                open.insert(row.job, incidents.len());
                incidents.push(opened(row));
            }
            (ChoreEvent::IncidentResolved | ChoreEvent::IncidentDeleted, Some(place)) => {
                let incident = &mut incidents[*place];
                incident.closed_at = Some(row.at);
                incident.state = match row.event {
                    ChoreEvent::IncidentResolved => IncidentState::Resolved,
                    _ => IncidentState::Deleted,
                };
                open.remove(&row.job);
            }
            _ => {}
        }
    }
    incidents.reverse();
    incidents.truncate(limit);
    Ok(incidents)
}

fn opened(row: ChoreLogRow) -> IncidentHistory {
    let key = IncidentKey::new(row.job.raw());
    IncidentHistory {
        key,
        instance: InstanceKey::new(0),
        kind: row.incident.unwrap_or_default(),
        message: row.message.unwrap_or_default(),
        element: row.element,
        element_instance: ElementInstanceKey::new(0),
        job: Some(row.job),
        cause: key,
        root_cause: key,
        opened_at: row.at,
        closed_at: None,
        state: IncidentState::Open,
    }
}

async fn read(
    engine: &Orloj,
    filter: ChoreLogFilter,
    limit: usize,
) -> Result<Vec<ChoreLogRow>, Error> {
    let mut rows: Vec<ChoreLogRow> = Vec::new();
    while rows.len() < limit {
        let most = u32::try_from(limit - rows.len()).unwrap_or(u32::MAX).min(PAGE_ROWS_MAX);
        let page = Page { before: rows.last().map(|row| row.number), limit: most };
        let found = engine.inner.store.chore_log(filter.clone(), page).await;
        let found = found.map_err(|e| store_error(&e))?;
        let is_last = found.len() < most as usize;
        rows.extend(found);
        if is_last {
            break;
        }
    }
    Ok(rows)
}

/// What the batch of a part does; `None`: nothing is known of it any more.
async fn batch_kind(
    engine: &Orloj,
    key: BatchKey,
    known: &mut BTreeMap<BatchKey, Option<Arc<str>>>,
) -> Result<Option<Arc<str>>, Error> {
    if let Some(kind) = known.get(&key) {
        return Ok(kind.clone());
    }
    let store = &engine.inner.store;
    let live = store.batch(key).await.map_err(|e| store_error(&e))?;
    let kind = match live {
        Some(row) => Some(row.kind),
        None => {
            let page = Page { before: Some(key.raw().saturating_add(1)), limit: 1 };
            let ended = store.ended_batches(BatchFilter::default(), page).await;
            let ended = ended.map_err(|e| store_error(&e))?;
            ended.into_iter().find(|row| row.key == key).map(|row| row.kind)
        }
    };
    known.insert(key, kind.clone());
    Ok(kind)
}

/// As the job's definition has it.
async fn configuration(engine: &Orloj, row: &ChoreLogRow) -> Result<Option<Arc<str>>, Error> {
    if row.kind != JobKind::StartTimer {
        return Ok(row.batch.map(|batch| batch.to_string().into()));
    }
    let definition = engine.inner.definitions.get(row.definition).await?;
    let process = &definition.process;
    let element = process.find(&row.element).map(|index| process.element(index));
    Ok(element.and_then(JobDefinition::timer).map(|timer| timer.configuration))
}

/// As Camunda calls the handlers of such jobs.
const fn word(kind: JobKind) -> Option<&'static str> {
    Some(match kind {
        JobKind::StartTimer => "timer-start-event",
        JobKind::SuspendDefinition => "suspend-processdefinition",
        JobKind::ActivateDefinition => "activate-processdefinition",
        JobKind::SuspendJobDefinition => "suspend-job-definition",
        JobKind::ActivateJobDefinition => "activate-job-definition",
        JobKind::BatchSeed => "batch-seed-job",
        JobKind::BatchMonitor => "batch-monitor-job",
        JobKind::HistoryCleanup => "history-cleanup",
        _ => return None,
    })
}
