SELECT min(m.key), e.definition_key, e.event_id
FROM start_event AS e INDEXED BY start_event_name
CROSS JOIN message AS m INDEXED BY message_channel
WHERE ?4 <> ''
    AND e.engine = ?1 AND e.kind = 0 AND e.name = ?3
    AND e.tenant = ?2
    AND m.engine = ?1 AND m.tenant = ?2 AND m.name = ?3 AND m.correlation_key = ?4
    AND m.expires_at > ?5
    AND NOT EXISTS (
        SELECT 1
        FROM start_hold AS h
        WHERE h.engine = ?1 AND h.tenant = ?2 AND h.process_id = e.process_id
            AND h.correlation_key = ?4
    )
    AND NOT EXISTS (
        SELECT 1
        FROM message_taken AS t
        WHERE t.message_key = m.key AND t.process_id = e.process_id
    )
GROUP BY e.definition_key, e.event_id
ORDER BY e.definition_key, e.event_id
