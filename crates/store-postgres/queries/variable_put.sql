INSERT INTO orloj.variable (instance_key, scope_key, name, engine, tenant, tag, bytes)
SELECT instance_key, scope_key, name, engine, tenant, tag, bytes
FROM unnest($1::orloj.variable_in[])
ON CONFLICT (instance_key, scope_key, name)
DO UPDATE SET tag = excluded.tag, bytes = excluded.bytes
