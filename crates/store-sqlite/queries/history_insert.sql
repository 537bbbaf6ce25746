INSERT INTO history (instance_key, rev, part, engine, tenant, at, events)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
