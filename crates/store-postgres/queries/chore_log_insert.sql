INSERT INTO orloj.chore_log
    (job_key, engine, tenant, definition_key, element_id, kind, batch_key, event, at, retries,
    priority, due_at, message, details, failed_element, incident, run_by)
SELECT
    job_key, engine, tenant, definition_key, element_id, kind, batch_key, event, at, retries,
    priority, due_at, message, details, failed_element, incident, run_by
FROM unnest($1::orloj.chore_log_in[])
