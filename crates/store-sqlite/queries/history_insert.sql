INSERT INTO history (instance_key, rev, engine, tenant, at, events)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
