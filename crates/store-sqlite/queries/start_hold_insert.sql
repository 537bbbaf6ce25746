INSERT INTO start_hold (engine, tenant, process_id, correlation_key, instance_key)
VALUES (?1, ?2, ?3, ?4, ?5)
-- No row changed is how the caller learns of a conflict.
ON CONFLICT (engine, tenant, process_id, correlation_key) DO NOTHING
