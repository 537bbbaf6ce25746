INSERT INTO ended_batch (
    key, engine, tenant, kind, total, created_at, started_at, created_by, ended_at, removal_at
)
SELECT key, engine, tenant, kind, total, created_at, started_at, created_by, ?2, ?3
FROM batch
WHERE key = ?1
