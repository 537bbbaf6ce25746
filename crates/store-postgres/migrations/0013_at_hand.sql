-- A job that the node locks which makes it, and begins at once, is a part of its instance's row:
-- most jobs are, and a row of their own would be written and deleted for nothing. One that is not
-- done with the next revision gets its row when something is changed about it.
CREATE TYPE orloj.job_at_hand AS (
    key bigint, element_instance_key bigint, element_id text, kind smallint, retries_left integer,
    priority bigint, exclusive boolean, created_at bigint, topic text
);
-- The session is beside it, for the index by which the jobs of a dead node are found. It stays the
-- same from one job to the next, so the index has nothing to do.
ALTER TABLE orloj.instance ADD COLUMN at_hand orloj.job_at_hand;
ALTER TABLE orloj.instance ADD COLUMN at_hand_session bigint;
-- Room for the next five versions of a row of the usual size in its page: every update that finds
-- none needs entries in the indexes, and the page has to be cleaned for every second one.
ALTER TABLE orloj.instance SET (fillfactor = 60);

-- All jobs, wherever they are.
CREATE VIEW orloj.any_job AS
SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until,
    attempt, activations, failure, created_at, topic, category, limit_key, batch_key, payload,
    failure_details, failed_element, lock_listed
FROM orloj.job
UNION ALL
SELECT
    (at_hand).key, engine, tenant, key, definition_key, (at_hand).element_instance_key,
    (at_hand).element_id COLLATE "C", (at_hand).kind, '' COLLATE "C", 0::smallint,
    (at_hand).retries_left, (at_hand).priority, (at_hand).exclusive, NULL::bigint, at_hand_session,
    NULL::text COLLATE "C", NULL::bigint, 1, ''::bytea, NULL::text COLLATE "C",
    (at_hand).created_at, (at_hand).topic COLLATE "C", NULL::text COLLATE "C",
    NULL::text COLLATE "C", NULL::bigint, NULL::bytea, NULL::text COLLATE "C",
    NULL::text COLLATE "C", true
FROM orloj.instance
WHERE at_hand_session IS NOT NULL;

-- Nodes of an earlier version would pass over such jobs: they can commit no more.
DROP PROCEDURE IF EXISTS orloj.commit_group_with_pages;
DROP PROCEDURE IF EXISTS orloj.commit_group_with_events;
DROP PROCEDURE IF EXISTS orloj.commit_group;
DROP TYPE orloj.instance_in;
DROP TYPE orloj.instance_step;
DROP TYPE orloj.instance_gone;
CREATE TYPE orloj.instance_in AS (
    key bigint, rev integer, engine text, tenant text, definition_key bigint, business_key text,
    record bytea, events bytea, at_hand orloj.job_at_hand
);
-- `at_hand_before`: the key of the job that is at hand. `at_hand_kept`: it stays so; otherwise the
-- other one takes its place, or none.
CREATE TYPE orloj.instance_step AS (
    key bigint, expected_rev integer, rev integer, record bytea, events bytea,
    at_hand_before bigint, at_hand_kept boolean, at_hand orloj.job_at_hand
);
CREATE TYPE orloj.instance_gone AS (key bigint, expected_rev integer, at_hand_before bigint);
-- Nothing is known of the new column, and what is unknown is taken for common.
DO $$
BEGIN
    IF EXISTS (SELECT FROM orloj.instance) THEN
        ANALYZE orloj.instance (at_hand_session);
    END IF;
END
$$;
