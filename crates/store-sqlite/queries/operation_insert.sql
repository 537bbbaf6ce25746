INSERT INTO operation (
    key, group_key, engine, tenant, at, user, operation, entity, entity_key, instance_key,
    definition_key, job_definition_key, property, old, new
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
