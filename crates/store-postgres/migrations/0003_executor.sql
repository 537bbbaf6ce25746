-- What the job executor keeps beside the jobs. A step from one task to the next touches none of
-- these tables, and is committed by the procedure that knows nothing of them.

-- How often anything was set that nodes go by.
CREATE TABLE orloj.settings (
    engine text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL
) WITH (fillfactor = 50);

-- `scope`: 0 a topic, 1 a tenant, 2 a key of the model's own. Whoever locks a job that matches one
-- holds its row while it counts the locked ones. The indexes that serve the counting are made with
-- the first limit of their scope.
CREATE TABLE orloj.job_limit (
    engine text COLLATE "C" NOT NULL,
    scope smallint NOT NULL,
    name text COLLATE "C" NOT NULL,
    max_concurrent bigint,
    rate_jobs bigint,
    rate_interval_ms bigint,
    rate_burst bigint,
    tokens bigint NOT NULL,
    refilled_at bigint NOT NULL,
    PRIMARY KEY (engine, scope, name)
) WITH (fillfactor = 50);

CREATE TABLE orloj.job_definition (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    definition_key bigint NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    configuration text COLLATE "C" NOT NULL,
    suspended boolean NOT NULL,
    priority bigint
);

CREATE INDEX job_definition_definition ON orloj.job_definition (definition_key);

CREATE TABLE orloj.batch (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    total bigint NOT NULL,
    parts_made bigint NOT NULL,
    config bytea NOT NULL,
    suspended boolean NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    created_by text COLLATE "C"
);

CREATE TABLE orloj.ended_batch (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    total bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    created_by text COLLATE "C",
    ended_at bigint NOT NULL,
    removal_at bigint
);

-- Append-only.
CREATE TABLE orloj.operation (
    key bigint PRIMARY KEY,
    group_key bigint NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    user_id text COLLATE "C",
    operation text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    entity_key bigint,
    instance_key bigint,
    definition_key bigint,
    job_definition_key bigint,
    property text COLLATE "C",
    old_value text COLLATE "C",
    new_value text COLLATE "C"
);

CREATE TABLE orloj.meter (
    engine text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    reporter text COLLATE "C" NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (engine, name, at, reporter)
);

CREATE TYPE orloj.job_definition_in AS (
    key bigint, engine text, tenant text, definition_key bigint, process_id text, element_id text,
    kind text, configuration text, suspended boolean, priority bigint
);
-- Without a session the chore must be held by nobody. `lock_write` as for jobs.
CREATE TYPE orloj.chore_step AS (
    key bigint, held_by bigint, held_attempt integer, gone boolean, state smallint,
    retries_left integer, priority bigint, due_at bigint, failure_written boolean, failure text,
    failure_details text, failed_element text, payload bytea, lock_write smallint,
    lock_session bigint, lock_worker text, lock_until bigint, activations bytea
);
CREATE TYPE orloj.batch_in AS (
    key bigint, engine text, tenant text, kind text, total bigint, parts_made bigint, config bytea,
    suspended boolean, created_at bigint, started_at bigint, created_by text
);
CREATE TYPE orloj.batch_step AS (
    key bigint, parts_made bigint, config bytea, suspended boolean, started_at bigint
);
-- Without an end nothing of the batch is kept.
CREATE TYPE orloj.batch_gone AS (key bigint, ended_at bigint, removal_at bigint);
CREATE TYPE orloj.operation_in AS (
    key bigint, group_key bigint, engine text, tenant text, at bigint, user_id text,
    operation text, entity text, entity_key bigint, instance_key bigint, definition_key bigint,
    job_definition_key bigint, property text, old_value text, new_value text
);
CREATE TYPE orloj.incident_note AS (key bigint, annotation text);
CREATE TYPE orloj.meter_in AS (
    engine text, name text, at bigint, reporter text, value bigint
);
CREATE TYPE orloj.limit_token AS (scope smallint, name text, tokens bigint, refilled_at bigint);
