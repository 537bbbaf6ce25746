//! Live and ended instances as one list.

use std::sync::Arc;

use orloj_store::{EndedFilter, EndedRow, InstanceFilter, InstanceRow, PAGE_ROWS_MAX, Page};
use orloj_types::{DefinitionKey, ProcessId, TenantId, Timestamp};

use super::removal::NOT_KEPT;
use crate::api::{Error, InstanceState, InstanceView};
use crate::handle::Orloj;
use crate::node::store_error;

/// Rows looked at for one page; a filter that fits few of them needs several calls.
const SCANNED_ROWS_MAX: usize = 10_000;

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    pub definition: Option<DefinitionKey>,
    /// Of any version.
    pub process_id: Option<ProcessId>,
    pub business_key: Option<Arc<str>>,
    pub tenant: Option<TenantId>,
    pub state: Option<InstanceState>,
    /// From this moment on.
    pub started_from: Option<Timestamp>,
    /// Before this moment.
    pub started_before: Option<Timestamp>,
    pub ended_from: Option<Timestamp>,
    pub ended_before: Option<Timestamp>,
    /// Those that had not ended before this moment: live ones, and those that ended from then on.
    pub not_ended_before: Option<Timestamp>,
}

/// A page, and where the next one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    pub rows: Vec<T>,
    /// For [`Page::before`]; `None`: this was the last page.
    pub next: Option<i64>,
}

pub(super) async fn list(
    orloj: &Orloj,
    filter: &HistoryFilter,
    page: Page,
) -> Result<Listed<InstanceView>, Error> {
    let limit = page.limit.clamp(1, PAGE_ROWS_MAX);
    let mut before = page.before;
    let mut rows = Vec::new();
    let mut scanned = 0;
    loop {
        let chunk = chunk(orloj, filter, Page { before, limit }).await?;
        let Some(last) = chunk.last() else { return Ok(Listed { rows, next: None }) };
        before = Some(last.key.raw());
        scanned += chunk.len();
        for view in chunk {
            if fits(filter, &view) {
                let key = view.key.raw();
                rows.push(view);
                if rows.len() == limit as usize {
                    return Ok(Listed { rows, next: Some(key) });
                }
            }
        }
        if scanned >= SCANNED_ROWS_MAX {
            return Ok(Listed { rows, next: before });
        }
    }
}

/// The next instances of both kinds, by key. Live ones are read first: an instance that ends in
/// between is seen twice and told once, as ended.
async fn chunk(
    orloj: &Orloj,
    filter: &HistoryFilter,
    page: Page,
) -> Result<Vec<InstanceView>, Error> {
    let store = &orloj.inner.store;
    let live: Vec<InstanceRow> = match filter.state {
        None | Some(InstanceState::Active) if !asks_for_end(filter) => {
            let asked = InstanceFilter {
                definition: filter.definition,
                process_id: filter.process_id.clone(),
                tenant: filter.tenant.clone(),
                business_key: filter.business_key.clone(),
                has_incidents: None,
            };
            store.instances(asked, page).await.map_err(|e| store_error(&e))?
        }
        _ => Vec::new(),
    };
    let ended: Vec<EndedRow> = match filter.state {
        Some(InstanceState::Active) => Vec::new(),
        state => {
            let asked = EndedFilter {
                definition: filter.definition,
                process_id: filter.process_id.clone(),
                tenant: filter.tenant.clone(),
                business_key: filter.business_key.clone(),
                completed: state.map(|state| state == InstanceState::Completed),
                ended_before: filter.ended_before,
                // Strictly after.
                ended_after: filter.ended_from.map(|from| from.plus_ms(-1)),
            };
            store.ended(asked, page).await.map_err(|e| store_error(&e))?
        }
    };
    // Whoever has fewer rows than asked for has no more; below the last row of the other nothing
    // is known of one that has.
    let limit = page.limit as usize;
    let floor = [
        (live.len() >= limit).then(|| live.last().map(|row| row.key)).flatten(),
        (ended.len() >= limit).then(|| ended.last().map(|row| row.key)).flatten(),
    ];
    let floor = floor.into_iter().flatten().max();
    let mut views = Vec::with_capacity(live.len() + ended.len());
    // What history does not keep is only there for those who wait for it.
    let told = ended.iter().filter(|row| row.removal_at != Some(NOT_KEPT));
    for row in told.filter(|row| floor.is_none_or(|floor| row.key >= floor)) {
        views.push(orloj.ended_view(row).await?);
    }
    for row in live.iter().filter(|row| floor.is_none_or(|floor| row.key >= floor)) {
        views.push(orloj.live_view(row).await?);
    }
    // The sort is stable, so the ended one stays first.
    views.sort_by_key(|view| std::cmp::Reverse(view.key));
    views.dedup_by_key(|view| view.key);
    Ok(views)
}

fn asks_for_end(filter: &HistoryFilter) -> bool {
    filter.ended_from.is_some() || filter.ended_before.is_some()
}

/// What the store was not asked.
fn fits(filter: &HistoryFilter, view: &InstanceView) -> bool {
    filter.started_from.is_none_or(|from| view.started_at >= from)
        && filter.started_before.is_none_or(|before| view.started_at < before)
        && match (filter.not_ended_before, view.ended_at) {
            (Some(moment), Some(ended_at)) => ended_at >= moment,
            _ => true,
        }
}
