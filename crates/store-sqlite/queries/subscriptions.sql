SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, event_id, kind, name,
    correlation_key
-- By their keys: the index would have to be sorted.
FROM subscription NOT INDEXED
WHERE key > ?3 AND engine = ?1 AND kind = ?2
    AND (?4 IS NULL OR tenant = ?4)
    AND (?5 IS NULL OR instance_key = ?5)
    AND (?7 IS NULL OR correlation_key = ?7)
    AND (
        ?8 IS NULL
        OR EXISTS (SELECT 1 FROM instance AS i WHERE i.key = instance_key AND i.business_key = ?8)
    )
ORDER BY key
LIMIT ?6
