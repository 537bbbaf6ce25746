WITH old AS (
    SELECT number
    FROM orloj.chore_log
    WHERE batch_key = $2 AND engine = $1
    ORDER BY number
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.chore_log AS l USING old WHERE l.number = old.number RETURNING l.number
)
SELECT count(*) FROM gone
