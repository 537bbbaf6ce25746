SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, event_id, kind, name,
    correlation_key
FROM subscription
WHERE engine = ?1 AND kind = ?2 AND key > ?3
    AND (?4 IS NULL OR tenant = ?4)
    AND (?5 IS NULL OR instance_key = ?5)
    AND name = ?7
    AND (?8 IS NULL OR correlation_key = ?8)
    AND (
        ?9 IS NULL
        OR EXISTS (SELECT 1 FROM instance AS i WHERE i.key = instance_key AND i.business_key = ?9)
    )
ORDER BY key
LIMIT ?6
