SELECT key, rev, engine, tenant, definition_key, business_key, record, events
FROM instance
WHERE key = ?1
