WITH old AS (
    SELECT key
    FROM orloj.ended_batch
    WHERE engine = $1
        AND ($2::bigint IS NULL OR removal_at <= $2)
        AND ($3::bigint IS NULL OR ended_at < $3)
        -- Of these kinds, or of all but these.
        AND (kind = ANY ($5)) <> $6
    ORDER BY key
    LIMIT $4
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.ended_batch AS b USING old WHERE b.key = old.key RETURNING b.key
)
SELECT count(*) FROM gone
