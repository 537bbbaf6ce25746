SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, job_key,
    kind, message, created_at
FROM incident
WHERE key = ?1
