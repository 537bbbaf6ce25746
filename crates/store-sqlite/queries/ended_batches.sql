SELECT
    key, engine, tenant, kind, total, created_at, started_at, created_by, ended_at, removal_at,
    -- Rows of before know only that they are over.
    coalesce(parts_made, total), coalesce(parts_done, total), coalesce(parts_failed, 0)
FROM ended_batch
WHERE key <= ?1 AND engine = ?2
    AND (?4 IS NULL OR kind = ?4)
    AND (?5 IS NULL OR tenant = ?5)
ORDER BY key DESC
LIMIT ?3
