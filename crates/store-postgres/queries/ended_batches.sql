SELECT
    key, engine, tenant, kind, total, created_at, started_at, created_by, ended_at, removal_at,
    -- Rows of before know only that they are over.
    coalesce(parts_made, total), coalesce(parts_done, total), coalesce(parts_failed, 0)
FROM orloj.ended_batch
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::text IS NULL OR kind = $4)
    AND ($5::text IS NULL OR tenant = $5)
ORDER BY key DESC
LIMIT $3
