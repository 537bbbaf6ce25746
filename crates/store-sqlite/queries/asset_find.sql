SELECT
    key, engine, tenant, kind, asset_id, version, version_tag, deployment_key, resource_name,
    checksum, deployed_at, deleted
FROM asset
WHERE engine = ?1 AND tenant = ?2 AND kind = ?3 AND asset_id = ?4
    AND (?5 IS NULL OR version = ?5)
    AND (?6 IS NULL OR version_tag = ?6)
    AND (?7 IS NULL OR deployment_key = ?7)
    AND deleted = 0
ORDER BY version DESC
LIMIT 1
