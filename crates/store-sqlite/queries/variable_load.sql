SELECT instance_key, scope_key, name, engine, tenant, tag, bytes
FROM variable
WHERE instance_key = ?1
