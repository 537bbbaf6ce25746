INSERT INTO orloj.start_event (definition_key, event_id, engine, tenant, process_id, kind, name)
SELECT definition_key, event_id, engine, tenant, process_id, kind, name
FROM unnest($1::orloj.start_in[])
