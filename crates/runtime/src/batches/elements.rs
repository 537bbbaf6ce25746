//! The elements of a batch, named by key or found by a filter, by their definitions.

use std::collections::BTreeMap;

use orloj_store::{BatchFilter, EndedFilter, InstanceFilter, JobFilter, PAGE_ROWS_MAX, Page};
use orloj_types::{BatchKey, DefinitionKey, InstanceKey, JobKey};

use super::{BATCH_ELEMENTS_MAX, BatchElements, Batches};
use crate::api::Error;
use crate::job_rows;
use crate::node::chores::BatchGroup;
use crate::node::store_error;

impl Batches {
    pub(super) async fn groups(&self, elements: BatchElements) -> Result<Vec<BatchGroup>, Error> {
        let found = match elements {
            BatchElements::Instances { keys, filter } => self.instances(keys, filter).await?,
            BatchElements::Ended { keys, filter } => self.ended(keys, filter).await?,
            BatchElements::Jobs { keys, filter } => self.jobs(keys, filter).await?,
            BatchElements::Batches { keys, filter } => self.ended_keys(keys, filter).await?,
        };
        let mut groups: BTreeMap<DefinitionKey, Vec<i64>> = BTreeMap::new();
        for (element, definition) in found {
            groups.entry(definition).or_default().push(element);
        }
        let groups = groups.into_iter();
        let group = |(definition, elements): (DefinitionKey, _)| BatchGroup {
            definition: definition.raw(),
            elements,
        };
        Ok(groups.map(group).collect())
    }

    /// Each with its definition. One that is not there belongs to none: its part says so.
    async fn instances(
        &self,
        keys: Vec<InstanceKey>,
        filter: Option<InstanceFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let mut found: BTreeMap<i64, DefinitionKey> =
            keys.iter().map(|key| (key.raw(), DefinitionKey::new(0))).collect();
        for some in keys.chunks(PAGE_ROWS_MAX as usize) {
            let loaded = store.load(some.to_vec()).await.map_err(|e| store_error(&e))?;
            found.extend(loaded.iter().map(|it| (it.row.key.raw(), it.row.definition)));
        }
        let Some(filter) = filter else { return Ok(found) };
        let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
        loop {
            let rows = store.instances(filter.clone(), page).await.map_err(|e| store_error(&e))?;
            page.before = rows.last().map(|row| row.key.raw());
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            found.extend(rows.into_iter().map(|row| (row.key.raw(), row.definition)));
            if is_last || found.len() > BATCH_ELEMENTS_MAX {
                return Ok(found);
            }
        }
    }

    async fn ended(
        &self,
        keys: Vec<InstanceKey>,
        filter: Option<EndedFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let mut found = BTreeMap::new();
        for key in keys {
            let row = store.ended_instance(key).await.map_err(|e| store_error(&e))?;
            found.insert(key.raw(), row.map_or(DefinitionKey::new(0), |row| row.definition));
        }
        let Some(filter) = filter else { return Ok(found) };
        let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
        loop {
            let rows = store.ended(filter.clone(), page).await.map_err(|e| store_error(&e))?;
            page.before = rows.last().map(|row| row.key.raw());
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            found.extend(rows.into_iter().map(|row| (row.key.raw(), row.definition)));
            if is_last || found.len() > BATCH_ELEMENTS_MAX {
                return Ok(found);
            }
        }
    }

    /// They belong to no definition.
    async fn ended_keys(
        &self,
        keys: Vec<BatchKey>,
        filter: Option<BatchFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let none = DefinitionKey::new(0);
        let mut found: BTreeMap<_, _> = keys.iter().map(|key| (key.raw(), none)).collect();
        let Some(filter) = filter else { return Ok(found) };
        let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
        loop {
            let rows = store.ended_batches(filter.clone(), page).await;
            let rows = rows.map_err(|e| store_error(&e))?;
            page.before = rows.last().map(|row| row.key.raw());
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            found.extend(rows.into_iter().map(|row| (row.key.raw(), none)));
            if is_last || found.len() > BATCH_ELEMENTS_MAX {
                return Ok(found);
            }
        }
    }

    async fn jobs(
        &self,
        keys: Vec<JobKey>,
        filter: Option<JobFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let mut found: BTreeMap<i64, DefinitionKey> =
            keys.iter().map(|key| (key.raw(), DefinitionKey::new(0))).collect();
        let of_keys = keys
            .chunks(PAGE_ROWS_MAX as usize)
            .map(|some| JobFilter { keys: some.to_vec(), ..JobFilter::default() });
        for filter in of_keys.chain(filter) {
            let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
            loop {
                let rows = job_rows::list(&**store, filter.clone(), page).await;
                let rows = rows.map_err(|e| store_error(&e))?;
                page.before = rows.last().map(|row| row.key.raw());
                let is_last = rows.len() < PAGE_ROWS_MAX as usize;
                found.extend(rows.into_iter().map(|row| (row.key.raw(), row.definition)));
                if is_last || found.len() > BATCH_ELEMENTS_MAX {
                    break;
                }
            }
        }
        Ok(found)
    }
}
