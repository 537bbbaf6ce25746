-- Deleted ones too: no version is given twice.
SELECT
    key, engine, tenant, kind, asset_id, version, version_tag, deployment_key, resource_name,
    checksum, deployed_at, deleted
FROM asset
WHERE engine = ?1 AND tenant = ?2 AND kind = ?3 AND asset_id = ?4
ORDER BY version DESC
LIMIT 1
