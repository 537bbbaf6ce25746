SELECT
    key, engine, tenant, kind, asset_id, version, version_tag, deployment_key, resource_name,
    checksum, deployed_at, deleted
-- From the newest down; the index on engine would read and sort them all.
FROM asset NOT INDEXED
WHERE key <= ?1 AND engine = ?2 AND NOT deleted
ORDER BY key DESC
LIMIT ?3
