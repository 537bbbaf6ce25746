-- Times are milliseconds since 1970, keys are made by the engine.

-- Updated by every step: the guard and the record sit in the row itself, no index but the key.
CREATE TABLE instance (
    key            INTEGER PRIMARY KEY,
    rev            INTEGER NOT NULL,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    definition_key INTEGER NOT NULL,
    business_key   TEXT,
    record         BLOB NOT NULL,
    events         BLOB NOT NULL
) STRICT;

CREATE TABLE variable (
    instance_key INTEGER NOT NULL,
    scope_key    INTEGER NOT NULL,
    name         TEXT NOT NULL,
    engine       TEXT NOT NULL,
    tenant       TEXT NOT NULL,
    tag          INTEGER NOT NULL,
    bytes        BLOB NOT NULL,
    -- Values are large, so the key is an index beside the rows instead of their home.
    PRIMARY KEY (instance_key, scope_key, name)
) STRICT;

CREATE TABLE job (
    key                  INTEGER PRIMARY KEY,
    engine               TEXT NOT NULL,
    tenant               TEXT NOT NULL,
    instance_key         INTEGER NOT NULL,
    definition_key       INTEGER NOT NULL,
    element_instance_key INTEGER NOT NULL,
    element_id           TEXT NOT NULL,
    kind                 INTEGER NOT NULL,
    type                 TEXT NOT NULL,
    state                INTEGER NOT NULL,
    retries_left         INTEGER NOT NULL,
    priority             INTEGER NOT NULL,
    exclusive            INTEGER NOT NULL,
    due_at               INTEGER,
    lock_session         INTEGER,
    lock_worker          TEXT,
    lock_until           INTEGER,
    attempt              INTEGER NOT NULL,
    activations          BLOB NOT NULL,
    failure              TEXT,
    created_at           INTEGER NOT NULL,
    topic                TEXT NOT NULL,
    category             TEXT,
    limit_key            TEXT,
    batch_key            INTEGER,
    payload              BLOB,
    failure_details      TEXT,
    failed_element       TEXT
) STRICT;

-- A job inserted already locked is in none of these, so the hot path writes the table alone.
-- The key follows every entry by itself, in ascending order.
CREATE INDEX job_ready ON job (engine, type, priority DESC)
    WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL;
CREATE INDEX job_due ON job (due_at) WHERE state = 1;
CREATE INDEX job_worker_lock ON job (lock_until) WHERE lock_until IS NOT NULL;
CREATE INDEX job_batch ON job (batch_key) WHERE batch_key IS NOT NULL;
-- Jobs of no instance.
CREATE INDEX job_chore ON job (definition_key) WHERE instance_key = 0;

CREATE TABLE user_task (
    key                  INTEGER PRIMARY KEY,
    engine               TEXT NOT NULL,
    tenant               TEXT NOT NULL,
    instance_key         INTEGER NOT NULL,
    definition_key       INTEGER NOT NULL,
    element_instance_key INTEGER NOT NULL,
    element_id           TEXT NOT NULL,
    name                 TEXT,
    assignee             TEXT,
    candidate_groups     TEXT NOT NULL,
    candidate_users      TEXT NOT NULL,
    due_at               INTEGER,
    priority             INTEGER NOT NULL,
    form_key             TEXT,
    created_at           INTEGER NOT NULL
) STRICT;

CREATE TABLE incident (
    key                  INTEGER PRIMARY KEY,
    engine               TEXT NOT NULL,
    tenant               TEXT NOT NULL,
    instance_key         INTEGER NOT NULL,
    definition_key       INTEGER NOT NULL,
    element_instance_key INTEGER NOT NULL,
    element_id           TEXT NOT NULL,
    job_key              INTEGER,
    kind                 TEXT NOT NULL,
    message              TEXT NOT NULL,
    created_at           INTEGER NOT NULL,
    cause_key            INTEGER NOT NULL,
    root_cause_key       INTEGER NOT NULL,
    configuration        TEXT,
    annotation           TEXT
) STRICT;

CREATE INDEX incident_instance ON incident (instance_key);

-- Clustered by instance: the history of one instance is a few neighbouring pages, and nothing
-- else has to be written for it. A stretch is cut into parts, because a row here that is longer
-- than a quarter of a page would take a page of its own besides.
CREATE TABLE history (
    instance_key INTEGER NOT NULL,
    rev          INTEGER NOT NULL,
    part         INTEGER NOT NULL,
    engine       TEXT NOT NULL,
    tenant       TEXT NOT NULL,
    at           INTEGER NOT NULL,
    events       BLOB NOT NULL,
    PRIMARY KEY (instance_key, rev, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE ended (
    key            INTEGER PRIMARY KEY,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    definition_key INTEGER NOT NULL,
    business_key   TEXT,
    completed      INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER NOT NULL,
    variables      BLOB NOT NULL,
    removal_at     INTEGER
) STRICT;

CREATE INDEX ended_removal ON ended (removal_at) WHERE removal_at IS NOT NULL;

CREATE TABLE definition (
    key            INTEGER PRIMARY KEY,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    process_id     TEXT NOT NULL,
    version        INTEGER NOT NULL,
    deployment_key INTEGER NOT NULL,
    resource_name  TEXT NOT NULL,
    checksum       BLOB NOT NULL,
    dialect        TEXT NOT NULL,
    checks         INTEGER NOT NULL,
    deployed_at    INTEGER NOT NULL,
    suspended      INTEGER NOT NULL,
    deleted        INTEGER NOT NULL DEFAULT 0,
    UNIQUE (engine, tenant, process_id, version)
) STRICT;

CREATE TABLE decision (
    key                  INTEGER PRIMARY KEY,
    engine               TEXT NOT NULL,
    tenant               TEXT NOT NULL,
    decision_id          TEXT NOT NULL,
    name                 TEXT NOT NULL,
    version              INTEGER NOT NULL,
    version_tag          TEXT,
    -- The file it is part of, which has a version too.
    requirements_key     INTEGER NOT NULL,
    requirements_id      TEXT NOT NULL,
    requirements_name    TEXT NOT NULL,
    requirements_version INTEGER NOT NULL,
    deployment_key       INTEGER NOT NULL,
    resource_name        TEXT NOT NULL,
    checksum             BLOB NOT NULL,
    dialect              TEXT NOT NULL,
    deployed_at          INTEGER NOT NULL,
    UNIQUE (engine, tenant, decision_id, version)
) STRICT;

CREATE INDEX decision_requirements
    ON decision (engine, tenant, requirements_id, requirements_version);

CREATE TABLE resource (
    deployment_key INTEGER NOT NULL,
    name           TEXT NOT NULL,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    content        BLOB NOT NULL,
    PRIMARY KEY (deployment_key, name)
) STRICT;

-- AUTOINCREMENT, because a session is never given twice.
CREATE TABLE node (
    session       INTEGER PRIMARY KEY AUTOINCREMENT,
    number        INTEGER NOT NULL UNIQUE,
    engine        TEXT NOT NULL,
    name          TEXT NOT NULL,
    beat          INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    key_high      INTEGER NOT NULL,
    lock_floor    INTEGER NOT NULL,
    settings_seen INTEGER NOT NULL,
    -- What its executor takes.
    profile       BLOB NOT NULL
) STRICT;

CREATE TABLE lane (
    session  INTEGER NOT NULL,
    lane     INTEGER NOT NULL,
    group_id INTEGER NOT NULL,
    PRIMARY KEY (session, lane)
) STRICT, WITHOUT ROWID;

-- What earlier owners of a number may have given, so that the next one starts above it.
CREATE TABLE node_number (
    number   INTEGER PRIMARY KEY,
    key_high INTEGER NOT NULL
) STRICT;
