SELECT
    key, engine, tenant, kind, total, parts_made, config, suspended, created_at, started_at,
    created_by
FROM batch
WHERE key = ?1
