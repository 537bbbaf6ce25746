-- Deleted ones too: no version is given twice.
SELECT
    key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at, suspended, deleted
FROM definition
WHERE engine = ?1 AND tenant = ?2 AND process_id = ?3
ORDER BY version DESC
LIMIT 1
