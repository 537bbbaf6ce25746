-- Locks for a worker, who keeps the lock whatever becomes of the node. The limit divides by zero
-- when the lease is gone. Where there are limits this takes nothing.
WITH picked AS (
    SELECT key
    FROM orloj.job
    WHERE engine = $2 AND type = $4 AND kind IN (2, 5)
        AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
        AND NOT EXISTS (SELECT FROM orloj.job_limit WHERE engine = $2)
    ORDER BY priority DESC, key
    LIMIT $3 / (SELECT count(*) FROM orloj.node WHERE session = $1)
    FOR UPDATE SKIP LOCKED
),
taken AS (
    UPDATE orloj.job AS j
    SET lock_worker = $5, lock_until = $6, attempt = j.attempt + 1,
        -- A job that is lost again and again keeps its first activations only.
        activations = CASE WHEN octet_length(j.activations) < 8192
            THEN j.activations || $7 ELSE j.activations END
    -- As an array: how many are picked is unknown to the planner, and a join with a guess could
    -- read the whole table.
    WHERE j.key = ANY (ARRAY(SELECT key FROM picked))
    RETURNING j.*
)
SELECT * FROM taken ORDER BY priority DESC, key
