INSERT INTO resource (deployment_key, name, engine, tenant, content) VALUES (?1, ?2, ?3, ?4, ?5)
