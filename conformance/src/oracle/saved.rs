//! Records that go through a store between every two steps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use orloj::store::{
    Change, Claim, Group, InstanceRow, InstanceWrite, Lease, RecordPageWrite, Store, VariableWrite,
};
use orloj::types::{EngineName, InstanceKey, Timestamp};
use orloj::{decode_record, encode_record, large_variables, page_writes};
use orloj_interpreter::Record;
use orloj_rehearsal::Keeper;
use tokio::runtime::Runtime;

/// The moment all rows are written at; nothing depends on it.
const NOW: Timestamp = Timestamp::from_ms(1_893_456_000_000);

pub struct Saved {
    store: Arc<dyn Store>,
    engine: EngineName,
    lease: Lease,
    runtime: Runtime,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Groups of the lane so far.
    groups: i64,
    /// Runs begin with the same keys each, so every record is written under one of its own.
    next: i64,
    kept: BTreeMap<InstanceKey, i32>,
}

impl Saved {
    /// `place` is `sqlite`, or the address of a PostgreSQL.
    pub fn open(place: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let engine = EngineName::from("conformance");
        let store: Arc<dyn Store> = match place {
            "sqlite" => {
                let options = orloj_store_sqlite::Options::memory(engine.clone());
                Arc::new(orloj_store_sqlite::SqliteStore::open(&options)?)
            }
            url => {
                let options = orloj_store_postgres::Options::new(url, engine.clone());
                Arc::new(runtime.block_on(orloj_store_postgres::PostgresStore::connect(options))?)
            }
        };
        let claim = Claim {
            name: "conformance".into(),
            engine: engine.clone(),
            lanes: 1,
            now: NOW,
            profile: orloj::store::NodeProfile::default(),
        };
        let lease = runtime.block_on(store.join(claim))?;
        Ok(Self { store, engine, lease, runtime, state: Mutex::default() })
    }

    /// The record as it comes back.
    fn through(&self, record: &Record) -> Result<Record> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        state.groups += 1;
        let key = record.instance;
        let rev = i32::try_from(state.next)?;
        let expected_rev = state.kept.insert(key, rev);
        let mut change = Change::default();
        if let Some(expected_rev) = expected_rev {
            // What was there belongs to an earlier step, or to another run.
            change.instances.push(InstanceWrite::Delete { key, expected_rev });
            change.variables.push(VariableWrite::DeleteAll { instance: key });
            change.pages.push(RecordPageWrite::DeleteAll { instance: key });
            self.commit(state.groups, change)?;
            state.groups += 1;
            change = Change::default();
        }
        change.instances.push(InstanceWrite::Insert(InstanceRow {
            key,
            rev,
            engine: self.engine.clone(),
            tenant: record.tenant.clone(),
            definition: record.definition,
            business_key: record.business_key.clone(),
            caller: record.caller.map(|caller| caller.instance),
            root: record.caller.map(|caller| caller.root),
            record: encode_record(record),
            events: Vec::new(),
        }));
        let (large, _) = large_variables(&self.engine, key, None, Some(record));
        change.variables.extend(large);
        change.pages.extend(page_writes(&self.engine, key, None, Some(record)));
        self.commit(state.groups, change)?;
        let loaded = self.runtime.block_on(self.store.load(vec![key]))?;
        let loaded = loaded.first().ok_or_else(|| anyhow::anyhow!("{key} is gone"))?;
        Ok(decode_record(loaded)?)
    }

    fn commit(&self, id: i64, change: Change) -> Result<()> {
        let group = Group { lease: self.lease, lane: 0, id, changes: vec![change], now: NOW };
        let done = self.runtime.block_on(self.store.commit(Arc::new(group)));
        done.map(drop).map_err(|error| anyhow::anyhow!("{error:?}"))
    }
}

impl Keeper for Saved {
    fn keep(&self, record: Record) -> Arc<Record> {
        let loaded = self.through(&record).expect("a store that keeps records");
        assert_eq!(loaded, record, "what was written is read again");
        Arc::new(loaded)
    }
}
