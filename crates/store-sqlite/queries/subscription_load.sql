SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, event_id, kind, name,
    correlation_key
FROM subscription
WHERE key = ?1
