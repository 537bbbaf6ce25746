//! Jobs as the store has them. Those of one instance are found by the keys in its record: an index
//! of instances would have to be written with every step.

use orloj_store::{Error, JobFilter, JobOrder, JobRow, PAGE_ROWS_MAX, Page, Store};
use orloj_types::JobKey;

use crate::codec;

pub(crate) async fn list(
    store: &dyn Store,
    mut filter: JobFilter,
    page: Page,
) -> Result<Vec<JobRow>, Error> {
    let Some(mut keys) = keys_of_instance(store, &filter).await? else {
        return store.jobs(filter, page).await;
    };
    if filter.order == JobOrder::NewestFirst
        && let Some(before) = page.before
    {
        keys.retain(|key| key.raw() < before);
    }
    // The others of a large instance are not even asked for, unless one of these is gone by now.
    let most = page.limit.min(PAGE_ROWS_MAX);
    let some = filter.offset.saturating_add(most) as usize;
    if wants_all(&filter) && some < keys.len() {
        let first = JobFilter { keys: keys[..some].to_vec(), ..filter.clone() };
        let rows = store.jobs(first, page).await?;
        if rows.len() == most as usize {
            return Ok(rows);
        }
    }
    filter.keys = keys;
    match filter.keys.is_empty() {
        true => Ok(Vec::new()),
        false => store.jobs(filter, page).await,
    }
}

pub(crate) async fn count(store: &dyn Store, mut filter: JobFilter) -> Result<u64, Error> {
    let Some(keys) = keys_of_instance(store, &filter).await? else {
        return store.count_jobs(filter).await;
    };
    filter.keys = keys;
    match filter.keys.is_empty() {
        true => Ok(0),
        false => store.count_jobs(filter).await,
    }
}

/// The newest first. `None`: the filter is not about one instance, or names its jobs itself.
async fn keys_of_instance(
    store: &dyn Store,
    filter: &JobFilter,
) -> Result<Option<Vec<JobKey>>, Error> {
    let instance = filter.instance.filter(|instance| instance.raw() != 0);
    let (Some(instance), true) = (instance, filter.keys.is_empty()) else {
        return Ok(None);
    };
    match store.load(vec![instance]).await?.pop() {
        Some(loaded) => codec::job_keys(&loaded).map(Some),
        None => Ok(Some(Vec::new())),
    }
}

/// Whether the first jobs of an instance are those of its first page.
fn wants_all(filter: &JobFilter) -> bool {
    let (instance, offset) = (filter.instance, filter.offset);
    *filter == JobFilter { instance, offset, ..JobFilter::default() }
}
