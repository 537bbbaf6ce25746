INSERT INTO message (key, engine, tenant, name, correlation_key, message_id, variables, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
-- No row changed is how the caller learns of a conflict.
ON CONFLICT (engine, tenant, name, correlation_key, message_id) WHERE message_id IS NOT NULL
DO NOTHING
