INSERT INTO job_definition (
    key, engine, tenant, definition_key, process_id, element_id, kind, configuration, suspended,
    priority
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
