-- Locks for the node's session. The lease is locked too, so that fencing waits for this and then
-- sees what was taken; when it is gone the limit divides by zero. Locks given here are listed: jobs
-- that wait may be of any age. Where there are limits this takes nothing: then candidates are
-- looked at one by one.
WITH lease AS (
    SELECT session FROM orloj.node WHERE session = $1 FOR KEY SHARE
),
picked AS (
    SELECT key
    FROM orloj.job
    WHERE engine = $2 AND type = '' AND kind NOT IN (2, 5)
        AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
        AND priority BETWEEN $4 AND $5
        AND ($6::bigint[] IS NULL OR definition_key = 0 OR definition_key = ANY ($6))
        AND ($7::text[] IS NULL OR category = ANY ($7))
        AND ($8::text[] IS NULL OR topic = '' OR topic <> ALL ($8))
        AND (NOT $9::boolean OR kind <> 15)
        AND ($10::text IS NULL OR tenant = $10)
        AND (NOT $12::boolean OR due_at IS NOT NULL)
        -- None beside an exclusive one that was stopped while it runs: its lock is there until
        -- whoever runs it is done. Nearly always there is no such job; they are hashed, where
        -- there are many.
        AND (NOT exclusive OR instance_key = 0 OR
            CASE WHEN $11::boolean THEN coalesce(
                (SELECT c.root_key FROM orloj.called AS c WHERE c.key = instance_key), instance_key)
            ELSE instance_key END
            NOT IN (
                SELECT CASE WHEN $11::boolean THEN coalesce(c.root_key, h.instance_key)
                    ELSE h.instance_key END
                FROM orloj.job AS h
                LEFT JOIN orloj.called AS c ON c.key = h.instance_key
                WHERE h.state <> 0 AND h.lock_session IS NOT NULL AND h.exclusive
                    AND h.engine = $2
            ))
        AND NOT EXISTS (SELECT FROM orloj.job_limit WHERE engine = $2)
    ORDER BY priority DESC, key
    LIMIT $3 / (SELECT count(*) FROM lease)
    FOR UPDATE SKIP LOCKED
),
taken AS (
    UPDATE orloj.job AS j
    SET lock_session = $1, lock_listed = true, attempt = j.attempt + 1
    -- As an array: how many are picked is unknown to the planner, and a join with a guess could
    -- read the whole table.
    WHERE j.key = ANY (ARRAY(SELECT key FROM picked))
    RETURNING j.*
)
SELECT * FROM taken ORDER BY priority DESC, key
