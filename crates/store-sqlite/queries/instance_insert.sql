INSERT INTO instance (key, rev, engine, tenant, definition_key, business_key, record, events)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
-- No row changed is how the caller learns of a conflict.
ON CONFLICT (key) DO NOTHING
