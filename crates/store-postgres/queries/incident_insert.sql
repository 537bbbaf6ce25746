INSERT INTO orloj.incident
    (key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, job_key,
    kind, message, created_at)
SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, job_key,
    kind, message, created_at
FROM unnest($1::orloj.incident_in[])
