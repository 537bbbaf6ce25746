INSERT INTO broadcast (key, engine, tenant, name, variables, after_key) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
