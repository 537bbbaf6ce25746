//! Jobs as the store has them. Those of one instance are found by the keys in its record: an index
//! of instances would have to be written with every step.

use orloj_store::{Error, JobFilter, JobRow, Page, Store};
use orloj_types::JobKey;

use crate::codec;

pub(crate) async fn list(
    store: &dyn Store,
    filter: JobFilter,
    page: Page,
) -> Result<Vec<JobRow>, Error> {
    match by_keys(store, filter).await? {
        Some(filter) => store.jobs(filter, page).await,
        None => Ok(Vec::new()),
    }
}

pub(crate) async fn count(store: &dyn Store, filter: JobFilter) -> Result<u64, Error> {
    match by_keys(store, filter).await? {
        Some(filter) => store.count_jobs(filter).await,
        None => Ok(0),
    }
}

/// `None`: there are none.
async fn by_keys(store: &dyn Store, mut filter: JobFilter) -> Result<Option<JobFilter>, Error> {
    let instance = filter.instance.filter(|instance| instance.raw() != 0);
    let (Some(instance), true) = (instance, filter.keys.is_empty()) else {
        return Ok(Some(filter));
    };
    let Some(loaded) = store.load(vec![instance]).await?.pop() else { return Ok(None) };
    let record = codec::decode(&loaded)?;
    let jobs = record.holders().flat_map(|holder| &holder.jobs);
    filter.keys = jobs.map(|job| job.key).collect::<Vec<JobKey>>();
    Ok((!filter.keys.is_empty()).then_some(filter))
}
