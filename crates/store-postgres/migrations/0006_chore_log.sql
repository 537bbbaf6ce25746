-- Start timers are chores: start events are set off by messages, signals and conditions only.
-- Those of before are not converted: no release ever wrote them.
DELETE FROM orloj.start_event WHERE kind = 2;
DROP PROCEDURE IF EXISTS orloj.commit_group_with_pages;
DROP PROCEDURE IF EXISTS orloj.commit_group_with_events;
DROP TYPE orloj.start_step;
ALTER TYPE orloj.start_in
    DROP ATTRIBUTE due_at,
    DROP ATTRIBUTE repeat,
    DROP ATTRIBUTE anchor_at,
    DROP ATTRIBUTE fired;
DROP INDEX orloj.start_event_due;
ALTER TABLE orloj.start_event
    DROP COLUMN due_at,
    DROP COLUMN repeat,
    DROP COLUMN anchor_at,
    DROP COLUMN fired;

-- What happened to jobs of no instance. Append-only; a number is never given again.
CREATE TABLE orloj.chore_log (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_key bigint NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    definition_key bigint NOT NULL,
    element_id text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    batch_key bigint,
    event smallint NOT NULL,
    at bigint NOT NULL,
    retries integer NOT NULL,
    priority bigint NOT NULL,
    due_at bigint,
    message text COLLATE "C",
    details text COLLATE "C",
    failed_element text COLLATE "C",
    incident text COLLATE "C",
    run_by text COLLATE "C"
);

CREATE INDEX chore_log_job ON orloj.chore_log (job_key, number);
CREATE INDEX chore_log_at ON orloj.chore_log (engine, at);

CREATE TYPE orloj.chore_log_in AS (
    job_key bigint, engine text, tenant text, definition_key bigint, element_id text,
    kind smallint, batch_key bigint, event smallint, at bigint, retries integer, priority bigint,
    due_at bigint, message text, details text, failed_element text, incident text, run_by text
);

-- Workers' jobs that wait: nodes that fire no timers look for these alone.
CREATE INDEX job_due_worker ON orloj.job (engine, due_at) WHERE state = 1 AND kind IN (2, 5);
