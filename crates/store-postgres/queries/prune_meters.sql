WITH old AS (
    SELECT name, at, reporter
    FROM orloj.meter
    WHERE engine = $1 AND at < $2
    ORDER BY at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.meter AS m
    USING old
    WHERE m.engine = $1 AND m.name = old.name AND m.at = old.at AND m.reporter = old.reporter
    RETURNING m.at
)
SELECT count(*) FROM gone
