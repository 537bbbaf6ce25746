SELECT
    key, engine, tenant, decision_id, name, version, version_tag, requirements_key,
    requirements_id, requirements_name, requirements_version, deployment_key, resource_name,
    checksum, dialect, deployed_at, deleted
-- From the newest down; the index on engine would read and sort them all.
FROM decision NOT INDEXED
WHERE key <= ?1 AND engine = ?2 AND NOT deleted
ORDER BY key DESC
LIMIT ?3
