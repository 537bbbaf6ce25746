SELECT
    definition_key, event_id, engine, tenant, process_id, kind, name, due_at, repeat, anchor_at,
    fired
FROM start_event INDEXED BY start_event_due
WHERE due_at IS NOT NULL AND due_at <= ?1 AND engine = ?2
ORDER BY due_at, definition_key, event_id
LIMIT ?3
