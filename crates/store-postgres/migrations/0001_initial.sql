-- Names are written with the schema `orloj`; the store puts the configured one in its place.
-- Times are milliseconds since 1970. Text is compared byte by byte ("C"): the order of a language
-- means nothing here and costs.

-- What a node may do, while it lives. One row per live node, never one per job.
CREATE TABLE orloj.node (
    session bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number smallint NOT NULL UNIQUE,
    engine text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    beat bigint NOT NULL,
    seen_at bigint NOT NULL,
    key_high bigint NOT NULL,
    -- No engine job the node holds has a key below this.
    lock_floor bigint NOT NULL,
    -- The lowest key locked since the last beat: a beat that was on its way meanwhile knows
    -- nothing of it and must not raise the floor above.
    taken_floor bigint NOT NULL,
    settings_seen bigint NOT NULL,
    -- What its executor takes.
    profile bytea NOT NULL,
    UNIQUE (engine, name)
) WITH (fillfactor = 50);

-- The highest key that owners of a number have told of, kept when they are gone.
CREATE TABLE orloj.node_number (
    number smallint PRIMARY KEY,
    key_high bigint NOT NULL
);

CREATE TABLE orloj.lane (
    session bigint NOT NULL,
    lane smallint NOT NULL,
    -- The last group committed, as of the last question after it.
    group_id bigint NOT NULL,
    -- Raised whenever somebody asks after a lost answer: a transaction of the lost connection that
    -- the server has not begun by then is refused when it comes.
    epoch integer NOT NULL,
    PRIMARY KEY (session, lane)
) WITH (fillfactor = 50);

-- No index but the primary key: every update then stays within its page. Rows are short-lived and
-- often updated, so room is left in the pages and they are cleaned early.
CREATE TABLE orloj.instance (
    key bigint PRIMARY KEY,
    rev integer NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    definition_key bigint NOT NULL,
    business_key text COLLATE "C",
    record bytea NOT NULL,
    events bytea NOT NULL
) WITH (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.2,
    -- Giving empty pages at the end back takes an exclusive lock, and they are needed again.
    vacuum_truncate = false
);
-- Blobs of this size are not worth compressing, and they are rewritten with every step.
ALTER TABLE orloj.instance ALTER COLUMN record SET STORAGE EXTERNAL;
ALTER TABLE orloj.instance ALTER COLUMN events SET STORAGE EXTERNAL;

CREATE TABLE orloj.variable (
    instance_key bigint NOT NULL,
    scope_key bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    tag smallint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (instance_key, scope_key, name)
);

CREATE TABLE orloj.job (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    instance_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    element_instance_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    type text COLLATE "C" NOT NULL,
    state smallint NOT NULL,
    retries_left integer NOT NULL,
    priority bigint NOT NULL,
    exclusive boolean NOT NULL,
    due_at bigint,
    lock_session bigint,
    lock_worker text COLLATE "C",
    lock_until bigint,
    attempt integer NOT NULL,
    activations bytea NOT NULL,
    failure text COLLATE "C",
    created_at bigint NOT NULL,
    topic text COLLATE "C" NOT NULL,
    category text COLLATE "C",
    limit_key text COLLATE "C",
    batch_key bigint,
    payload bytea,
    failure_details text COLLATE "C",
    failed_element text COLLATE "C"
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.2,
    vacuum_truncate = false
);
ALTER TABLE orloj.job ALTER COLUMN activations SET STORAGE EXTERNAL;

-- A job that is inserted already locked by its node, which is the way of nearly all of them, is in
-- none of these.
CREATE INDEX job_ready ON orloj.job (engine, type, priority DESC, key)
    WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL;
CREATE INDEX job_due ON orloj.job (engine, due_at) WHERE state = 1;
CREATE INDEX job_lock_until ON orloj.job (engine, lock_until) WHERE lock_until IS NOT NULL;
CREATE INDEX job_batch ON orloj.job (batch_key, key) WHERE batch_key IS NOT NULL;
-- Jobs of no instance.
CREATE INDEX job_chore ON orloj.job (definition_key) WHERE instance_key = 0;

CREATE TABLE orloj.user_task (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    instance_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    element_instance_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    assignee text COLLATE "C",
    candidate_groups text[] NOT NULL,
    candidate_users text[] NOT NULL,
    due_at bigint,
    priority bigint NOT NULL,
    form_key text COLLATE "C",
    created_at bigint NOT NULL
);

CREATE TABLE orloj.incident (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    instance_key bigint NOT NULL,
    definition_key bigint NOT NULL,
    element_instance_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    job_key bigint,
    kind text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    cause_key bigint NOT NULL,
    root_cause_key bigint NOT NULL,
    configuration text COLLATE "C",
    annotation text COLLATE "C"
);

CREATE INDEX incident_instance ON orloj.incident (instance_key);

-- Append-only, until it is pruned in chunks of instances. Keys of instances grow with time, so
-- partitions by range of instance_key could take over from this table without a change to any
-- statement; but what may go is told by each instance's end and definition, not by its start.
CREATE TABLE orloj.history (
    instance_key bigint NOT NULL,
    rev integer NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    events bytea NOT NULL,
    PRIMARY KEY (instance_key, rev)
);
ALTER TABLE orloj.history ALTER COLUMN events SET STORAGE EXTERNAL;

CREATE TABLE orloj.ended (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    definition_key bigint NOT NULL,
    business_key text COLLATE "C",
    completed boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    variables bytea NOT NULL,
    removal_at bigint
);

CREATE INDEX ended_removal ON orloj.ended (engine, removal_at) WHERE removal_at IS NOT NULL;

CREATE TABLE orloj.definition (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    deployment_key bigint NOT NULL,
    resource_name text COLLATE "C" NOT NULL,
    checksum bytea NOT NULL,
    dialect text COLLATE "C" NOT NULL,
    checks integer NOT NULL,
    deployed_at bigint NOT NULL,
    suspended boolean NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    UNIQUE (engine, tenant, process_id, version)
);

CREATE TABLE orloj.decision (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    decision_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    version_tag text COLLATE "C",
    -- The file it is part of, which has a version too.
    requirements_key bigint NOT NULL,
    requirements_id text COLLATE "C" NOT NULL,
    requirements_name text COLLATE "C" NOT NULL,
    requirements_version integer NOT NULL,
    deployment_key bigint NOT NULL,
    resource_name text COLLATE "C" NOT NULL,
    checksum bytea NOT NULL,
    dialect text COLLATE "C" NOT NULL,
    deployed_at bigint NOT NULL,
    UNIQUE (engine, tenant, decision_id, version)
);

CREATE INDEX decision_requirements
    ON orloj.decision (engine, tenant, requirements_id, requirements_version);

CREATE TABLE orloj.resource (
    deployment_key bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (deployment_key, name)
);

-- Rows on their way in. A group comes as one array of these per statement: one function scan
-- instead of one per column, which makes an insert of many columns about three times as fast. They
-- are types of their own, so that a table can be given a column while nodes that do not know of it
-- are running.
CREATE TYPE orloj.instance_in AS (
    key bigint, rev integer, engine text, tenant text, definition_key bigint, business_key text,
    record bytea, events bytea
);
CREATE TYPE orloj.instance_step AS (
    key bigint, expected_rev integer, rev integer, record bytea, events bytea
);
CREATE TYPE orloj.instance_gone AS (key bigint, expected_rev integer);
CREATE TYPE orloj.variable_in AS (
    instance_key bigint, scope_key bigint, name text, engine text, tenant text, tag smallint,
    bytes bytea
);
CREATE TYPE orloj.variable_gone AS (instance_key bigint, scope_key bigint, name text);
CREATE TYPE orloj.job_in AS (
    key bigint, engine text, tenant text, instance_key bigint, definition_key bigint,
    element_instance_key bigint, element_id text, kind smallint, type text, state smallint,
    retries_left integer, priority bigint, exclusive boolean, due_at bigint, lock_session bigint,
    lock_worker text, lock_until bigint, attempt integer, activations bytea, failure text,
    created_at bigint, topic text, category text, limit_key text, batch_key bigint, payload bytea,
    failure_details text, failed_element text
);
-- `lock_write`: 0 keep, 1 clear, 2 a session's, 3 a worker's.
CREATE TYPE orloj.job_step AS (
    key bigint, state smallint, retries_left integer, priority bigint, due_at bigint, failure text,
    lock_write smallint, lock_session bigint, lock_worker text, lock_until bigint,
    activations bytea, failure_details text, failed_element text
);
CREATE TYPE orloj.job_held AS (key bigint, attempt integer);
CREATE TYPE orloj.user_task_in AS (
    key bigint, engine text, tenant text, instance_key bigint, definition_key bigint,
    element_instance_key bigint, element_id text, name text, assignee text,
    candidate_groups text[], candidate_users text[], due_at bigint, priority bigint, form_key text,
    created_at bigint
);
CREATE TYPE orloj.incident_in AS (
    key bigint, engine text, tenant text, instance_key bigint, definition_key bigint,
    element_instance_key bigint, element_id text, job_key bigint, kind text, message text,
    created_at bigint, cause_key bigint, root_cause_key bigint, configuration text,
    annotation text
);
CREATE TYPE orloj.history_in AS (
    instance_key bigint, rev integer, engine text, tenant text, at bigint, events bytea
);
CREATE TYPE orloj.ended_in AS (
    key bigint, engine text, tenant text, definition_key bigint, business_key text,
    completed boolean, started_at bigint, ended_at bigint, variables bytea, removal_at bigint
);
CREATE TYPE orloj.definition_in AS (
    key bigint, engine text, tenant text, process_id text, version integer, deployment_key bigint,
    resource_name text, checksum bytea, dialect text, checks integer, deployed_at bigint,
    suspended boolean
);
CREATE TYPE orloj.decision_in AS (
    key bigint, engine text, tenant text, decision_id text, name text, version integer,
    version_tag text, requirements_key bigint, requirements_id text, requirements_name text,
    requirements_version integer, deployment_key bigint, resource_name text, checksum bytea,
    dialect text, deployed_at bigint
);
CREATE TYPE orloj.resource_in AS (
    deployment_key bigint, name text, engine text, tenant text, content bytea
);
