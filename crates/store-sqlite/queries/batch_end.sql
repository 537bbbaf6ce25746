INSERT INTO ended_batch (
    key, engine, tenant, kind, total, created_at, started_at, created_by, ended_at, removal_at,
    parts_made, parts_done, parts_failed
)
SELECT
    key, engine, tenant, kind, total, created_at, started_at, created_by, ?2, ?3, parts_made, ?4,
    ?5
FROM batch
WHERE key = ?1
