SELECT key, engine, tenant, definition_key, business_key, completed, started_at, ended_at, variables
FROM ended
WHERE key = ?1
