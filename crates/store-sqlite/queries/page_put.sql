INSERT INTO instance_page (instance_key, kind, first_key, engine, tenant, bytes)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (instance_key, kind, first_key) DO UPDATE SET bytes = excluded.bytes
