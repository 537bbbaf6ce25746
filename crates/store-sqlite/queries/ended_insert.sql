INSERT INTO ended (
    key, engine, tenant, definition_key, business_key, completed, started_at, ended_at, variables,
    removal_at
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
