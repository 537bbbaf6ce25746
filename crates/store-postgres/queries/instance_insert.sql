INSERT INTO orloj.instance
    (key, rev, engine, tenant, definition_key, business_key, record, events)
SELECT key, rev, engine, tenant, definition_key, business_key, record, events
FROM unnest($1::orloj.instance_in[])
