SELECT definition_key, event_id, engine, tenant, process_id, kind, name
FROM start_event
WHERE engine = ?1 AND kind = ?2 AND name = ?7
    AND (definition_key, event_id) > (?3, ?4)
    AND (?5 IS NULL OR tenant = ?5)
ORDER BY definition_key, event_id
LIMIT ?6
