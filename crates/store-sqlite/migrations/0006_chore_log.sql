-- Start timers are chores: start events are set off by messages, signals and conditions only.
-- Those of before are not converted: no release ever wrote them.
DELETE FROM start_event WHERE kind = 2;
DROP INDEX start_event_due;
ALTER TABLE start_event DROP COLUMN due_at;
ALTER TABLE start_event DROP COLUMN repeat;
ALTER TABLE start_event DROP COLUMN anchor_at;
ALTER TABLE start_event DROP COLUMN fired;

-- What happened to jobs of no instance. Append-only; a number is never given again.
CREATE TABLE chore_log (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_key        INTEGER NOT NULL,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    definition_key INTEGER NOT NULL,
    element_id     TEXT NOT NULL,
    kind           INTEGER NOT NULL,
    batch_key      INTEGER,
    event          INTEGER NOT NULL,
    at             INTEGER NOT NULL,
    retries        INTEGER NOT NULL,
    priority       INTEGER NOT NULL,
    due_at         INTEGER,
    message        TEXT,
    details        TEXT,
    failed_element TEXT,
    incident       TEXT,
    run_by         TEXT
) STRICT;

CREATE INDEX chore_log_job ON chore_log (job_key);
CREATE INDEX chore_log_at ON chore_log (at);

-- Workers' jobs that wait: nodes that fire no timers look for these alone.
CREATE INDEX job_due_worker ON job (due_at) WHERE state = 1 AND kind IN (2, 5);
