INSERT INTO orloj.start_event
    (definition_key, event_id, engine, tenant, process_id, kind, name, due_at, repeat, anchor_at,
    fired)
SELECT
    definition_key, event_id, engine, tenant, process_id, kind, name, due_at, repeat, anchor_at,
    fired
FROM unnest($1::orloj.start_in[])
