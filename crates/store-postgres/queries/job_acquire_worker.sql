-- Locks for a worker, who keeps the lock whatever becomes of the node. The limit divides by zero
-- when the lease is gone.
WITH picked AS (
    SELECT key
    FROM orloj.job
    WHERE engine = $2 AND type = $4 AND kind IN (2, 5)
        AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
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
    FROM picked
    WHERE j.key = picked.key
    RETURNING j.*
)
SELECT * FROM taken ORDER BY priority DESC, key
