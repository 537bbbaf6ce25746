INSERT INTO orloj.job_definition
    (key, engine, tenant, definition_key, process_id, element_id, kind, configuration, suspended,
    priority)
SELECT
    key, engine, tenant, definition_key, process_id, element_id, kind, configuration, suspended,
    priority
FROM unnest($1::orloj.job_definition_in[])
