INSERT INTO orloj.history (instance_key, rev, engine, tenant, at, events)
SELECT instance_key, rev, engine, tenant, at, events FROM unnest($1::orloj.history_in[])
