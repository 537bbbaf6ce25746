-- Waits, start events, messages, broadcasts and calls. A step from one task to the next touches
-- none of these tables, and is committed by the procedure that knows nothing of them.

CREATE TABLE orloj.subscription (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    instance_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    element_instance_key bigint NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C"
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.2,
    vacuum_truncate = false
);

-- By key within the name, so that a broadcast reads its pages in order.
CREATE INDEX subscription_name ON orloj.subscription (engine, kind, name, key);
CREATE INDEX subscription_correlation ON orloj.subscription (engine, name, correlation_key, key)
    WHERE kind = 0 AND correlation_key IS NOT NULL;

-- Of the latest version of every process.
CREATE TABLE orloj.start_event (
    definition_key bigint NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    name text COLLATE "C" NOT NULL,
    due_at bigint,
    repeat text COLLATE "C",
    anchor_at bigint,
    fired bigint NOT NULL,
    PRIMARY KEY (definition_key, event_id)
);

CREATE INDEX start_event_name
    ON orloj.start_event (engine, kind, name, definition_key, event_id);
CREATE INDEX start_event_due ON orloj.start_event (engine, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX start_event_process ON orloj.start_event (engine, tenant, process_id);

CREATE TABLE orloj.message (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    correlation_key text COLLATE "C" NOT NULL,
    message_id text COLLATE "C",
    variables bytea NOT NULL,
    expires_at bigint NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.2,
    vacuum_truncate = false
);

CREATE INDEX message_channel ON orloj.message (engine, tenant, name, correlation_key, key);
CREATE UNIQUE INDEX message_id
    ON orloj.message (engine, tenant, name, correlation_key, message_id)
    WHERE message_id IS NOT NULL;
CREATE INDEX message_expires ON orloj.message (engine, expires_at);

-- Which processes have got a message that stays buffered for others.
CREATE TABLE orloj.message_taken (
    message_key bigint NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (message_key, process_id)
);

CREATE TABLE orloj.broadcast (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    variables bytea NOT NULL,
    place text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);

-- Who called an instance, live or ended. Beside the instances and not in them: most are not
-- called, and rows that every step rewrites stay as short as they are and without an index.
CREATE TABLE orloj.called (
    key bigint PRIMARY KEY,
    caller_key bigint,
    root_key bigint
);

CREATE INDEX called_caller ON orloj.called (caller_key, key) WHERE caller_key IS NOT NULL;
CREATE INDEX called_root ON orloj.called (root_key, key) WHERE root_key IS NOT NULL;

CREATE TYPE orloj.subscription_in AS (
    key bigint, engine text, tenant text, instance_key bigint, definition_key bigint,
    element_instance_key bigint, event_id text, kind smallint, name text, correlation_key text
);
CREATE TYPE orloj.start_in AS (
    definition_key bigint, event_id text, engine text, tenant text, process_id text, kind smallint,
    name text, due_at bigint, repeat text, anchor_at bigint, fired bigint
);
-- Without a next moment the start event goes.
CREATE TYPE orloj.start_step AS (
    definition_key bigint, event_id text, expected_fired bigint, due_at bigint, repeat text,
    anchor_at bigint, fired bigint
);
CREATE TYPE orloj.message_in AS (
    key bigint, engine text, tenant text, name text, correlation_key text, message_id text,
    variables bytea, expires_at bigint
);
CREATE TYPE orloj.message_take AS (message_key bigint, process_id text);
CREATE TYPE orloj.broadcast_in AS (
    key bigint, engine text, tenant text, name text, variables bytea, place text
);
-- Without a new place the broadcast is over.
CREATE TYPE orloj.broadcast_step AS (key bigint, expected_place text, place text);
CREATE TYPE orloj.called_in AS (key bigint, caller_key bigint, root_key bigint);
-- What a row of a migrated instance names from now on. `of_table`: 0 the instance itself, 1 a job,
-- 2 a user task, 3 an incident.
CREATE TYPE orloj.migrated AS (
    of_table smallint, key bigint, definition_key bigint, element_id text
);
-- What a message and a subscription that fit have in common.
CREATE TYPE orloj.channel AS (engine text, tenant text, name text, correlation_key text);
