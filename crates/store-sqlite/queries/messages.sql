SELECT key, engine, tenant, name, correlation_key, message_id, variables, expires_at
FROM message
WHERE engine = ?1 AND tenant = ?2 AND name = ?3 AND correlation_key = ?4 AND key > ?5
    AND (?6 IS NULL OR message_id = ?6)
    AND expires_at > ?7
    AND (?9 IS NULL OR NOT EXISTS (
        SELECT 1 FROM message_taken AS t WHERE t.message_key = message.key AND t.process_id = ?9
    ))
ORDER BY key
LIMIT ?8
