SELECT
    s.key, s.engine, s.tenant, s.instance_key, s.definition_key, s.element_instance_key, s.event_id,
    s.kind, s.name, s.correlation_key
FROM instance AS i INDEXED BY instance_business_key
-- In this order: those with the business key are few, those that wait may be very many.
CROSS JOIN subscription AS s INDEXED BY subscription_instance ON s.instance_key = i.key
WHERE i.engine = ?1 AND i.business_key = ?7
    -- Word for word as the index has it, or it cannot be used.
    AND s.kind = 0
    AND s.engine = ?1 AND s.key > ?2
    AND (?3 IS NULL OR s.tenant = ?3)
    AND (?4 IS NULL OR s.instance_key = ?4)
    AND (?6 IS NULL OR s.name = ?6)
    AND (?8 IS NULL OR s.correlation_key = ?8)
ORDER BY s.key
LIMIT ?5
