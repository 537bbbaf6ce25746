SELECT
    key, engine, tenant, decision_id, name, version, version_tag, requirements_key,
    requirements_id, requirements_name, requirements_version, deployment_key, resource_name,
    checksum, dialect, deployed_at, deleted
FROM decision
WHERE engine = ?1 AND tenant = ?2 AND decision_id = ?3
    AND (?4 IS NULL OR version = ?4)
    AND (?5 IS NULL OR version_tag = ?5)
    AND (?6 IS NULL OR deployment_key = ?6)
    AND deleted = 0
ORDER BY version DESC
LIMIT 1
