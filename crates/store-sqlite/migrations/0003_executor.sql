-- What the job executor keeps beside the jobs. A step from one task to the next touches none of
-- these tables.

-- How often anything was set that nodes go by.
CREATE TABLE settings (
    engine  TEXT PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `scope`: 0 a topic, 1 a tenant, 2 a key of the model's own. The indexes that count the locked
-- jobs of a scope are made with its first limit.
CREATE TABLE job_limit (
    engine           TEXT NOT NULL,
    scope            INTEGER NOT NULL,
    name             TEXT NOT NULL,
    max_concurrent   INTEGER,
    rate_jobs        INTEGER,
    rate_interval_ms INTEGER,
    rate_burst       INTEGER,
    tokens           INTEGER NOT NULL,
    refilled_at      INTEGER NOT NULL,
    PRIMARY KEY (engine, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_definition (
    key            INTEGER PRIMARY KEY,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    definition_key INTEGER NOT NULL,
    process_id     TEXT NOT NULL,
    element_id     TEXT NOT NULL,
    kind           TEXT NOT NULL,
    configuration  TEXT NOT NULL,
    suspended      INTEGER NOT NULL,
    priority       INTEGER
) STRICT;

CREATE INDEX job_definition_definition ON job_definition (definition_key);

CREATE TABLE batch (
    key        INTEGER PRIMARY KEY,
    engine     TEXT NOT NULL,
    tenant     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    total      INTEGER NOT NULL,
    parts_made INTEGER NOT NULL,
    config     BLOB NOT NULL,
    suspended  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    created_by TEXT
) STRICT;

CREATE TABLE ended_batch (
    key        INTEGER PRIMARY KEY,
    engine     TEXT NOT NULL,
    tenant     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    total      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    created_by TEXT,
    ended_at   INTEGER NOT NULL,
    removal_at INTEGER
) STRICT;

-- Append-only.
CREATE TABLE operation (
    key                INTEGER PRIMARY KEY,
    group_key          INTEGER NOT NULL,
    engine             TEXT NOT NULL,
    tenant             TEXT NOT NULL,
    at                 INTEGER NOT NULL,
    user               TEXT,
    operation          TEXT NOT NULL,
    entity             TEXT NOT NULL,
    entity_key         INTEGER,
    instance_key       INTEGER,
    definition_key     INTEGER,
    job_definition_key INTEGER,
    property           TEXT,
    old                TEXT,
    new                TEXT
) STRICT;

CREATE TABLE meter (
    engine   TEXT NOT NULL,
    name     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    reporter TEXT NOT NULL,
    value    INTEGER NOT NULL,
    PRIMARY KEY (engine, name, at, reporter)
) STRICT, WITHOUT ROWID;
