SELECT definition_key, event_id, engine, tenant, process_id, kind, name
FROM start_event
-- By their keys: with the plus the index, which would have to be sorted, is not used.
WHERE (definition_key, event_id) > (?3, ?4) AND +engine = ?1 AND +kind = ?2
    AND (?5 IS NULL OR tenant = ?5)
ORDER BY definition_key, event_id
LIMIT ?6
