INSERT INTO chore_log (
    job_key, engine, tenant, definition_key, element_id, kind, batch_key, event, at, retries,
    priority, due_at, message, details, failed_element, incident, run_by
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
