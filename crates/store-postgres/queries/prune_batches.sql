WITH old AS (
    SELECT key
    FROM orloj.ended_batch
    WHERE engine = $1
        AND removal_at <= $2
    ORDER BY removal_at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.ended_batch AS b USING old WHERE b.key = old.key RETURNING b.key
)
SELECT count(*) FROM gone
