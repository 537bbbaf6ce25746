WITH old AS (
    SELECT number
    FROM orloj.chore_log
    WHERE engine = $1 AND at < $2
    ORDER BY at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.chore_log AS l USING old WHERE l.number = old.number RETURNING l.number
)
SELECT count(*) FROM gone
