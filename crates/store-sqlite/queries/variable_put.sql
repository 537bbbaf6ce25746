INSERT INTO variable (instance_key, scope_key, name, engine, tenant, tag, bytes)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (instance_key, scope_key, name) DO UPDATE SET tag = excluded.tag, bytes = excluded.bytes
