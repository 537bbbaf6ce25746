INSERT INTO start_event (
    definition_key, event_id, engine, tenant, process_id, kind, name, due_at, repeat, anchor_at,
    fired
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
