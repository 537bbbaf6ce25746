INSERT INTO subscription (
    key, engine, tenant, instance_key, definition_key, element_instance_key, event_id, kind, name,
    correlation_key
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
