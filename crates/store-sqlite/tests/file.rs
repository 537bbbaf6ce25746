//! What is particular to a file: durability, ownership, damage, the bounds of its log.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orloj_store::suite::engine;
use orloj_store::{
    Change, Claim, CommitError, Error, Group, InstanceFilter, InstanceRow, InstanceWrite,
    JobFilter, Lease, Page, Store,
};
use orloj_store_sqlite::{Options, SqliteStore};
use orloj_types::{DefinitionKey, InstanceKey, TenantId, Timestamp};
use rusqlite::Connection;

mod block_on;
use block_on::block_on;

const PAGE: Page = Page { before: None, limit: 1_000 };

#[test]
fn what_was_acknowledged_is_there_after_reopening() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let lease = join(&store);
    commit(&store, lease, 1, vec![insert(10, 100)]).expect("commit");
    drop(store);
    let store = open(&path);
    assert_eq!(keys(&store), [10]);
    let second = join(&store);
    assert!(second.session > lease.session, "sessions are never reused");
    assert!(second.keys_above > lease.keys_above);
    block_on(store.close()).expect("close");
    assert!(!log_of(&path).exists(), "the log was moved into the file");
    assert_eq!(keys(&open(&path)), [10]);
}

#[test]
fn what_was_acknowledged_survives_a_crash() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let lease = join(&store);
    for id in 1..=50 {
        commit(&store, lease, id, vec![insert(id, 3_000)]).expect("commit");
        if id % 10 != 0 {
            continue;
        }
        // What the disk would hold if the machine stopped now: the file and its log, while both
        // are in use.
        let image = folder.path().join(format!("image-{id}.db"));
        std::fs::copy(&path, &image).expect("copy the file");
        std::fs::copy(log_of(&path), log_of(&image)).expect("copy the log");
        let survivor = open(&image);
        assert_eq!(keys(&survivor), (1..=id).rev().collect::<Vec<_>>());
        assert_eq!(block_on(survivor.landed(lease, 0, id)), Ok(true));
        assert_eq!(block_on(survivor.landed(lease, 0, id + 1)), Ok(false));
    }
}

#[test]
fn a_torn_end_of_the_log_takes_only_what_it_held() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let lease = join(&store);
    commit(&store, lease, 1, vec![insert(1, 100)]).expect("commit");
    let whole = std::fs::metadata(log_of(&path)).expect("log").len();
    commit(&store, lease, 2, vec![insert(2, 100)]).expect("commit");
    let image = folder.path().join("image.db");
    std::fs::copy(&path, &image).expect("copy the file");
    let log = std::fs::read(log_of(&path)).expect("read the log");
    let torn = &log[..(whole as usize + log.len()) / 2];
    std::fs::write(log_of(&image), torn).expect("write the log");
    let survivor = open(&image);
    assert_eq!(keys(&survivor), [1], "a group is there whole or not at all");
    assert_eq!(block_on(survivor.landed(lease, 0, 2)), Ok(false));
}

#[test]
fn a_file_has_one_owner() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let held = Error::Held(path.display().to_string());
    assert_eq!(try_open(&path).err(), Some(held));
    let detour = folder.path().join("..").join(folder.path().file_name().expect("name"));
    let detour = detour.join("store.db");
    assert!(matches!(try_open(&detour).err(), Some(Error::Held(_))), "by any other name");
    block_on(store.close()).expect("close");
    let next = try_open(&path).expect("it is free now");
    drop((next, store));
    try_open(&path).expect("and again");
}

/// What the first release wrote is there after the migration, and goes on.
#[test]
fn a_file_of_the_first_release_is_migrated() {
    const FIRST: &str = include_str!("../migrations/0001_initial.sql");
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let first = Connection::open(&path).expect("open");
    first.execute_batch(FIRST).expect("first schema");
    first.pragma_update(None, "user_version", 1).expect("pragma");
    first.pragma_update(None, "application_id", 0x4f52_4c4a).expect("pragma");
    let rows = "INSERT INTO instance VALUES (1, 1, 'suite', '', 7, NULL, x'01', x'02');
         INSERT INTO ended VALUES (2, 'suite', '', 7, NULL, 1, 5, 6, x'03', NULL)";
    first.execute_batch(rows).expect("rows");
    drop(first);
    for _ in 0..2 {
        let store = open(&path);
        let loaded = block_on(store.load(vec![InstanceKey::new(1)])).expect("load");
        let row = &loaded[0].row;
        assert_eq!((row.caller, row.root), (None, None));
        let ended = block_on(store.ended_instance(InstanceKey::new(2))).expect("ended");
        let ended = ended.expect("it is there");
        assert_eq!((ended.started_at.as_ms(), ended.ended_at.as_ms()), (5, 6));
        assert_eq!((ended.caller, ended.root), (None, None));
        let lease = join(&store);
        commit(&store, lease, 1, vec![update(1, row.rev)]).expect("commit");
    }
    let store = open(&path);
    let loaded = block_on(store.load(vec![InstanceKey::new(1)])).expect("load");
    assert_eq!(loaded[0].row.rev, 3);
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    drop(open(&path));
    let connection = Connection::open(&path).expect("open");
    connection.pragma_update(None, "user_version", 99).expect("pragma");
    drop(connection);
    assert_eq!(try_open(&path).err(), Some(Error::NewerSchema { found: 99, known: 14 }));
}

/// The numbers of schemas counted from the first release on; what was changed before has the same
/// numbers and other tables.
#[test]
fn a_schema_that_was_never_released_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let before_last = "
        DROP INDEX instance_business_key;
        DROP INDEX subscription_instance;
        ALTER TABLE definition DROP COLUMN moved;
        ALTER TABLE definition DROP COLUMN tenant_before;
        DROP TABLE asset";
    for (sql, version, problem) in [
        ("ALTER TABLE node DROP COLUMN profile", 14, "its table node has no column profile"),
        (before_last, 11, "its table asset has no column asset_id"),
        ("ALTER TABLE batch DROP COLUMN started_at", 8, "duplicate column name: lock_listed"),
    ] {
        let _ = std::fs::remove_file(&path);
        drop(open(&path));
        let connection = Connection::open(&path).expect("open");
        connection.execute_batch(sql).expect("sql");
        connection.pragma_update(None, "user_version", version).expect("pragma");
        drop(connection);
        let error = try_open(&path).err().expect("it is refused");
        assert!(matches!(error, Error::UnreleasedSchema { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(&*path.to_string_lossy()) && text.contains(problem), "{text}");
        assert!(text.contains("never released") && text.contains("move it away"), "{text}");
    }
}

#[test]
fn the_file_of_another_application_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("other.db");
    let other = Connection::open(&path).expect("open");
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").expect("sql");
    assert!(matches!(try_open(&path).err(), Some(Error::Refused(_))));
    let tables: i64 =
        other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).expect("count");
    assert_eq!(tables, 1);
}

#[test]
fn what_is_no_database_is_an_error() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("text.db");
    std::fs::write(&path, "no database at all, but long enough to be one ".repeat(100))
        .expect("write");
    assert!(matches!(try_open(&path).err(), Some(Error::Damaged(_))));
    let missing = folder.path().join("missing/store.db");
    assert!(matches!(try_open(&missing).err(), Some(Error::Unavailable(_))));
    assert!(matches!(try_open(folder.path()).err(), Some(Error::Unavailable(_))));
}

#[test]
fn damage_inside_the_file_is_an_error() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let lease = join(&store);
    commit(&store, lease, 1, (1..=400).map(|key| insert(key, 900)).collect()).expect("commit");
    block_on(store.close()).expect("close");
    let whole = std::fs::read(&path).expect("read");
    // The header and the schema stay, so that it opens.
    let schema = 4_096 * 80;
    assert!(whole.len() > schema + 4_096 * 10, "there is something left to damage");
    let mut damaged_reads = 0;
    for (byte, cut) in [(0xff, whole.len()), (0x00, whole.len()), (0x0d, schema)] {
        let mut bytes = whole.clone();
        bytes[schema..].fill(byte);
        bytes.truncate(cut);
        std::fs::write(&path, &bytes).expect("write");
        let Ok(store) = try_open(&path) else { continue };
        let read = block_on(store.instances(InstanceFilter::default(), PAGE));
        damaged_reads += usize::from(matches!(read, Err(Error::Damaged(_))));
        // Whatever it answers, it answers.
        let _ = block_on(store.load((1..=200).map(InstanceKey::new).collect()));
        let _ = block_on(store.jobs(JobFilter::default(), PAGE));
        let written = commit(&store, lease, 2, vec![insert(300, 10), delete(100)]);
        assert!(!matches!(written, Err(CommitError::Unknown(_))), "got {written:?}");
    }
    assert!(damaged_reads > 0, "no damage was noticed");
}

#[test]
fn a_value_that_no_version_wrote_is_damage() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let lease = join(&store);
    commit(&store, lease, 1, vec![insert(1, 10)]).expect("commit");
    let other = Connection::open(&path).expect("open");
    other.execute_batch("UPDATE instance SET rev = 5000000000").expect("sql");
    let loaded = block_on(store.load(vec![InstanceKey::new(1)]));
    assert!(matches!(loaded, Err(Error::Damaged(_))), "got {loaded:?}");
}

#[test]
fn reads_do_not_wait_for_a_commit() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = open(&path);
    let lease = join(&store);
    commit(&store, lease, 1, vec![insert(1, 10)]).expect("commit");
    // Somebody else holds the write lock, so the commit hangs.
    let blocker = Connection::open(&path).expect("open");
    blocker.execute_batch("BEGIN IMMEDIATE").expect("begin");
    let ended = Arc::new(AtomicBool::new(false));
    let committing = {
        let (store, ended) = (store.clone(), Arc::clone(&ended));
        std::thread::spawn(move || {
            let committed = commit(&store, lease, 2, vec![insert(2, 10)]);
            ended.store(true, Ordering::SeqCst);
            committed
        })
    };
    for _ in 0..100 {
        assert_eq!(keys(&store), [1]);
    }
    assert!(!ended.load(Ordering::SeqCst), "the commit could not have ended");
    blocker.execute_batch("ROLLBACK").expect("rollback");
    committing.join().expect("thread").expect("commit");
    assert_eq!(keys(&store), [2, 1]);
}

#[test]
fn the_log_starts_over_under_constant_writing_and_reading() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&small_log(&path)).expect("open");
    let lease = join(&store);
    let stop = Arc::new(AtomicBool::new(false));
    let reading = {
        let (store, stop) = (store.clone(), Arc::clone(&stop));
        std::thread::spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                keys(&store);
            }
        })
    };
    let mut largest = 0;
    for id in 1..=2_000 {
        let key = (id - 1) % 100 + 1;
        let change =
            if id <= 100 { insert(key, 5_000) } else { update(key, (id as i32 - 1) / 100) };
        commit(&store, lease, id, vec![change]).expect("commit");
        largest = largest.max(std::fs::metadata(log_of(&path)).expect("log").len());
    }
    stop.store(true, Ordering::SeqCst);
    reading.join().expect("thread");
    assert!(largest <= pages(LOG_PAGES_MAX + GROUP_PAGES), "the log had {largest} bytes");
}

#[test]
fn a_reader_that_stays_stops_commits_at_the_bound_and_not_for_ever() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&small_log(&path)).expect("open");
    let lease = join(&store);
    commit(&store, lease, 1, vec![insert(1, 5_000)]).expect("commit");
    let reader = Connection::open(&path).expect("open");
    reader.execute_batch("BEGIN").expect("begin");
    let seen: i64 =
        reader.query_row("SELECT max(key) FROM instance", [], |row| row.get(0)).expect("read");
    assert_eq!(seen, 1);

    let mut id = 1;
    let refused = loop {
        id += 1;
        assert!(id < 10_000, "the log has no bound");
        if let Err(error) = commit(&store, lease, id, vec![insert(id, 5_000)]) {
            break error;
        }
    };
    assert!(matches!(refused, CommitError::Unavailable(_)), "got {refused:?}");
    let length = std::fs::metadata(log_of(&path)).expect("log").len();
    assert!(length <= pages(LOG_PAGES_MAX + GROUP_PAGES), "the log has {length} bytes");
    assert_eq!(keys(&store).len() as i64, (id - 1).min(1_000), "the others are there");

    reader.execute_batch("COMMIT").expect("commit");
    commit(&store, lease, id, vec![insert(id, 5_000)]).expect("the log was emptied");
    let seen: i64 =
        reader.query_row("SELECT max(key) FROM instance", [], |row| row.get(0)).expect("read");
    assert_eq!(seen, id);
}

const LOG_PAGES: u32 = 50;
const LOG_PAGES_MAX: u32 = 200;
/// More than any group of these tests writes.
const GROUP_PAGES: u32 = 20;

fn small_log(path: &Path) -> Options {
    Options { log_pages: LOG_PAGES, log_pages_max: LOG_PAGES_MAX, ..Options::file(path, engine()) }
}

/// Bytes of a log with so many pages, each with its header.
fn pages(count: u32) -> u64 {
    32 + u64::from(count) * (4_096 + 24)
}

fn open(path: &Path) -> SqliteStore {
    try_open(path).expect("open")
}

fn try_open(path: &Path) -> Result<SqliteStore, Error> {
    SqliteStore::open(&Options::file(path, engine()))
}

fn log_of(path: &Path) -> std::path::PathBuf {
    path.with_extension("db-wal")
}

fn join(store: &SqliteStore) -> Lease {
    let claim = Claim {
        name: "n".to_owned(),
        engine: engine(),
        lanes: 1,
        now: Timestamp::ZERO,
        profile: orloj_store::NodeProfile::default(),
    };
    block_on(store.join(claim)).expect("join")
}

fn commit(
    store: &SqliteStore,
    lease: Lease,
    id: i64,
    changes: Vec<Change>,
) -> Result<(), CommitError> {
    let group = Group { lease, lane: 0, id, changes, now: Timestamp::ZERO };
    block_on(store.commit(Arc::new(group))).map(drop)
}

fn insert(key: i64, bytes: usize) -> Change {
    let row = InstanceRow {
        key: InstanceKey::new(key),
        rev: 1,
        engine: engine(),
        tenant: TenantId::none(),
        definition: DefinitionKey::new(1),
        business_key: None,
        record: vec![7; bytes],
        events: vec![],
        caller: None,
        root: None,
    };
    Change { instances: [InstanceWrite::Insert(row)].into(), ..Change::default() }
}

fn update(key: i64, expected_rev: i32) -> Change {
    let update = InstanceWrite::Update {
        key: InstanceKey::new(key),
        expected_rev,
        rev: expected_rev + 1,
        record: vec![8; 5_000],
        events: vec![],
    };
    Change { instances: [update].into(), ..Change::default() }
}

fn delete(key: i64) -> Change {
    let delete = InstanceWrite::Delete { key: InstanceKey::new(key), expected_rev: 1 };
    Change { instances: [delete].into(), ..Change::default() }
}

fn keys(store: &SqliteStore) -> Vec<i64> {
    let rows = block_on(store.instances(InstanceFilter::default(), PAGE)).expect("instances");
    rows.iter().map(|row| row.key.raw()).collect()
}
