SELECT m.key, min(s.key), s.instance_key
FROM message AS m NOT INDEXED
CROSS JOIN subscription AS s INDEXED BY subscription_correlation
LEFT JOIN definition AS d ON d.key = s.definition_key
WHERE m.key > ?1 AND m.engine = ?2
    AND m.expires_at > ?3
    AND s.kind = 0 AND s.correlation_key IS NOT NULL
    AND s.engine = m.engine AND s.name = m.name AND s.correlation_key = m.correlation_key
    AND s.tenant = m.tenant
    AND NOT EXISTS (
        SELECT 1
        FROM message_taken AS t
        WHERE t.message_key = m.key AND t.process_id = d.process_id
    )
-- With min() alone the other columns are those of its row.
GROUP BY m.key
ORDER BY m.key
LIMIT ?4
