SELECT
    key, engine, tenant, definition_key, process_id, element_id, kind, configuration, suspended,
    priority
FROM job_definition
WHERE key = ?1
