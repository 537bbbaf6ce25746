-- Deleted ones too: no version is given twice.
SELECT
    key, engine, tenant, decision_id, name, version, version_tag, requirements_key,
    requirements_id, requirements_name, requirements_version, deployment_key, resource_name,
    checksum, dialect, deployed_at, deleted
FROM decision
WHERE engine = ?1 AND tenant = ?2 AND decision_id = ?3
ORDER BY version DESC
LIMIT 1
