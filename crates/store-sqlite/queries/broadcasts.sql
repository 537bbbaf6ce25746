SELECT key, engine, tenant, name, variables, after_key
FROM broadcast
WHERE engine = ?1
ORDER BY key
LIMIT ?2
