SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, job_key,
    kind, message, created_at
FROM incident
WHERE key <= ?1 AND engine = ?2 AND (?3 IS NULL OR instance_key = ?3)
ORDER BY key DESC
LIMIT ?4
