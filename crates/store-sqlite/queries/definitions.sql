SELECT
    key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at, suspended, deleted
-- From the newest down; the index on engine would read and sort them all.
FROM definition NOT INDEXED
WHERE key <= ?1 AND engine = ?2 AND NOT deleted
ORDER BY key DESC
LIMIT ?3
