//! Batches that clients make.

use orloj::BatchWork;
use orloj::node::Request;
use orloj::node::chores::{BatchConfig, BatchGroup, batch_chore};
use orloj_store::{BatchRow, BatchWrite, Change, ChoreWrite, JobKind};
use orloj_types::{BatchKey, EngineName, JobKey, TenantId};

use super::happening::{Ask, Place};
use super::world::World;

/// Below all keys that nodes give.
const FIRST_KEY: i64 = 1 << 40;
const BATCHES_MAX: i64 = 2;

impl World<'_> {
    /// Some of the instances that live now are deleted, whatever becomes of them meanwhile.
    pub(crate) fn delete_some(&mut self, to: Place) {
        if self.batches_made >= BATCHES_MAX {
            return;
        }
        let roots = self.store.instances.values().filter(|row| row.caller.is_none());
        let elements: Vec<i64> = roots.map(|row| row.key.raw()).take(4).collect();
        if elements.is_empty() {
            return;
        }
        self.batches_made += 1;
        let key = FIRST_KEY + 2 * self.batches_made;
        let config = BatchConfig {
            work: BatchWork::InstanceDeletion { without_listeners: self.random.chance(500) },
            groups: vec![BatchGroup { definition: 0, elements }],
            per_part: 1 + u32::from(self.random.chance(500)),
        };
        let now = self.clock_of(to.node);
        let batch = BatchRow {
            key: BatchKey::new(key),
            engine: EngineName::default(),
            tenant: TenantId::none(),
            kind: config.work.kind().into(),
            total: i64::try_from(config.parts()).unwrap_or(0),
            parts_made: 0,
            config: config.bytes(),
            suspended: false,
            created_at: now,
            started_at: None,
            created_by: None,
        };
        let seed = batch_chore(JobKey::new(key + 1), &batch, JobKind::BatchSeed, 3, 0, now);
        let change = Change {
            batches: [BatchWrite::Insert(batch)].into(),
            chores: [ChoreWrite::Insert(seed)].into(),
            ..Change::default()
        };
        self.marks.hit("batch");
        self.ask(to, Ask::Batch, Request::Write(Box::new(change)));
    }
}
