SELECT instance_key, kind, first_key, engine, tenant, bytes
FROM instance_page
WHERE instance_key = ?1
