-- Waits, start events, messages, broadcasts and calls. A step from one task to the next touches
-- none of these tables.

CREATE TABLE subscription (
    key                  INTEGER PRIMARY KEY,
    engine               TEXT NOT NULL,
    tenant               TEXT NOT NULL,
    instance_key         INTEGER NOT NULL,
    definition_key       INTEGER NOT NULL,
    element_instance_key INTEGER NOT NULL,
    event_id             TEXT NOT NULL,
    kind                 INTEGER NOT NULL,
    name                 TEXT NOT NULL,
    correlation_key      TEXT
) STRICT;

-- The key follows every entry by itself, so that a broadcast reads its pages in order.
CREATE INDEX subscription_name ON subscription (engine, kind, name);
CREATE INDEX subscription_correlation ON subscription (engine, name, correlation_key)
    WHERE kind = 0 AND correlation_key IS NOT NULL;

-- Of the latest version of every process.
CREATE TABLE start_event (
    definition_key INTEGER NOT NULL,
    event_id       TEXT NOT NULL,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    process_id     TEXT NOT NULL,
    kind           INTEGER NOT NULL,
    name           TEXT NOT NULL,
    due_at         INTEGER,
    repeat         TEXT,
    anchor_at      INTEGER,
    fired          INTEGER NOT NULL,
    PRIMARY KEY (definition_key, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX start_event_name ON start_event (engine, kind, name, definition_key, event_id);
CREATE INDEX start_event_due ON start_event (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX start_event_process ON start_event (engine, tenant, process_id);

CREATE TABLE message (
    key             INTEGER PRIMARY KEY,
    engine          TEXT NOT NULL,
    tenant          TEXT NOT NULL,
    name            TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    message_id      TEXT,
    variables       BLOB NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX message_channel ON message (engine, tenant, name, correlation_key);
CREATE UNIQUE INDEX message_id ON message (engine, tenant, name, correlation_key, message_id)
    WHERE message_id IS NOT NULL;
CREATE INDEX message_expires ON message (expires_at);

-- Which processes have got a message that stays buffered for others.
CREATE TABLE message_taken (
    message_key INTEGER NOT NULL,
    process_id  TEXT NOT NULL,
    PRIMARY KEY (message_key, process_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE broadcast (
    key       INTEGER PRIMARY KEY,
    engine    TEXT NOT NULL,
    tenant    TEXT NOT NULL,
    name      TEXT NOT NULL,
    variables BLOB NOT NULL,
    place     TEXT NOT NULL
) STRICT;

-- Who called an instance, live or ended. Beside the instances and not in them: most are not
-- called, and rows that every step rewrites stay as short as they are.
CREATE TABLE called (
    key        INTEGER PRIMARY KEY,
    caller_key INTEGER,
    root_key   INTEGER
) STRICT;

CREATE INDEX called_caller ON called (caller_key) WHERE caller_key IS NOT NULL;
CREATE INDEX called_root ON called (root_key) WHERE root_key IS NOT NULL;
