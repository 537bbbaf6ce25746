WITH old AS (
    SELECT key
    FROM orloj.ended_batch
    WHERE engine = $1
        AND ended_at < $2
        -- Of these kinds, or of all but these.
        AND (kind = ANY ($4)) <> $5
    ORDER BY ended_at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.ended_batch AS b USING old WHERE b.key = old.key RETURNING b.key
)
SELECT count(*) FROM gone
