SELECT 1
FROM message
WHERE engine = ?1 AND tenant = ?2 AND name = ?3 AND correlation_key = ?4 AND message_id = ?5
    AND message_id IS NOT NULL
    AND expires_at > ?6
