SELECT m.key, s.key, s.instance_key
FROM message AS m
CROSS JOIN subscription AS s INDEXED BY subscription_correlation
LEFT JOIN definition AS d ON d.key = s.definition_key
WHERE m.engine = ?1 AND m.tenant = ?2 AND m.name = ?3 AND m.correlation_key = ?4
    AND m.expires_at > ?5
    -- The next two conditions are those of the index, word for word, or it cannot be used.
    AND s.kind = 0 AND s.correlation_key IS NOT NULL
    AND s.engine = ?1 AND s.name = ?3 AND s.correlation_key = ?4
    AND s.tenant = ?2
    AND NOT EXISTS (
        SELECT 1
        FROM message_taken AS t
        WHERE t.message_key = m.key AND t.process_id = d.process_id
    )
ORDER BY m.key, s.key
LIMIT 1
