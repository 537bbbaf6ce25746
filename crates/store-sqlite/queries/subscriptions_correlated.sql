SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, event_id, kind, name,
    correlation_key
FROM subscription INDEXED BY subscription_correlation
-- The first conditions are those of the index, word for word, or it cannot be used.
WHERE kind = 0 AND correlation_key IS NOT NULL
    AND engine = ?1 AND name = ?6 AND correlation_key = ?7 AND key > ?2
    AND (?3 IS NULL OR tenant = ?3)
    AND (?4 IS NULL OR instance_key = ?4)
ORDER BY key
LIMIT ?5
