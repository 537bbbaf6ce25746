INSERT INTO broadcast (key, engine, tenant, name, variables, place) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
