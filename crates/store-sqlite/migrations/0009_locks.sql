-- Whether a lock of a session is found by an index: those that acquisitions give, and those that
-- are held for long. A job that goes from one hand to the next within a node is in none of these.
ALTER TABLE job ADD COLUMN lock_listed INTEGER NOT NULL DEFAULT 0;
UPDATE job SET lock_listed = 1 WHERE lock_session IS NOT NULL;
CREATE INDEX job_listed ON job (lock_session) WHERE lock_listed = 1 AND lock_session IS NOT NULL;

-- Exclusive jobs that were stopped while they run.
CREATE INDEX job_still_held ON job (instance_key)
    WHERE state <> 0 AND lock_session IS NOT NULL AND exclusive = 1;

-- Dead letters and what is suspended.
CREATE INDEX job_stopped ON job (engine, state) WHERE state >= 3;
