INSERT INTO start_event (definition_key, event_id, engine, tenant, process_id, kind, name)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
