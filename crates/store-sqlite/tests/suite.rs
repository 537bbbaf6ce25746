//! The contract suite, on a file and in memory.

use std::sync::Arc;

use futures_util::FutureExt;
use orloj_store::suite::{CASES, EMBEDDED_CASES, engine};
use orloj_store_sqlite::{Options, SqliteStore};

mod block_on;
use block_on::block_on;

#[test]
fn on_a_file() {
    run_all(|| {
        let folder = tempfile::tempdir().expect("temporary folder");
        let options = Options::file(folder.path().join("store.db"), engine());
        (SqliteStore::open(&options).expect("open"), Some(folder))
    });
}

#[test]
fn in_memory() {
    run_all(|| (SqliteStore::open(&Options::memory(engine())).expect("open"), None));
}

/// Runs every case, also after one has failed, and names those that did.
fn run_all(fresh: impl Fn() -> (SqliteStore, Option<tempfile::TempDir>)) {
    let mut failed = Vec::new();
    for case in CASES.iter().chain(EMBEDDED_CASES) {
        let (store, _folder) = fresh();
        let run = (case.run)(Arc::new(store));
        let run = std::panic::AssertUnwindSafe(run).catch_unwind();
        if block_on(run).is_err() {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "failed cases: {failed:?}");
}
