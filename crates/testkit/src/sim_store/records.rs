//! Batches, operations and meters as they are read, and the removal of what is old.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use orloj_store::{
    BatchFilter, BatchRow, ChoreLogFilter, ChoreLogRow, EndedBatchRow, Error, MeterQuery, MeterRow,
    MeterSum, OperationFilter, OperationRow, PAGE_ROWS_MAX, PRUNE_ROWS_MAX, Page, Prune,
    PruneQuery, Pruned, minute_of,
};
use orloj_types::{BatchKey, InstanceKey, OperationKey, TenantId, Timestamp};

use super::Core;
use super::queries::newest_first;

impl Core {
    pub fn list_batches(&self, filter: &BatchFilter, page: Page) -> Vec<BatchRow> {
        newest_first(&self.batches, page, BatchKey::raw, |row| {
            self.is_ours(&row.engine)
                && is_batch(filter, &row.kind, &row.tenant)
                && filter.suspended.is_none_or(|suspended| row.suspended == suspended)
        })
    }

    pub fn list_ended_batches(&self, filter: &BatchFilter, page: Page) -> Vec<EndedBatchRow> {
        newest_first(&self.ended_batches, page, BatchKey::raw, |row| {
            self.is_ours(&row.engine) && is_batch(filter, &row.kind, &row.tenant)
        })
    }

    pub fn list_operations(&self, filter: &OperationFilter, page: Page) -> Vec<OperationRow> {
        newest_first(&self.operations, page, OperationKey::raw, |row| {
            self.is_ours(&row.engine) && filter.matches(row)
        })
    }

    pub fn list_chore_log(&self, filter: &ChoreLogFilter, page: Page) -> Vec<ChoreLogRow> {
        newest_first(
            &self.chore_log,
            page,
            |number| number,
            |row| self.is_ours(&row.engine) && filter.matches(row),
        )
    }

    pub fn add_meters(&mut self, meters: Vec<MeterRow>) -> Result<(), Error> {
        self.open()?;
        for row in meters {
            let place = (row.name.clone(), row.at, row.reporter.clone());
            match self.meters.get_mut(&place) {
                Some(known) => known.value += row.value,
                None => drop(self.meters.insert(place, row)),
            }
        }
        Ok(())
    }

    pub fn sum_meters(&self, query: &MeterQuery) -> Vec<MeterSum> {
        let is_wanted = |row: &&MeterRow| {
            self.is_ours(&row.engine)
                && query.name.as_ref().is_none_or(|name| row.name == *name)
                && query.reporter.as_ref().is_none_or(|reporter| row.reporter == *reporter)
                && query.from.is_none_or(|from| row.at >= from)
                && query.until.is_none_or(|until| row.at < until)
        };
        type Place = (std::cmp::Reverse<i64>, Arc<str>, Option<Arc<str>>);
        let mut sums: BTreeMap<Place, i64> = BTreeMap::new();
        for row in self.meters.values().filter(is_wanted) {
            let start = query.interval_ms.map_or(0, |ms| {
                let ms = ms.max(1);
                row.at.as_ms() - row.at.as_ms().rem_euclid(ms)
            });
            let reporter = query.by_reporter.then(|| row.reporter.clone());
            *sums.entry((std::cmp::Reverse(start), row.name.clone(), reporter)).or_default() +=
                row.value;
        }
        let sums = sums.into_iter().map(|((start, name, reporter), value)| MeterSum {
            at: Timestamp::from_ms(start.0),
            name,
            reporter,
            value,
        });
        sums.take(query.limit.min(PAGE_ROWS_MAX) as usize).collect()
    }

    pub fn prune(&mut self, query: &PruneQuery) -> Result<Pruned, Error> {
        self.open()?;
        let limit = query.limit.min(PRUNE_ROWS_MAX) as usize;
        let is_in = |at: Timestamp, minutes: &RangeInclusive<u8>| minutes.contains(&minute_of(at));
        let engine = self.engine.clone();
        let ended = self.ended.values().filter(|row| row.engine == engine);
        Ok(match &query.what {
            Prune::Removable { until, minutes } => {
                let removable = ended.filter_map(|row| Some((row.removal_at?, row.key)));
                let mut keys: Vec<_> =
                    removable.filter(|(at, _)| at <= until && is_in(*at, minutes)).collect();
                keys.sort_unstable();
                keys.truncate(limit);
                self.remove_ended(keys.into_iter().map(|(_, key)| key).collect())
            }
            Prune::Ended { before, own, minutes } => {
                let before = |definition| {
                    let own = own.iter().find(|(key, _)| *key == definition);
                    own.map_or(*before, |(_, own)| *own)
                };
                let old = ended.filter(|row| {
                    before(row.definition).is_some_and(|before| row.ended_at < before)
                        && is_in(row.ended_at, minutes)
                });
                let mut keys: Vec<_> = old.map(|row| (row.ended_at, row.key)).collect();
                keys.sort_unstable();
                keys.truncate(limit);
                self.remove_ended(keys.into_iter().map(|(_, key)| key).collect())
            }
            Prune::Instances(instances) => {
                let found = ended.filter(|row| instances.contains(&row.key));
                let keys = found.map(|row| row.key).take(limit).collect();
                self.remove_ended(keys)
            }
            Prune::BatchKeys(keys) => {
                let keys = &keys[..keys.len().min(limit)];
                retain(&mut self.ended_batches, limit, |row| {
                    row.engine != engine || !keys.contains(&row.key)
                })
            }
            Prune::Batches { until } => retain(&mut self.ended_batches, limit, |row| {
                row.engine != engine || row.removal_at.is_none_or(|at| at > *until)
            }),
            Prune::BatchesEnded { before, kinds } => {
                retain(&mut self.ended_batches, limit, |row| {
                    row.engine != engine || row.ended_at >= *before || !kinds.has(&row.kind)
                })
            }
            Prune::Operations { before } => {
                retain(&mut self.operations, limit, |row| row.engine != engine || row.at >= *before)
            }
            Prune::ChoreLog { before } => {
                retain(&mut self.chore_log, limit, |row| row.engine != engine || row.at >= *before)
            }
            Prune::BatchLog(batch) => retain(&mut self.chore_log, limit, |row| {
                row.engine != engine || row.batch != Some(*batch)
            }),
            Prune::Meters { before } => {
                retain(&mut self.meters, limit, |row| row.engine != engine || row.at >= *before)
            }
        })
    }

    pub fn set_removal(
        &mut self,
        instances: &[InstanceKey],
        at: Option<Timestamp>,
    ) -> Result<u32, Error> {
        self.open()?;
        let mut count = 0;
        for row in self.ended.values_mut().filter(|row| instances.contains(&row.key)) {
            row.removal_at = at;
            count += 1;
        }
        Ok(count)
    }

    pub fn set_batch_removal(
        &mut self,
        batches: &[BatchKey],
        at: Option<Timestamp>,
    ) -> Result<u32, Error> {
        self.open()?;
        let mut count = 0;
        for row in self.ended_batches.values_mut().filter(|row| batches.contains(&row.key)) {
            row.removal_at = at;
            count += 1;
        }
        Ok(count)
    }

    fn remove_ended(&mut self, keys: Vec<InstanceKey>) -> Pruned {
        for key in &keys {
            self.ended.remove(key);
        }
        self.history.retain(|(instance, _), _| !keys.contains(instance));
        Pruned { rows: keys.len() as u32 }
    }
}

fn is_batch(filter: &BatchFilter, kind: &Arc<str>, tenant: &TenantId) -> bool {
    filter.kind.as_ref().is_none_or(|wanted| wanted == kind)
        && filter.tenant.as_ref().is_none_or(|wanted| wanted == tenant)
}

/// Removes at most `limit` of those that are not kept.
fn retain<K: Ord, R>(
    rows: &mut BTreeMap<K, R>,
    limit: usize,
    is_kept: impl Fn(&R) -> bool,
) -> Pruned {
    let mut removed = 0;
    rows.retain(|_, row| {
        let stays = is_kept(row) || removed >= limit;
        removed += usize::from(!stays);
        stays
    });
    Pruned { rows: removed as u32 }
}
