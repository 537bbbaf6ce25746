SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, job_key,
    kind, message, created_at, cause_key, root_cause_key, configuration, annotation
FROM incident
WHERE key = ?1
