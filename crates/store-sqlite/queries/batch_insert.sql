INSERT INTO batch (
    key, engine, tenant, kind, total, parts_made, config, suspended, created_at, started_at,
    created_by
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
