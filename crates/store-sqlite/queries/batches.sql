SELECT
    key, engine, tenant, kind, total, parts_made, config, suspended, created_at, started_at,
    created_by
FROM batch
WHERE key <= ?1 AND engine = ?2
    AND (?4 IS NULL OR kind = ?4)
    AND (?5 IS NULL OR tenant = ?5)
    AND (?6 IS NULL OR suspended = ?6)
ORDER BY key DESC
LIMIT ?3
