WITH old AS (
    SELECT key
    FROM orloj.operation
    WHERE engine = $1 AND at < $2
    ORDER BY at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.operation AS o USING old WHERE o.key = old.key RETURNING o.key
)
SELECT count(*) FROM gone
