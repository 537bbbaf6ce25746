WITH old AS (
    SELECT key
    FROM orloj.ended
    WHERE engine = $1 AND removal_at IS NOT NULL AND removal_at <= $2
        AND removal_at / 60000 % 60 BETWEEN $3 AND $4
    ORDER BY removal_at
    LIMIT $5
    FOR UPDATE SKIP LOCKED
),
history AS (
    DELETE FROM orloj.history AS h USING old WHERE h.instance_key = old.key
),
called AS (
    DELETE FROM orloj.called AS c USING old WHERE c.key = old.key
),
gone AS (
    DELETE FROM orloj.ended AS e USING old WHERE e.key = old.key RETURNING e.key
)
SELECT count(*) FROM gone
