SELECT
    key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at
FROM definition
WHERE key <= ?1 AND engine = ?2
ORDER BY key DESC
LIMIT ?3
