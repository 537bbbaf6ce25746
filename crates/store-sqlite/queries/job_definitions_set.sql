SELECT
    key, engine, tenant, definition_key, process_id, element_id, kind, configuration, suspended,
    priority
FROM job_definition
WHERE engine = ?1 AND (suspended OR priority IS NOT NULL)
ORDER BY key
